/**
 * The first `.sluice/config.yaml`: what was found in the repository, and the agent if one was named. A file that is there
 * is never overwritten, and no component of the path may be a link, since a repository could point it anywhere.
 */
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { shellWord } from '../../protocol/text/shell-word.js';
import { PROJECT_CONFIG } from '../home/home.js';
import { parseConfigFile } from '../layers/parse-config.js';
import { ConfigError, problem } from '../system/config-error.js';
import { hashOfText } from '../system/config-text.js';
import { createFile } from '../system/create-file.js';
import { codeOf, messageOf } from '../system/error-code.js';
import type { FoundAgent } from './detect-agents.js';
import { type DetectedProject, detectProject } from './detect-project.js';

/** `cli`: a coding CLI that was found, with the names of the variables that it needs; values never stand in the file. */
export type InitialAgent =
  | { readonly kind: 'command'; readonly command: readonly string[] }
  | ({ readonly kind: 'cli' } & Pick<FoundAgent, 'adapter' | 'command' | 'passEnv' | 'hosts'>);

interface InitialConfig {
  readonly detected: DetectedProject;
  /** Null: an example stands there as a comment. */
  readonly agent: InitialAgent | null;
}

export type InitResult =
  | {
      readonly kind: 'written';
      readonly path: string;
      readonly text: string;
      readonly hash: string;
      readonly detected: DetectedProject;
    }
  | { readonly kind: 'exists'; readonly path: string };

/** **Shape** a text that `parseConfigFile` reads. */
function renderInitialConfig({ detected, agent: initial }: InitialConfig): string {
  const agent =
    initial === null ? AGENT_EXAMPLE : yamlOf({ agents: { [FIRST_AGENT]: agentEntry(initial) }, agent: FIRST_AGENT });
  const setup =
    detected.setup.length === 0
      ? '# worktree:\n#   setup: [npm ci]\n'
      : yamlOf({ worktree: { setup: [...detected.setup] } });
  const validation =
    detected.validation.length === 0
      ? VALIDATION_EXAMPLE
      : yamlOf({ validation: { commands: [...detected.validation] } });
  const hosts = initial?.kind === 'cli' ? initial.hosts : [];
  return [
    '# Policy of sluice for this repository. All keys: docs/config.md; what is in force: sluice config\nversion: 1\n',
    `# Who works.${initial?.kind === 'cli' ? '' : ' The prompt comes on stdin, the answer goes to stdout.'}\n${agent}`,
    ...(hosts.length === 0
      ? []
      : [`# Where its own settings lead, so that a sandbox lets it through.\n${yamlOf({ networkAllow: [...hosts] })}`]),
    `# Run in every new worktree and in the validation checkout.\n${setup}`,
    `# Run by sluice on the commit; all must pass.\n${validation}`,
  ].join('\n');
}

/** **Effects** `.sluice/config.yaml` below `repo`. **Errors** ConfigError for a link in the way, a folder that one may not write in, or an agent that is no program. */
export function initConfig(repo: string, agent: InitialAgent | null): InitResult {
  refuseLink(join(repo, '.sluice'));
  const detected = detectProject(repo);
  const text = renderInitialConfig({ detected, agent });
  // What was just written must be usable: an agent that is no program on PATH is refused here and not at the first run.
  parseConfigFile('project', { text, name: PROJECT_CONFIG });
  const { kind, path } = writeFirstConfig(repo, text);
  return kind === 'exists' ? { kind, path } : { kind, path, text, hash: hashOfText(text), detected };
}

/** Only where there is none. **Effects** `.sluice/config.yaml` below `repo`. **Errors** ConfigError for a link in the way or a folder that one may not write in; those of the disk: no part of it stays. */
export function writeFirstConfig(
  repo: string,
  text: string,
): { readonly kind: 'written' | 'exists'; readonly path: string } {
  const path = join(repo, PROJECT_CONFIG);
  const folder = join(repo, '.sluice');
  refuseLink(folder);
  writeIn(repo, () => mkdirSync(folder, { recursive: true }));
  // As the person's umask has it: a repository's file is no secret.
  return { kind: writeIn(folder, () => createFile(path, text, 0o666)) ? 'written' : 'exists', path };
}

/** **Errors** ConfigError where the rights of that folder refuse it; else those of `write`. */
export function writeIn<T>(folder: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
    const found = `you may not write there: ${messageOf(error)}`;
    const mend = `ls -ld ${shellWord(folder)}    says whose it is; if it is yours: chmod u+rwx ${shellWord(folder)}`;
    throw new ConfigError([
      problem('BadConfig', folder, {
        key: PROJECT_CONFIG,
        found,
        rule: 'must be a folder that you can write in',
        mend,
      }),
    ]);
  }
}

/** As a config file writes it. */
export function agentEntry(agent: InitialAgent): Readonly<Record<string, unknown>> {
  if (agent.kind === 'command') return { command: [...agent.command] };
  const command = agent.command === null ? {} : { command: [...agent.command] };
  return { adapter: agent.adapter, ...command, ...(agent.passEnv.length === 0 ? {} : { passEnv: [...agent.passEnv] }) };
}

/** What the agent of a first config is called. */
export const FIRST_AGENT = 'main';

const AGENT_EXAMPLE = '# agents:\n#   main:\n#     command: [my-agent, --some-option]\n# agent: main\n';

const VALIDATION_EXAMPLE =
  '# No test command was found: without one no checks run.\n# validation:\n#   commands: [npm test]\n';

function yamlOf(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

function refuseLink(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return;
  const mend = `Look where it leads, then remove it:  ls -l ${shellWord(folder)}`;
  throw new ConfigError([
    problem('BadConfig', folder, {
      key: '.sluice',
      found: 'it is not a folder',
      rule: 'must be a folder, not a link',
      mend,
    }),
  ]);
}
