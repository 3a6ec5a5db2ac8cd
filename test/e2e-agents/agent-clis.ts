/** The real coding CLIs of `npm run e2e:agents`, by exact version: what they print is what the adapters are written against. */

/** Those with an adapter of their own, by its word. */
export type NativeName = 'claude-code' | 'codex' | 'opencode';

/** Those behind `adapter: acp`, by their program. */
export type AcpName = 'gemini' | 'claude-agent-acp';

export type CliName = NativeName | AcpName;

export interface NpmPackage {
  readonly package: string;
  readonly version: string;
}

export interface AgentCli extends NpmPackage {
  readonly name: CliName;
  /** What is called on PATH. */
  readonly program: string;
  /** Its arguments that make it tell its version. */
  readonly versionArguments: readonly string[];
  /** What `agents.<name>.command` takes, of one behind `adapter: acp`. */
  readonly command?: readonly [string, ...string[]];
  /** It loses a session that is loaded in the minute in which it was opened: both write the file of that name. */
  readonly losesSessionsOfTheMinute?: true;
}

export interface NativeCli extends AgentCli {
  readonly name: NativeName;
}

export interface AcpAgent extends AgentCli {
  readonly name: AcpName;
  readonly command: readonly [string, ...string[]];
  /** How often it makes a call of its model that is answered with 429, before it gives up. */
  readonly callsUnderLimit: number;
  /** Of the task whose executor's conversation the fixer goes on with. */
  readonly resumeMarker: string;
}

const VERSION = { versionArguments: ['--version'] } as const;

export const AGENT_CLIS: readonly NativeCli[] = [
  { name: 'claude-code', program: 'claude', package: '@anthropic-ai/claude-code', version: '2.1.197', ...VERSION },
  { name: 'codex', program: 'codex', package: '@openai/codex', version: '0.169.0', ...VERSION },
  { name: 'opencode', program: 'opencode', package: 'opencode-ai', version: '1.18.33', ...VERSION },
];

export const ACP_AGENTS: readonly AcpAgent[] = [
  {
    name: 'gemini',
    program: 'gemini',
    package: '@google/gemini-cli',
    version: '0.61.0',
    ...VERSION,
    command: ['gemini', '--acp'],
    callsUnderLimit: 1,
    losesSessionsOfTheMinute: true,
    // An answer takes less than a minute, since it waits for none longer.
    resumeMarker: '[mock:slow stage=executing times=1 seconds=31] [mock:slow stage=reviewing times=1 seconds=31]',
  },
  {
    name: 'claude-agent-acp',
    program: 'claude-agent-acp',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.49.0',
    // Of the Claude Code that comes with it; it has no word for its own.
    versionArguments: ['--cli', '--version'],
    command: ['claude-agent-acp'],
    callsUnderLimit: 3,
    resumeMarker: '',
  },
];

export const ALL_CLIS: readonly AgentCli[] = [...AGENT_CLIS, ...ACP_AGENTS];

/** Speaks the protocols of the providers; never a dependency of the product. */
export const MOCK_PACKAGE: NpmPackage = { package: '@copilotkit/aimock', version: '1.43.0' };

/** Errors: plain Error for a name that is none. */
export function cliNamed(name: string): AgentCli {
  const cli = ALL_CLIS.find((known) => known.name === name);
  if (cli === undefined) throw new Error(`${name} is none of ${ALL_CLIS.map((known) => known.name).join(', ')}`);
  return cli;
}
