/**
 * Builds what the images of docker-compose.temporal.yml hold, and compose's own loader, from the pinned Go modules in tools/temporal-server.
 * The cache is keyed by platform and by the modules' own text, so a changed version is a new build. Two builds at once: the second waits.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../../config/system/error-code.js';
import { cacheFolder } from '../../worker/local-engine/server-binary/cache.js';
import { waitForLock } from '../../worker/local-engine/state/kernel-lock.js';

/** A name on PATH. */
const GO = 'go';

const MODULES = fileURLToPath(new URL('../../tools/temporal-server', import.meta.url));

interface Program {
  readonly name: string;
  /** Below tools/temporal-server. */
  readonly module: string;
  readonly package: string;
}

const PROGRAMS: readonly Program[] = [
  { name: 'compose-check', module: 'compose', package: '.' },
  { name: 'temporal-sql-tool', module: '.', package: 'go.temporal.io/server/cmd/tools/sql' },
  { name: 'temporal-server', module: '.', package: 'go.temporal.io/server/cmd/server' },
  { name: 'ui-server', module: 'ui', package: 'github.com/temporalio/ui-server/v2/cmd/server' },
];

/** What the Web UI's image has beside its program. */
const UI_CONFIG = 'docker.yaml';

const ENVIRONMENT = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };

/** A folder with every program under its name in the images. Effects: fills the cache. Errors: plain Error with a hint. */
export async function buildGoPrograms(say: (text: string) => void): Promise<string> {
  const parent = cacheFolder(process.env);
  const folder = join(parent, `team-server-${process.platform}-${process.arch}-${fingerprint()}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await waitForLock(join(folder, 'build.lock'));
  try {
    const missing = PROGRAMS.filter(({ name }) => !existsSync(join(folder, name)));
    for (const [index, program] of missing.entries()) {
      say(
        `building ${program.name} with Go, ${index + 1} of ${missing.length} (up to four minutes each, once; kept in ${folder})`,
      );
      await build(program, folder);
    }
    if (!existsSync(join(folder, UI_CONFIG)))
      copyFileSync(join(sourceOf('ui'), 'config', UI_CONFIG), join(folder, UI_CONFIG));
  } finally {
    lock.release();
  }
  return folder;
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const module of new Set(PROGRAMS.map((program) => program.module))) {
    for (const name of readdirSync(join(MODULES, module)).filter((entry) => /^go\.(?:mod|sum)$|\.go$/.test(entry))) {
      hash.update(`${module}/${name}\n`).update(readFileSync(join(MODULES, module, name)));
    }
  }
  return hash.digest('hex').slice(0, 12);
}

/** The program appears under its name only when it is whole. */
async function build({ name, module, package: path }: Program, folder: string): Promise<void> {
  const temporary = join(folder, `${name}.tmp`);
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', temporary, path];
  const code = await new Promise<number | string>((resolve, reject) => {
    const child = spawn(GO, args, {
      cwd: join(MODULES, module),
      stdio: ['ignore', 'ignore', 'inherit'],
      env: ENVIRONMENT,
    });
    child.once('error', (error) => reject(codeOf(error) === 'ENOENT' ? noGo() : error));
    child.once('exit', (exit, signal) => resolve(exit ?? signal ?? 'unknown'));
  });
  if (code !== 0) throw new Error(`the build of ${name} failed: go ended with ${code}; what it said stands above`);
  renameSync(temporary, join(folder, name));
}

function noGo(): Error {
  return new Error(
    'there is no `go` on PATH.\nThe server and its schema tool are built from source, since no container runtime is used here.\n' +
      'Nothing was started.\nInstall Go 1.26.4 or newer (https://go.dev/dl), then: npm run e2e:postgres',
  );
}

function sourceOf(module: string): string {
  const args = ['list', '-m', '-f', '{{.Dir}}', 'github.com/temporalio/ui-server/v2'];
  return execFileSync(GO, args, { cwd: join(MODULES, module), encoding: 'utf8', env: ENVIRONMENT }).trim();
}
