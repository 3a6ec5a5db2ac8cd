/**
 * A real Chromium for tests of the page: Debian's, or the one of SLUICE_CHROMIUM, as an ordinary user with its own sandbox on. Nothing is downloaded.
 * Each has a profile of its own; `close` ends its processes and removes the folder.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from 'playwright-core';

/** Null where this machine has none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env['SLUICE_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path)) ?? null;
}

export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

const NOBODY = 65_534;

/** What takes so long hangs, however busy the machine is. */
const WAIT_MS = 250_000;

/** `signals`: false where the caller closes the browser by itself; else a signal ends the program with it. Errors: plain Error where there is no Chromium. */
export async function openBrowser(
  args: readonly string[] = [],
  signals: Pick<LaunchOptions, 'handleSIGINT' | 'handleSIGTERM' | 'handleSIGHUP'> = {},
): Promise<OpenBrowser> {
  const program = findChromium();
  if (program === null) throw new Error('no chromium: apt-get install chromium, or name one in SLUICE_CHROMIUM');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-page-'));
  const executablePath = process.getuid?.() === 0 ? asNobody(folder, program) : program;
  const options = { executablePath, chromiumSandbox: true, args: [...args], timeout: WAIT_MS };
  const browser = await chromium.launch({ ...options, ...signals });
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** For whatever a test opens in the browser, whose own waits end after half a minute. */
export function patient<T extends BrowserContext | Page>(opened: T): T {
  opened.setDefaultTimeout(WAIT_MS);
  return opened;
}

/** Chromium's sandbox refuses root, so it becomes another user, who owns its profile. */
function asNobody(folder: string, program: string): string {
  const script = join(folder, 'chromium.sh');
  const lines = [
    '#!/bin/sh',
    'for word in "$@"; do',
    `  case $word in --user-data-dir=*) chown -R ${NOBODY}:${NOBODY} "\${word#--user-data-dir=}" ;; esac`,
    'done',
    `export HOME=${folder}/person`,
    `mkdir -p "$HOME" && chown ${NOBODY}:${NOBODY} "$HOME"`,
    `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups ${program} "$@"`,
  ];
  writeFileSync(script, `${lines.join('\n')}\n`);
  chmodSync(script, 0o755);
  chmodSync(folder, 0o755);
  return script;
}
