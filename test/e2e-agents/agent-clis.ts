/** The real coding CLIs of `npm run e2e:agents`, by exact version: what they print is what the adapters are written against. */

export type CliName = 'claude-code' | 'codex' | 'opencode';

export interface NpmPackage {
  readonly package: string;
  readonly version: string;
}

export interface AgentCli extends NpmPackage {
  /** The word that `adapter:` takes. */
  readonly name: CliName;
  /** What is called on PATH. */
  readonly program: string;
}

export const AGENT_CLIS: readonly AgentCli[] = [
  { name: 'claude-code', program: 'claude', package: '@anthropic-ai/claude-code', version: '2.1.197' },
  { name: 'codex', program: 'codex', package: '@openai/codex', version: '0.169.0' },
  { name: 'opencode', program: 'opencode', package: 'opencode-ai', version: '1.18.33' },
];

/** Speaks the protocols of the providers; never a dependency of the product. */
export const MOCK_PACKAGE: NpmPackage = { package: '@copilotkit/aimock', version: '1.43.0' };

/** Errors: plain Error for a name that is none. */
export function cliNamed(name: string): AgentCli {
  const cli = AGENT_CLIS.find((known) => known.name === name);
  if (cli === undefined) throw new Error(`${name} is none of ${AGENT_CLIS.map((known) => known.name).join(', ')}`);
  return cli;
}
