/** The gates of a landing: when one opens, what a person decides there, and when it rings. Pure. Source: V-42, V-49. */
import type { LandingGate } from '../../protocol/actors/landing.js';
import { baseRefOf } from '../../protocol/actors/merge-queue.js';
import type { GateMessage } from '../../protocol/messages/message-rows.js';
import { pushedRefOf } from '../../protocol/names.js';
import { optionNamed } from '../../protocol/run/gate.js';
import type { GatesPolicy } from '../../protocol/run/policy.js';
import { shellWord } from '../../protocol/text/shell-word.js';
import { addGate, causeOf, openGateOf, resolveIn } from '../gates/gate-book.js';
import { NOT_RUNG, nextRing, type Ring } from '../gates/gate-clock.js';
import { decisionOf } from '../gates/gate-decision.js';
import { newGate } from '../gates/new-gate.js';
import type { LandingState, Phase } from './landing-state.js';
import { abandon, LOOK, waitForPull } from './landing-steps.js';

/** Why a head does not go to its queue before a person says so. */
export interface Missing {
  readonly reason: LandingGate;
  readonly why: string;
  readonly files?: readonly string[];
}

/** Before the host of the run was asked. */
const NO_TIMES: GatesPolicy = {
  stages: [],
  maxChangeRounds: 0,
  remindMs: null,
  escalateMs: null,
  expireMs: null,
  unattendedExpireMs: 0,
};

export function openGate(state: LandingState, { reason, why, files = [] }: Missing, now: number): LandingState {
  const { runId, run, isAsked, attended } = state;
  const owner = {
    policy: { gates: timesOf(state) },
    attended: isAsked || attended,
    subject: { runId, commit: run?.source?.head ?? null, round: 0 },
  };
  const options = waysOf({ reason, files });
  const asks = options === MENDED ? { requestedAction: byHand(state) } : {};
  const cause = causeOf('policy', why, { files, options, ...asks });
  const opening = { stage: 'landing', cause, alsoRequiredByPolicy: false } as const;
  const isFixable = state.terms?.canFix === true && !isByHand(state);
  const changesGoTo = isFixable && run !== null && run.source !== null ? ('fixing' as const) : null;
  const gate = newGate(owner, { ...opening, question: false, changesGoTo }, now);
  // People may merge meanwhile what is shown.
  const isShown = state.pull !== null && (state.phase.kind !== 'pull' || state.phase.isShown);
  const isAskable = isShown && run !== null && run.source !== null;
  const pulling = isAskable
    ? { ...waitForPull({ head: headOf(state.phase), now }), lookAtMs: now + LOOK.firstMs }
    : null;
  const phase: Phase = { kind: 'gated', reason, why, files, pulling };
  // What a person said of it before is used up.
  const waived = state.waived.filter((one) => one !== reason);
  // A repair that came to a gate took up nothing that could be answered.
  const reactions = state.phase.kind === 'repairing' ? { ...state.reactions, due: [] } : state.reactions;
  return { ...state, waived, phase, reactions, rung: NOT_RUNG, gates: addGate(state.gates, gate).gates };
}

/** What a person put in place of the head of the run's answer. */
function headOf(phase: Phase): string | null {
  if (phase.kind === 'pull') return phase.head;
  return phase.kind === 'queued' ? phase.entry.head : null;
}

/** What is on its way a person mended or pushed: a run, which begins at the head before that, would take it away again. */
export function isByHand(state: LandingState): boolean {
  const { phase, run } = state;
  if (phase.kind === 'opening') return isMended(state);
  const head = headOf(phase);
  return head !== null && head !== run?.source?.head;
}

type Way = 'resolved' | 'recreate' | 'land anyway' | 'abandon' | 'run again' | 'skip' | 'fail';

const MENDED: readonly Way[] = ['resolved', 'recreate', 'abandon'];
const REWRITTEN: readonly Way[] = ['recreate', 'land anyway'];
/** Source: K-105. */
const CLOSED: readonly Way[] = ['run again', 'skip', 'fail'];

