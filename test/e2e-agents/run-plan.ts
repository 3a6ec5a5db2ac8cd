/** What `main.ts` hands to the tests that it starts: where the CLIs are, and the file that takes down what ran. One variable, so that nothing is half set. */
import { ACP_AGENTS, AGENT_CLIS, ALL_CLIS, type CliName } from './agent-clis.js';

export interface RunPlan {
  /** Of jest, one a CLI; `tests` is the pattern of its files. */
  readonly projects: readonly { readonly cli: CliName; readonly tests: string }[];
  readonly prefixes: Readonly<Record<CliName, string>>;
  /** Folder of the package that plays the provider. */
  readonly mock: string;
  /** One JSON object a line. */
  readonly ranFile: string;
}

export const PLAN_VARIABLE = 'SLUICE_AGENTS_PLAN';

/** Errors: plain Error for people when the tests were started without `main.ts`. */
export function readPlan(): RunPlan {
  const text = process.env[PLAN_VARIABLE];
  if (text === undefined)
    throw new Error(
      'These tests run the real CLIs, which must be installed first.\nNothing was run.\nStart them with:  npm run e2e:agents',
    );
  return JSON.parse(text) as RunPlan; // Ours, from the process above.
}

/** The CLI with an adapter of its own that this project runs. */
export function plannedClis(): typeof AGENT_CLIS {
  return AGENT_CLIS.filter(isPlanned);
}

/** The agent behind `adapter: acp` that it runs. */
export function plannedAcpAgents(): typeof ACP_AGENTS {
  return ACP_AGENTS.filter(isPlanned);
}

/** Whichever it is. */
export function plannedOfAll(): typeof ALL_CLIS {
  return ALL_CLIS.filter(isPlanned);
}

function isPlanned({ name }: { readonly name: CliName }): boolean {
  // Of jest.config.js.
  return name === (globalThis as { readonly sluiceCli?: unknown }).sluiceCli;
}
