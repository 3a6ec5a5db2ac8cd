/** What the fake forge does wrong in the scenario `landing-forge`, at which request of an undisturbed landing. */
import type { Fault, LogEntry } from '../../../support/forge/faults.js';
import type { ForgeCourse } from '../cells.js';
import { A_PERSON, type ForgeBase, type ForgeWorld } from './forge-world.js';

export interface ForgeFault {
  readonly course: ForgeCourse;
  readonly request: string;
  /** Of that request in the landing. */
  readonly nth: number;
  readonly what: string;
  /** Nobody has asked for the landing by then: what a person merges is theirs alone. */
  readonly isUnasked: boolean;
  /** Within a cell. */
  readonly make: (world: ForgeWorld, base: ForgeBase) => Fault;
}

type Where = 'any' | 'write' | 'graphql' | 'read' | 'pull';

export const LATE_MERGE = 'late merge';

/** Git asks for the same in several activities, in the same way. */
const MAX_OF_GIT = 2;

/** `where`: `read`: what shows pull requests; `write`: what changes something but by git; `pull`: once there is one. */
const KINDS: readonly (readonly [what: string, where: Where, ForgeFault['make']])[] = [
  ['500', 'any', () => ({ kind: 'error' })],
  ['502 after the work', 'any', () => ({ kind: 'error_after' })],
  ['hang', 'any', () => ({ kind: 'hang' })],
  ['dropped answer', 'any', () => ({ kind: 'dropped' })],
  ['applied twice', 'any', () => ({ kind: 'twice' })],
  ['stale for 10 s', 'read', () => ({ kind: 'of_before', ms: 10_000 })],
  ['403 with retry-after', 'any', () => ({ kind: 'limited', by: 'retry-after' })],
  ['200 RATE_LIMITED', 'graphql', () => ({ kind: 'limited', by: 'graphql' })],
  ['422', 'write', () => ({ kind: 'status', status: 422, message: 'Validation Failed' })],
  ['409', 'write', () => ({ kind: 'status', status: 409, message: 'Head branch was modified. Review and try again.' })],
  ['405 base modified', 'write', moveBase],
  ['late head', 'pull', (world) => ({ kind: 'before', act: () => pushLate(world) })],
  [LATE_MERGE, 'pull', (world) => ({ kind: 'before', act: () => mergeByHand(world) })],
];

export function faultsAt(course: ForgeCourse, log: readonly LogEntry[]): readonly ForgeFault[] {
  const counts = new Map<string, number>();
  const faults: ForgeFault[] = [];
  let isShown = course === 'pushed';
  let isUnasked = course === 'ruled';
  for (const { request, at, status } of certainOf(log)) {
    if (request === 'POST pulls' && at === 'done') isShown = true;
    if (request === 'MarkReady') isUnasked = false;
    // Faults are of those alone who say who they are.
    if (at !== 'came' || status === 401) continue;
    const nth = (counts.get(request) ?? 0) + 1;
    counts.set(request, nth);
    if (request.startsWith('git ') && nth > MAX_OF_GIT) continue;
    for (const [what, where, make] of KINDS)
      if (isFor(where, request, isShown)) faults.push({ course, request, nth, what, isUnasked, make });
  }
  return faults;
}

/** What comes after the look behind it depends on when the forge's own queue merges. */
function certainOf(log: readonly LogEntry[]): readonly LogEntry[] {
  const handed = log.findLastIndex(({ request }) => request === 'Enqueue');
  return handed < 0 ? log : log.slice(0, handed + 2);
}

export function nameOfFault({ course, request, nth, what }: ForgeFault): string {
  return `${what} at ${request} ${nth} (${course})`;
}

function isFor(where: Where, request: string, isShown: boolean): boolean {
  const isGit = request.startsWith('git ');
  const isRest = /^[A-Z]+ /.test(request);
  const isRead = /^GET |^PullState$/.test(request);
  switch (where) {
    case 'any':
      return true;
    case 'write':
      return !isGit && !isRead;
    case 'graphql':
      return !isGit && !isRest;
    case 'read':
      return isRead;
    case 'pull':
      return isShown;
  }
}

/** Somebody lands something of theirs, and the forge says so. */
function moveBase({ forge }: ForgeWorld, { branch, others }: ForgeBase): Fault {
  const act = () => void others.push(forge.state.commit(branch, 'others.txt', 'others\n'));
  return { kind: 'status', status: 405, message: 'Base branch was modified. Review and try the merge again.', act };
}

function pushLate({ forge, branches }: ForgeWorld): void {
  for (const branch of branches) forge.state.commit(branch, 'late.txt', 'late\n');
}

/** By a person, whatever the rules are for others. */
function mergeByHand({ forge }: ForgeWorld): void {
  for (const pull of forge.state.pulls.filter(({ state }) => state === 'open')) forge.state.merge(pull, A_PERSON);
}
