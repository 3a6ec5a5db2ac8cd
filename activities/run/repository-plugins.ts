/**
 * Plugins that the repository brings for a CLI and that the CLI would run unasked, in a turn that may only read too: OpenCode 1.18.33 looks for them in its
 * project whatever its switches say. Inside a sandbox they can do no more than the agent; outside of one such a turn is not started.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { acpProgramName } from '../../protocol/acp-programs.js';
import type { AgentConfig } from '../../protocol/policy.js';
import { badAgent } from './turn-failures.js';

const FOLDERS = ['.opencode/plugin', '.opencode/plugins'];

const CONFIGS = ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'];

/** A key, however its file is laid out; in a comment it counts too. */
const NAMES_PLUGINS = /"plugins?"\s*:/;

/** `worktree`: in order, before the start. Errors: BadAgent for the first that was found. */
export function refusePlugins({ adapter, command }: AgentConfig, worktree: string): void {
  if (adapter !== 'opencode' && !(adapter === 'acp' && acpProgramName(command) === 'opencode')) return;
  const found =
    FOLDERS.find((name) => namesIn(join(worktree, name)).length > 0) ??
    CONFIGS.find((name) => NAMES_PLUGINS.test(textOf(join(worktree, name))));
  if (found === undefined) return;
  throw badAgent(
    `${found} of the repository has plugins, which OpenCode would run without a question`,
    'No agent was started; what earlier turns did stays.',
    'Have its runs in a sandbox: apt-get install bubblewrap, then sluice doctor    or name another agent: sluice run "<task>" --agent <name>',
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
