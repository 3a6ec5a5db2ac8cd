/**
 * A person with one real CLI on PATH and a provider on loopback, on the machine of `openCliWorld`. The programs come from `main.ts`, which
 * installs them and starts this as an ordinary user without another network; what ran is written down for its table.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stringify } from 'yaml';
import { ensureHome } from '../../config/home/home.js';
import { trustConfig } from '../../config/home/trust.js';
import type { CliRepository } from '../support/cli-repository.js';
import { type CliProcess, type CliResult, type CliWorld, openCliWorld } from '../support/cli-world.js';
import type { AgentCli, CliName } from './agent-clis.js';
import { prepareHome } from './agent-home.js';
import type { MockProvider, ProviderCall } from './mock-provider.js';
import { readPlan } from './run-plan.js';

export interface AgentWorld {
  readonly world: CliWorld;
  readonly cli: AgentCli;
  readonly provider: MockProvider;
  /** What the agent's environment needs to look like a plan that is paid by the month. */
  readonly subscription: Readonly<Record<string, string>>;
  /** With a trusted config in which agent `main` is the CLI. `config` is added to it. */
  repository(name: string, config?: Readonly<Record<string, unknown>>): Promise<CliRepository>;
  sluice(repository: CliRepository, ...args: readonly string[]): Promise<CliResult>;
  start(repository: CliRepository, ...args: readonly string[]): CliProcess;
  /** Requests since the last call of this function. */
  newCalls(): readonly ProviderCall[];
  close(): Promise<void>;
}

export const VALIDATION = { commands: ['grep -q changed a.txt'] } as const;

/** `installed: false`: the CLI is on no folder of PATH. */
export function openAgentWorld(
  cli: AgentCli,
  provider: MockProvider,
  { installed = true }: { readonly installed?: boolean } = {},
): AgentWorld {
  const world = openCliWorld();
  const { env: agentEnv, subscription } = prepareHome(cli.name, world.person, provider.url);
  const others = (world.env['PATH'] ?? '').split(delimiter).filter((entry) => !existsSync(join(entry, cli.program)));
  const env = { PATH: [...(installed ? [join(readPlan().prefixes[cli.name], 'bin')] : []), ...others].join(delimiter) };
  let seen = provider.calls().length;
  return {
    world,
    cli,
    provider,
    subscription,
    async repository(name, config = {}) {
      const repository = world.repository(name);
      const agents = { main: { ...adapterOf(cli), ...(Object.keys(agentEnv).length === 0 ? {} : { env: agentEnv }) } };
      // Where a sandbox works its agents are inside, with the provider as the only address of this machine.
      const networkAllow = [new URL(provider.url).host];
      const text = stringify({ version: 1, agent: 'main', agents, validation: VALIDATION, networkAllow, ...config });
      repository.write('.sluice/config.yaml', text);
      repository.git('add', '-A');
      repository.git('commit', '-q', '-m', 'config');
      await trustConfig(ensureHome(world.home).root, repository.path, text);
      return repository;
    },
    sluice: (repository, ...args) => world.sluice(args, { cwd: repository.path, env }),
    start: (repository, ...args) => world.start(args, { cwd: repository.path, env }),
    newCalls() {
      const calls = provider.calls().slice(seen);
      seen += calls.length;
      return calls;
    },
    close: () => world.close(),
  };
}

function adapterOf({ name, command }: AgentCli): Readonly<Record<string, unknown>> {
  return command === undefined ? { adapter: name } : { adapter: 'acp', command };
}

/** Writes the case down for the table. Errors: plain Error when the provider saw nothing: then the CLI did not really run. */
export function noteRan(cli: CliName, name: string, calls: number): void {
  if (calls === 0) throw new Error(`${cli} did not call the provider in the case "${name}", so it did not really run`);
  appendFileSync(readPlan().ranFile, `${JSON.stringify({ cli, case: name, calls })}\n`);
}
