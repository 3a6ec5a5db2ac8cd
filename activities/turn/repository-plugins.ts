/**
 * Plugins that the repository brings for a CLI and that the CLI would run unasked, in a turn that may only read too. Inside a sandbox they can do no more than the agent; outside of one such a turn is not started.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { findKind } from '../../config/agents/kinds.js';
import { listForeignFolder, readForeignFile } from '../../config/system/foreign-file.js';
import type { AgentConfig } from '../../protocol/run/policy.js';
import { badAgent } from './turn-failures.js';

/** Unit: bytes. */
const MAX_CONFIG_BYTES = 1024 * 1024;

/** `worktree`: in order, before the start. Errors: BadAgent for the first that was found. */
export async function refusePlugins(config: AgentConfig, worktree: string): Promise<void> {
  const { plugins } = findKind(config);
  if (plugins === null) return;
  const folders = await Promise.all(
    plugins.folders.map(async (name) => ((await holdsAnything(join(worktree, name))) ? [name] : [])),
  );
  const configs = await Promise.all(
    plugins.configs.map(async (name) => ((await matches(join(worktree, name), plugins.named)) ? [name] : [])),
  );
  const [found] = [...folders, ...configs].flat();
  if (found === undefined) return;
  throw badAgent(
    `${found} of the repository has plugins, which ${plugins.of} would run without a question`,
    'No agent was started; what earlier turns did stays.',
    'Have its runs in a sandbox: apt-get install bubblewrap, then sluice doctor    or name another agent: sluice run "<task>" --agent <name>',
  );
}

async function holdsAnything(folder: string): Promise<boolean> {
  const isFolder = (await lstat(folder).catch(() => null)) !== null;
  return isFolder && (await listForeignFolder(folder, { maxEntries: 0 })) === null;
}

/** One that is too large to look into may name some. */
async function matches(path: string, named: RegExp): Promise<boolean> {
  const reading = await readForeignFile(path, { maxBytes: MAX_CONFIG_BYTES, links: 'followed' });
  return reading.kind === 'too_large' || (reading.kind === 'read' && hasKey(reading.bytes.toString('utf8'), named));
}

/** Of JSON with comments: a text that a colon follows, or what may be a comment before one. Each text is passed over once, however many there are. */
const KEY = /"((?:[^"\\\n]|\\.)*)"\s*[:/]/g;

function hasKey(config: string, named: RegExp): boolean {
  for (const [, key = ''] of config.matchAll(KEY)) if (named.test(unescaped(key))) return true;
  return false;
}

/** A key may be written by the numbers of its letters. */
function unescaped(key: string): string {
  return key.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
