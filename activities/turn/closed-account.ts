/**
 * What a host remembers of usage limits: a turn whose account is closed is answered without starting its agent, so that of many runs that meet
 * one limit only those that were at work call the provider. A quota gate's word to go on overrules it. Nothing here ever fails a turn.
 */

import { accountOf } from '../../config/agents/account.js';
import { type ClosedAccount, closeAccount, closedAccounts, openAccount } from '../../config/home/closed-accounts.js';
import { closedUntil, isoOf } from '../../protocol/actors/quota.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import { stagePolicyOf } from '../agent/environment/turn-agent.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';
import { WorktreeNotReady } from './order-worktree.js';

type Asked = Pick<TurnOnHost, 'deps' | 'run' | 'input'>;

/** Just before an agent is started. Errors: WorktreeNotReady, with the usage limit as outcome. */
export async function refuseClosedAccount(context: Asked): Promise<void> {
  const { deps, input } = context;
  const account = accountIn(context);
  if (account === null) return;
  const closed = rememberedOf(context, account);
  if (closed === null) return;
  // The turn that met the limit was started under another word, or under none: the gate knows more than the host.
  if (input.accountOpening !== null && closed.opening !== input.accountOpening) {
    await openAccount(deps.home.root, account).catch(() => undefined);
    return;
  }
  const why = `the usage limit of ${account} was met before on this host${closed.until === null ? '' : ` and lasts until ${closed.until}`}; the agent was not started`;
  throw new WorktreeNotReady({
    outcome: { kind: 'usage_limit', why, until: closed.until },
    started: false,
    observations: [],
  });
}

/** Once an agent has ended. Idempotency: the same exit is the same entry. */
export async function rememberLimit(context: Asked, outcome: TurnOutcome): Promise<void> {
  const account = accountIn(context);
  if (outcome.kind !== 'usage_limit' || account === null) return;
  const now = Date.now();
  const { at } = closedUntil(outcome.until, now, 0);
  if (at <= now) return;
  const closed = { account, until: outcome.until, expiresAt: isoOf(at), opening: context.input.accountOpening };
  // A full disk costs a few turns more; the gate parks the runs all the same.
  await closeAccount(context.deps.home.root, closed, now).catch(() => undefined);
}

function rememberedOf({ deps }: Asked, account: string): ClosedAccount | null {
  try {
    return closedAccounts(deps.home.root, Date.now()).find((closed) => closed.account === account) ?? null;
  } catch {
    return null;
  }
}

/** Null for an agent that is not configured: that is found out elsewhere. */
function accountIn({ run, input }: Asked): string | null {
  const { policy } = run.record;
  const { agent } = stagePolicyOf(policy, input);
  const config = policy.agents[agent];
  return config === undefined ? null : accountOf(agent, config);
}