/** The ways on, beside those of every gate; the first is the one that an approval takes. Null: it has but one. */
function waysOf({ reason, files }: Required<Pick<Missing, 'reason' | 'files'>>): readonly Way[] | null {
  if (reason === 'base_rewritten') return REWRITTEN;
  if (reason === 'pull_closed') return CLOSED;
  // Of a repair that failed: what it was to repair was a conflict.
  return reason === 'conflict' || (reason === 'repair_failed' && files.length > 0) ? MENDED : null;
}

function byHand({ headRunId, runId, base, terms, conflictAt, phase, theirs }: LandingState): string {
  const onto = base ?? 'the base';
  const forge = terms?.forge ?? null;
  // That of a forge is no branch here.
  const ref = forge === null ? onto : baseRefOf({ repoKey: forge.repo, branch: onto });
  // What somebody pushed is on no branch here, and nothing without it takes its place.
  const parts = theirs !== null && headOf(phase) === theirs ? [pushedRefOf(headRunId), ref] : [ref];
  const merge = [`cd "$(sluice path ${headRunId})"`, ...parts.map((one) => `git merge ${shellWord(one)}`)].join(' && ');
  return `The conflict is of ${conflictAt ?? 'now'}. By hand: ${merge}    mend the files, commit, then: sluice answer ${runId} resolved    Or merge it into ${onto} yourself, then the same.`;
}

/** Which of them a person takes; null: the gate has but one. */
export function wayOf({ gates }: LandingState, message: GateMessage): string | null {
  const ways = openGateOf(gates)?.options ?? null;
  if (ways === null) return null;
  return ways[message.name === 'answer' ? (optionNamed(ways, message.text) ?? 0) : 0] ?? null;
}

/** A person said that it was mended by hand, and agreed to no other head since. */
export function isMended({ waived }: LandingState): boolean {
  const said = waived.filter((reason) => MENDED_AT.includes(reason) || reason === 'pushed_by_other').at(-1);
  return said !== undefined && MENDED_AT.includes(said);
}

const MENDED_AT: readonly LandingGate[] = ['conflict', 'repair_failed'];

/** A person said that what somebody pushed to the branch on the forge lands. */
export function isTaken({ waived }: LandingState): boolean {
  return waived.includes('pushed_by_other');
}

/** A person said that it lands on a base that was rewritten. */
export function isAnyway({ waived }: LandingState): boolean {
  return waived.includes('base_rewritten');
}

/** The open gate is decided; where it stood is for the caller to say. */
export function decideGate(state: LandingState, message: GateMessage, now: number): LandingState {
  const open = openGateOf(state.gates);
  if (open === null) return state;
  const { line: _, ...decided } = decisionOf(message, open);
  const gates = resolveIn(state.gates, open.id, { ...decided, resolvedAt: isoOf(now) });
  return { ...state, gates };
}

/** To ask for it once more is to approve. */
export function passGate(state: LandingState, by: string | null, now: number): LandingState {
  return decideGate(state, { ...DECISION, decision: 'approve', by, note: null }, now);
}

/** To give it up is to reject. */
export function rejectGate(state: LandingState, { by, note }: Pick<Gave, 'by' | 'note'>, now: number): LandingState {
  return decideGate(state, { ...DECISION, decision: 'reject', by, note }, now);
}

type Gave = Extract<GateMessage, { name: 'approve' }>;

const DECISION = { name: 'approve', gate: null, openedAt: null, commit: null, requestId: null } as const;

/** What the open gate rings next. */
export function ringOf(state: LandingState): Ring | null {
  const open = openGateOf(state.gates);
  return open === null ? null : nextRing(timesOf(state), open, state.rung);
}

/** The time of `ring` has come. */
export function ringGate(state: LandingState, ring: Ring, now: number): LandingState {
  const open = openGateOf(state.gates);
  if (open === null) return state;
  if (ring.kind !== 'expire') return { ...state, rung: ring.after(now) };
  const expired = { status: 'expired', resolvedAt: isoOf(now), resolvedBy: null, decisionNote: null } as const;
  const gates = resolveIn(state.gates, open.id, { ...expired, guidance: null });
  const why = `nobody decided ${open.id} in time: ${open.reason}`;
  return abandon({ ...state, gates }, why).state;
}

function timesOf({ terms }: LandingState): GatesPolicy {
  return terms?.gates ?? NO_TIMES;
}

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
