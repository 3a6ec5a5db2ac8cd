/**
 * Git to a forge: the only one with a network. It goes to one address that trusted config names, from a private git dir, with neither a person's credentials nor a remote's name, and follows
 * no redirect. What a push came to is read back from the forge: its answer may be lost.
 */

import type { Failpoint } from '../../../protocol/failpoints.js';
import { MAX_SENTENCE_CHARS } from '../../../protocol/limits.js';
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import type { GitResult } from '../runner/start-git.js';
import { servingToken, type TokenServing } from './serve-token.js';

export interface ForgeRemote extends TokenServing {
  /** `owner/name`. */
  readonly repo: string;
  readonly failpoint: Failpoint;
}

export type RemoteTrouble =
  | { readonly kind: 'unauthorized' | 'missing_scope' | 'gone' | 'moved' | 'unreachable'; readonly why: string }
  /** The forge has it and will not. */
  | { readonly kind: 'refused'; readonly why: string };

const NETWORK_LIMITS = { limitMs: 5 * 60_000 };

/** Bytes a second, and for how long at least: a forge that hangs holds nobody up. */
const SLOW = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=30'] as const;

const NO_STORE = ['-c', 'credential.helper=', '-c', 'http.followRedirects=false', '-c', 'http.extraHeader='] as const;

/** What git says, in `LC_ALL=C`, of what kept it from the forge. Source: http.c, remote-curl.c of git 2.39. */
const SAID: readonly (readonly [RegExp, RemoteTrouble['kind']])[] = [
  [/Authentication failed|could not read (?:Username|Password)|returned error: 401/, 'unauthorized'],
  [/returned error: 30[1278]|unable to update url base from redirection/, 'moved'],
  [/not found|returned error: 404|\b(?:is|was) archived\b/i, 'gone'],
  [/returned error: 403/, 'missing_scope'],
];

/** The branch's commit there; null: there is no such branch. */
export async function readRemoteBranch(
  git: PrivateGitDir,
  remote: ForgeRemote,
  branch: string,
): Promise<{ readonly kind: 'read'; readonly at: string | null } | RemoteTrouble> {
  const ref = `refs/heads/${branch}`;
  const result = await reach(git, remote, ['ls-remote', '--refs', urlOf(remote), ref]);
  if (result.exitCode !== 0) return remoteTroubleOf(result);
  const line = result.stdout.split('\n').find((text) => text.endsWith(`\t${ref}`));
  return { kind: 'read', at: line?.split('\t')[0] ?? null };
}

/**
 * The branch as it is there, with its objects beside those of the repository; null: there is no such branch. `have`: a commit that is here, of its history, so that not all of
 * that comes.
 */
export async function fetchBranch(
  git: PrivateGitDir,
  remote: ForgeRemote,
  { branch, have }: { readonly branch: string; readonly have: string },
): Promise<{ readonly kind: 'fetched'; readonly at: string | null } | RemoteTrouble> {
  const at = await readRemoteBranch(git, remote, branch);
  if (at.kind !== 'read') return at;
  if (at.at === null || at.at === have) return { kind: 'fetched', at: at.at };
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  const tips = ['--no-recurse-submodules', `--negotiation-tip=${have}`];
  // What it is now may be newer than what was just read.
  const result = await reach(git, remote, [...args, ...tips, urlOf(remote), `+refs/heads/${branch}:${FETCHED}`]);
  if (result.exitCode !== 0) return remoteTroubleOf(result);
  return { kind: 'fetched', at: (await git.run(['rev-parse', '--verify', FETCHED])).trim() };
}

/** Of the private git dir. */
const FETCHED = 'refs/forge/fetched';

export interface BranchPush {
  readonly branch: string;
  /** Where it stands there; null: it is not there. */
  readonly from: string | null;
  readonly to: string;
  /** Another branch that must stand there for this push to happen, as the forge lists it when it is made. */
  readonly beside?: { readonly branch: string; readonly at: string };
}

export type PushOutcome =
  | { readonly kind: 'pushed' }
  /** Somebody moved it, or the one beside it. */
  | { readonly kind: 'moved_by_other'; readonly branch: string; readonly at: string | null }
  | RemoteTrouble;

