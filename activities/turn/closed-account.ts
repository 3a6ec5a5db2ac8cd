/**
 * What a host remembers of usage limits: a turn whose account is closed is answered without starting its agent, so that of many runs that meet
 * one limit only those that were at work call the provider. A quota gate's word to go on overrules it. Nothing here ever fails a turn.
 */

import { accountOf } from '../../config/agents/account.js';
import { type ClosedAccount, closeAccount, closedAccounts, openAccount } from '../../config/home/closed-accounts.js';
import { closedUntil, isoOf } from '../../protocol/actors/quota.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import type { Policy } from '../../protocol/run/policy.js';
import { stagePolicyOf } from '../agent/environment/turn-agent.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';

/** Which agent is to be started, and by which word of its quota gate. */
export interface AgentTried extends Pick<Policy, 'agents'> {
  readonly home: Pick<HostDeps['home'], 'root'>;
  readonly agent: string;
  /** As of `RunTurnInput.accountOpening`. */
  readonly opening: string | null;
}

export function triedIn({ deps, run, input }: Pick<TurnOnHost, 'deps' | 'run' | 'input'>): AgentTried {
  const { policy } = run.record;
  const { agent } = stagePolicyOf(policy, input);
  return { home: deps.home, agents: policy.agents, agent, opening: input.accountOpening };
}

/** Just before an agent is started. Null: it may be. */
export async function findClosedAccount(
  tried: AgentTried,
): Promise<Extract<TurnOutcome, { kind: 'usage_limit' }> | null> {
  const { home, opening } = tried;
  const account = accountIn(tried);
  if (account === null) return null;
  const closed = rememberedOf(tried, account);
  if (closed === null) return null;
  // The turn that met the limit was started under another word, or under none: the gate knows more than the host.
  if (opening !== null && closed.opening !== opening) {
    await openAccount(home.root, account).catch(() => undefined);
    return null;
  }
  const why = `the usage limit of ${account} was met before on this host${closed.until === null ? '' : ` and lasts until ${closed.until}`}; the agent was not started`;
  return { kind: 'usage_limit', why, until: closed.until };
}

/** Once an agent has ended. Idempotency: the same exit is the same entry. */
export async function rememberLimit(tried: AgentTried, outcome: TurnOutcome): Promise<void> {
  const account = accountIn(tried);
  if (outcome.kind !== 'usage_limit' || account === null) return;
  const now = Date.now();
  const { at } = closedUntil(outcome.until, now, 0);
  if (at <= now) return;
  const closed = { account, until: outcome.until, expiresAt: isoOf(at), opening: tried.opening };
  // A full disk costs a few turns more; the gate parks the runs all the same.
  await closeAccount(tried.home.root, closed, now).catch(() => undefined);
}

function rememberedOf({ home }: AgentTried, account: string): ClosedAccount | null {
  try {
    return closedAccounts(home.root, Date.now()).find((closed) => closed.account === account) ?? null;
  } catch {
    return null;
  }
}

/** Null for an agent that is not configured: that is found out elsewhere. */
function accountIn({ agents, agent }: AgentTried): string | null {
  const config = agents[agent];
  return config === undefined ? null : accountOf(agent, config);
}
