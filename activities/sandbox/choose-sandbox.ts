/**
 * Whether a run is sandboxed, decided once, when it opens, and frozen with it: a later turn never runs more open than the first, whatever happened to the host.
 * It is the whole run or none of it: a check runs what an agent wrote, so an agent inside and its checks outside would be one way out.
 */

import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { listUsedAgents } from '../../config/agents/used-agents.js';
import { isBelow } from '../../config/system/paths.js';
import { lookForSandbox } from '../../config/system/sandbox-program.js';
import { FAILURES } from '../../protocol/failures.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { Policy, SandboxPolicy } from '../../protocol/run/policy.js';
import { refusalFailure } from '../../protocol/text/refusal.js';
import { loginVariables } from '../agent/environment/login-variables.js';
import { type Guarded, shownPlace } from './home-place.js';
import { NOTHING, needsNoSandbox, needsOfAgent, type OwnPlace, ownPlacesOf } from './known-needs.js';

export type SandboxChoice =
  | { readonly kind: 'inside'; readonly bwrap: string }
  /** `why` is a clause for people. `expected`: it was asked for, or all that it needs but the host is there. */
  | { readonly kind: 'outside'; readonly why: string; readonly expected: boolean };

export interface SandboxQuestion {
  readonly policy: Policy;
  readonly env: Readonly<Record<string, string>>;
  /** Repository and worktree, where no program counts. */
  readonly forbidden: readonly string[];
  /** What no sandbox shows. */
  readonly hidden: readonly string[];
}

/** Errors: BadConfig where the policy requires a sandbox and there is none. */
export async function chooseSandbox(question: SandboxQuestion): Promise<SandboxChoice> {
  const { sandbox } = question.policy;
  if (sandbox.use === 'off') return { kind: 'outside', why: 'sandbox is off', expected: false };
  const silent = silentAgent(question.policy);
  if (silent !== null && sandbox.use === 'auto') {
    return {
      kind: 'outside',
      why: `nobody said what the agent ${silent} needs of HOME (agents.${silent}.home)`,
      expected: false,
    };
  }
  const found = await lookForSandbox({ path: question.env['PATH'] ?? '', forbidden: question.forbidden });
  if (found.kind !== 'works') return without(sandbox, found.why, found.mend);
  // Last, and only where the run would be inside: it refuses what would keep it from there.
  const trouble = proxyTrouble(question.env, sandbox) ?? homeTrouble(question, sandbox);
  if (trouble === null) return { kind: 'inside', bwrap: found.program };
  return without(
    sandbox,
    trouble,
    'Change what is named, or set sandbox: off in the config of the user or of a trusted project',
  );
}

/** Said where the run is inside, or where it was expected to be. */
export function sandboxObservation(
  choice: SandboxChoice,
  { sandbox }: Pick<Policy, 'sandbox'>,
): readonly Observation[] {
  if (choice.kind === 'outside' && !choice.expected) return [];
  return [
    {
      timestamp: new Date().toISOString(),
      type: 'sandbox.chosen',
      message:
        choice.kind === 'inside'
          ? `agents, set-up and validation commands run in a sandbox, network: ${sandbox.network}`
          : `agents, set-up and validation commands run without a sandbox: ${choice.why}`,
      data: { sandbox: choice.kind, network: choice.kind === 'inside' ? sandbox.network : 'on' },
    },
  ];
}

export function sandboxText(choice: SandboxChoice): string {
  return choice.kind === 'inside' ? 'inside' : `outside: ${choice.why}`;
}

function silentAgent(policy: Policy): string | null {
  return (
    [...listUsedAgents(policy)].find((name) => {
      const config = policy.agents[name];
      return config !== undefined && !needsNoSandbox(config) && needsOfAgent(config) === null;
    }) ?? null
  );
}

/**
 * Why the run cannot be inside. Errors: BadConfig where the trouble lies in a folder that an agent can write: it could have put a link there, so that
 * later runs would be outside.
 */
function homeTrouble({ policy, env, hidden }: SandboxQuestion, sandbox: SandboxPolicy): string | null {
  const guarded: Guarded = { home: env['HOME'], hidden };
  const looked = (places: readonly OwnPlace[]) =>
    places.map((place) => ({ path: join(place.folder, place.name), shown: shownPlace(place, guarded) }));
  const used = [...listUsedAgents(policy)].flatMap((name) => policy.agents[name] ?? []);
  const agents = used.map((config) => ({
    needs: needsOfAgent(config) ?? NOTHING,
    own: { ...env, ...loginVariables(config), ...config.env },
  }));
  const named = ownPlacesOf([...sandbox.home, ...agents.flatMap(({ needs }) => needs.named)], null, env);
  const writable = looked([...named, ...agents.flatMap(({ needs, own }) => ownPlacesOf(needs.home, needs, own))]);
  const readable = looked(
    agents.flatMap(({ needs, own }) => ownPlacesOf([...needs.scratch, ...needs.readOnly], needs, own)),
  );
  const open = writable.flatMap(({ path, shown }) => (shown.kind === 'there' ? [path] : []));
  const troubles = [...writable, ...readable].flatMap(({ path, shown }) =>
    shown.kind === 'refused' ? [{ path, why: shown.why }] : [],
  );
  const inside = troubles.find(({ path }) => open.some((folder) => folder !== path && isBelow(path, folder)));
  if (inside !== undefined) throw putByAgent(inside.why);
  return troubles[0]?.why ?? null;
}

function putByAgent(why: string): ApplicationFailure {
  const parts = {
    what: `${why}.`,
    why: 'An agent of an earlier run could have put it there, so no run goes outside of the sandbox for it.',
    now: 'Nothing was started.',
    mend: 'Look where it leads, then put a file or folder of its own there; or set sandbox: off in the config of the user',
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.BadConfig, parts));
}

/** Ours would speak to the world past it. */
function proxyTrouble(env: Readonly<Record<string, string>>, { network }: SandboxPolicy): string | null {
  const name = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].find((one) => (env[one] ?? '') !== '');
  return network !== 'proxy' || name === undefined
    ? null
    : `${name} is set, and the proxy of the sandbox does not go through another one`;
}

function without({ use }: SandboxPolicy, why: string, mend: string): SandboxChoice {
  if (use !== 'required') return { kind: 'outside', why, expected: true };
  const parts = {
    what: `sandbox is required, and there is none: ${why}.`,
    why: 'With sandbox: required nothing of a run may run outside of one.',
    now: 'Nothing was started.',
    mend: `To mend it: ${mend}; look with: sluice doctor`,
  };
  throw ApplicationFailure.create(refusalFailure(FAILURES.BadConfig, parts));
}
