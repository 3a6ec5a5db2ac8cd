/** The words about a landing: what it is doing, what a person must do. Pure; foreign text is made printable by whoever prints it. */

import type { LandingView, PullView } from '../../protocol/actors/landing.js';
import { optionList } from '../../protocol/run/gate.js';
import { localTime } from './local-time.js';

type Told = Pick<
  LandingView,
  'runId' | 'merge' | 'base' | 'entry' | 'pull' | 'repair' | 'commit' | 'gate' | 'waits' | 'paused' | 'abandoned'
>;

/** What a pull request waits for, by the last look. */
const PULL_WORDS: Readonly<Record<NonNullable<PullView['at']>, string>> = {
  merged: 'it is merged',
  closed: 'it is closed',
  retargeted: 'it has another base',
  pushed: 'somebody pushed to its branch',
  queued: 'it is in the merge queue of the forge',
  conflict: 'it is in conflict with its base',
  changes_requested: 'changes are requested',
  checks_failed: 'required checks failed',
  checks_pending: 'required checks are pending',
  checks_timed_out: 'required checks are pending for too long',
  draft: 'it is a draft',
  review: 'a review is missing',
  unknown: 'the forge does not know yet whether it merges',
  ready: 'it may be merged',
};

/** Only people go on with it. */
const FOR_PEOPLE: readonly PullView['at'][] = ['draft', 'review'];

/** Nothing more happens by itself, or not before the base is free. */
export function isSettled({
  merge,
  entry,
  pull,
  gate,
  paused,
}: Pick<Told, 'merge' | 'entry' | 'pull' | 'gate' | 'paused'>): boolean {
  if (merge === 'merged' || merge === 'abandoned') return true;
  if (entry === null && pull !== null && FOR_PEOPLE.includes(pull.at)) return true;
  return gate !== null || paused !== null || entry?.state === 'ready' || entry?.state === 'watched';
}

/** Nobody asked for it, and somebody else merges it. */
export function isLeftToPeople({
  entry,
  pull,
  gate,
  paused,
}: Pick<Told, 'entry' | 'pull' | 'gate' | 'paused'>): boolean {
  return gate === null && paused === null && (entry === null ? pull?.at === 'draft' : entry.state === 'watched');
}

/** One line. */
export function landingLine(view: Told): string {
  return `${view.runId} ${stateText(view)}`;
}

/** Of a gate; empty where nobody is asked. */
export function gateLines({ runId, gate, gates }: Pick<LandingView, 'runId' | 'gate' | 'gates'>): readonly string[] {
  if (gate === null) return [];
  const { requestedAction = null, options = null } = gates.find(({ id }) => id === gate.id) ?? {};
  return [
    ...gate.files,
    ...(requestedAction === null ? [] : [requestedAction]),
    `decide it: sluice approve ${runId}    or: sluice reject ${runId}`,
    ...(options === null ? [] : [`or: sluice answer ${runId} <number>    of: ${optionList(options)}`]),
  ];
}

/** The same without the run. */
export function stateText(view: Told): string {
  const { runId, merge, base, entry, pull, repair, commit, gate, waits, paused, abandoned } = view;
  const onto = base ?? 'its base';
  if (merge === 'merged') return `has landed on ${onto}${commit === null ? '' : `: ${commit.slice(0, 12)}`}`;
  if (merge === 'abandoned') return `does not land: ${abandoned ?? 'given up'}`;
  if (paused !== null) return `is ${paused}; it goes on with: sluice resume ${runId}`;
  if (gate !== null) return `waits for a person (${gate.reason.replaceAll('_', ' ')}): ${gate.why}`;
  if (repair !== null) return repairText(repair, waits);
  switch (entry?.state) {
    case 'waiting':
      return `waits its turn to land on ${onto}${entry.why === null ? '' : `: ${entry.why}`}`;
    case 'landing':
      return `is merged with ${onto} and checked`;
    case 'watched':
      return `waits for somebody else to merge it into ${onto}; to land it now: sluice land ${runId}`;
    case 'ready':
      return `is checked and ready for ${onto}${entry.why === null ? '' : `, but ${entry.why}`}`;
    default:
      if (entry === null && waits !== null) return `waits, and is tried again: ${waits}`;
      if (entry === null && pull !== null) return pullText(pull);
      return entry === null ? 'is looked at' : `is sent to the merge queue of ${onto}`;
  }
}

function repairText({ runId, why }: NonNullable<Told['repair']>, waits: Told['waits']): string {
  const is = runId === null ? `is to be mended: ${why}` : `is mended by the run ${runId}: ${why}`;
  return waits === null ? is : `${is}; that waits, and is tried again: ${waits}`;
}

/** Of one that is with no queue of ours. */
export function pullText({ number, url, at, limitedUntil }: PullView): string {
  const waits = at === null ? '' : `: ${PULL_WORDS[at]}`;
  return `is pull request ${number}, ${url}${limitedUntil === null ? waits : `: the forge takes no more requests until ${localTime(limitedUntil)}`}`;
}
