/**
 * Accounts whose usage limit was met on this host, in a small file of the sluice home (0600): no turn is started on one until its time has come.
 * It only spares turns that would be refused, the quota gate decides: an entry ends by itself, and a file that holds garbage holds nothing.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ACCOUNT } from '../agents/account.js';
import { replaceFile } from '../system/replace-file.js';
import { readJsonFile, underLock } from './private-file.js';

const FILE = 'closed-accounts.json';

/** A run has a handful of agents. */
const MAX_ACCOUNTS = 200;
const MAX_BYTES = 256 * 1024;

/** Longer than any entry is written for. */
const MAX_AHEAD_MS = 8 * 24 * 60 * 60 * 1000;

const time = z.iso.datetime({ offset: true });

const ENTRY = z.object({
  account: z.string().regex(ACCOUNT),
  /** What the provider said; null: nothing. */
  until: time.nullable(),
  expiresAt: time,
  /** The gate's word under which the turn that met the limit was started; null: none. */
  opening: z.string().max(1000).nullable(),
});

export type ClosedAccount = z.infer<typeof ENTRY>;

const SCHEMA = z.object({ version: z.literal(1), accounts: z.array(ENTRY).max(MAX_ACCOUNTS) });

const EMPTY: z.infer<typeof SCHEMA> = { version: 1, accounts: [] };

/** What holds now. **Unit** ms since 1970. */
export function closedAccounts(home: string, now: number): readonly ClosedAccount[] {
  return readKindly(pathIn(home)).filter(({ expiresAt }) => isAhead(expiresAt, now));
}

/** **Effects** one entry. **Errors** those of the file system. */
export async function closeAccount(home: string, closed: ClosedAccount, now: number): Promise<void> {
  await change(home, (accounts) => [
    closed,
    ...accounts
      .filter(({ account, expiresAt }) => account !== closed.account && isAhead(expiresAt, now))
      .slice(0, MAX_ACCOUNTS - 1),
  ]);
}

/** **Effects** removes the entry; nothing where there is none. */
export async function openAccount(home: string, account: string): Promise<void> {
  if (!readKindly(pathIn(home)).some((entry) => entry.account === account)) return;
  await change(home, (accounts) => accounts.filter((entry) => entry.account !== account));
}

async function change(home: string, next: (accounts: readonly ClosedAccount[]) => ClosedAccount[]): Promise<void> {
  const path = pathIn(home);
  await underLock(path, () => replaceFile(path, JSON.stringify({ version: 1, accounts: next(readKindly(path)) })));
}

function pathIn(home: string): string {
  return join(home, FILE);
}

/** Nothing of garbage is worth keeping, and whoever can write in the home could leave a pipe or a disk image there. */
function readKindly(path: string): readonly ClosedAccount[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > MAX_BYTES) return [];
  try {
    return readJsonFile(path, SCHEMA, EMPTY).accounts;
  } catch {
    return [];
  }
}

function isAhead(expiresAt: string, now: number): boolean {
  const at = Date.parse(expiresAt);
  return at > now && at - now <= MAX_AHEAD_MS;
}
