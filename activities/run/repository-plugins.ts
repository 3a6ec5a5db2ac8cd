/**
 * Plugins that the repository brings for a CLI and that the CLI would run unasked, in a turn that may only read too: OpenCode 1.18.33 looks for them in its
 * project whatever its switches say. Inside a sandbox they can do no more than the agent; outside of one such a turn is not started.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { listForeignFolder, readForeignFile } from '../../config/foreign-file.js';
import { acpProgramName } from '../../protocol/acp-programs.js';
import type { AgentConfig } from '../../protocol/policy.js';
import { badAgent } from './turn-failures.js';

const FOLDERS = ['.opencode/plugin', '.opencode/plugins'];

const CONFIGS = ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'];

/** Unit: bytes. */
const MAX_CONFIG_BYTES = 1024 * 1024;

/** A key, however its file is laid out; in a comment it counts too. */
const NAMES_PLUGINS = /"plugins?"\s*:/;

/** `worktree`: in order, before the start. Errors: BadAgent for the first that was found. */
export async function refusePlugins({ adapter, command }: AgentConfig, worktree: string): Promise<void> {
  if (adapter !== 'opencode' && !(adapter === 'acp' && acpProgramName(command) === 'opencode')) return;
  const folders = await Promise.all(FOLDERS.map(async (name) => ((await holdsAnything(join(worktree, name))) ? [name] : [])));
  const configs = await Promise.all(CONFIGS.map(async (name) => ((await namesPlugins(join(worktree, name))) ? [name] : [])));
  const [found] = [...folders, ...configs].flat();
  if (found === undefined) return;
  throw badAgent(
    `${found} of the repository has plugins, which OpenCode would run without a question`,
    'No agent was started; what earlier turns did stays.',
    'Have its runs in a sandbox: apt-get install bubblewrap, then sluice doctor    or name another agent: sluice run "<task>" --agent <name>',
  );
}

async function holdsAnything(folder: string): Promise<boolean> {
  const isFolder = (await lstat(folder).catch(() => null)) !== null;
  return isFolder && (await listForeignFolder(folder, { maxEntries: 0 })) === null;
}

/** One that is too large to look into may name some. */
async function namesPlugins(path: string): Promise<boolean> {
  const reading = await readForeignFile(path, { maxBytes: MAX_CONFIG_BYTES, links: 'followed' });
  return reading.kind === 'too_large' || (reading.kind === 'read' && NAMES_PLUGINS.test(reading.bytes.toString('utf8')));
}
