/** The accounts whose usage limit is reached: by the gates on the server, and by what this host remembers. */
import { closedAccounts } from '../../config/home/closed-accounts.js';
import type { ListedQuotaGate } from '../calls/quota-calls.js';
import type { Sluice } from '../sluice.js';

/** One account, as the server and this host know it. */
export interface LimitedAccount {
  readonly account: string;
  /** Null: the server knows no closed gate, or was not asked. */
  readonly gate: ListedQuotaGate | null;
  /** Until when no turn is started on this host; null: nothing is remembered. */
  readonly closedHere: string | null;
}

/** What a person is told who opens one of which nothing but this host knew. */
export const OPENED_HERE = 'turns are started on this host again; no run waited';

/** Sorted by account. */
export async function limitedAccounts(
  home: string,
  sluice: Pick<Sluice, 'quotaGates'> | null,
): Promise<readonly LimitedAccount[]> {
  const gates = new Map((sluice === null ? [] : await sluice.quotaGates()).map((gate) => [gate.account, gate]));
  const here = new Map(closedAccounts(home, Date.now()).map(({ account, expiresAt }) => [account, expiresAt]));
  const names = [...new Set([...gates.keys(), ...here.keys()])].toSorted();
  return names.map((account) => ({ account, gate: gates.get(account) ?? null, closedHere: here.get(account) ?? null }));
}