/** Idempotency: what stands there already is pushed. One git, unless it is refused: nothing is sent before the lease is held against what the forge lists. */
export async function pushBranch(git: PrivateGitDir, remote: ForgeRemote, push: BranchPush): Promise<PushOutcome> {
  const { branch, from, to, beside } = push;
  const ref = `refs/heads/${branch}`;
  remote.failpoint('forge.before-push');
  const args = ['push', '--porcelain', '--no-verify', '--no-signed', '--recurse-submodules=no'];
  // What stands there already is sent by no push, but its lease is kept all the same, and both or none are moved.
  const other = beside === undefined ? [] : [{ to: beside.at, from: beside.at, ref: `refs/heads/${beside.branch}` }];
  const all = [{ to, from, ref }, ...other];
  const leases = all.map((one) => `--force-with-lease=${one.ref}:${one.from ?? ''}`);
  const specs = all.map((one) => `${one.to}:${one.ref}`);
  const result = await reach(git, remote, [...args, '--atomic', ...leases, urlOf(remote), ...specs]);
  remote.failpoint('forge.after-push');
  if (result.exitCode === 0) return { kind: 'pushed' };
  const after = await readRemoteBranch(git, remote, branch);
  if (after.kind !== 'read') return after;
  if (after.at === to) return { kind: 'pushed' };
  if (after.at !== from) return { kind: 'moved_by_other', branch, at: after.at };
  if (beside !== undefined) {
    const stands = await readRemoteBranch(git, remote, beside.branch);
    if (stands.kind !== 'read') return stands;
    if (stands.at !== beside.at) return { kind: 'moved_by_other', branch: beside.branch, at: stands.at };
  }
  // Of `--porcelain`: a line of its own for each ref that was refused.
  const line = result.stdout.split('\n').find((text) => text.startsWith('!\t'));
  return line === undefined ? remoteTroubleOf(result) : refusedPush(line, result.stderr);
}

/** What the forge says of itself, not of what was pushed: the same push may go through a moment later. */
const OWN_TROUBLE = /internal (?:server )?error|failed to report status|service unavailable|timed out/i;

/** `line`: of `git push --porcelain` for the ref. Pure. */
export function refusedPush(line: string, stderr: string): RemoteTrouble {
  const why = refusalOf(line, stderr);
  return { kind: OWN_TROUBLE.test(why) ? 'unreachable' : 'refused', why };
}

/** The line says that it is refused; what the forge adds, such as the rule, comes as lines of its own. */
function refusalOf(line: string, stderr: string): string {
  const said = stderr.split('\n').flatMap((text) => /^remote: (?:error: )?(.*\S)/.exec(text)?.[1] ?? []);
  return [line.split('\t').slice(2).join(' '), ...said].join(' ').slice(0, MAX_SENTENCE_CHARS);
}

function urlOf({ origin, repo }: ForgeRemote): string {
  return `${origin.replace('//', '//x-access-token@')}/${repo}.git`;
}

function reach(git: PrivateGitDir, remote: ForgeRemote, args: readonly string[]): Promise<GitResult> {
  return servingToken(remote, (askpass) =>
    git.try([...NO_STORE, ...SLOW, ...args], {
      env: {
        GIT_ALLOW_PROTOCOL: new URL(remote.origin).protocol === 'http:' ? 'http' : 'https',
        GIT_ASKPASS: askpass,
      },
      limits: NETWORK_LIMITS,
    }),
  );
}

/** Addresses and refs, in which people name repositories and branches. */
const NAMES = /(?:https?:\/\/|refs\/)[^\s']+/g;

/** Pure. */
export function remoteTroubleOf({ stderr, limit }: Pick<GitResult, 'stderr' | 'limit'>): RemoteTrouble {
  const why = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, 3)
    .join(' ')
    .slice(0, MAX_SENTENCE_CHARS);
  if (limit !== undefined) return { kind: 'unreachable', why };
  const said = stderr.replace(NAMES, '');
  return { kind: SAID.find(([words]) => words.test(said))?.[1] ?? 'unreachable', why };
}
