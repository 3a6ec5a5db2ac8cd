/** Taking the pull request of a landing that a person holds, or gave up, out of the forge's own queue, until the forge has done it. Pure. */
import type { LeaveQueueResult } from '../../protocol/actors/forge.js';
import { type BackOff, waitThenDouble } from '../actor/back-off.js';
import type { LandingErrand } from './landing-errand.js';
import type { Abandoned, HeldByForge, LandingState, LandingStep, Paused, Phase } from './landing-state.js';
import { isRedThere, rest } from './landing-steps.js';

const LEAVE: BackOff = { firstMs: 60_000, lastMs: 15 * 60_000 };

/** Unit: ms; of one that is given up, since it lives for nothing else: by then a queue of the forge has merged it, or never does. */
const LEAVING_MS = 24 * 3_600_000;

/** What was not looked at since it went on may be there still. */
function mayBeThere({ pull }: LandingState): boolean {
  return pull !== null && (pull.decision === null || pull.decision.kind === 'queued');
}

/** Its pull request is no longer anybody's to take out, and shows nothing more: what is made of it another one shows. */
export function isMerged(state: LandingState): boolean {
  return state.pull?.decision?.kind === 'merged' || isRedThere(state);
}

/** Who gives a head up does not want the forge to merge it, and hears where somebody did so since the last look. */
export function giveUpPull(state: LandingState): readonly LandingErrand[] {
  return isMerged(state) ? [] : askToLeave(state);
}

function askToLeave({ runId, run, pull }: LandingState): readonly LandingErrand[] {
  const source = run?.source ?? null;
  if (source === null || pull === null) return [];
  const { host, repoKey } = source;
  return [{ kind: 'leaveQueue', workflowId: 'forge', host, input: { repoKey, runId, number: pull.number } }];
}

/** A person stops it for a while, and does not want the forge to merge it meanwhile. */
export function hold(state: LandingState, { why, repair }: Pick<Paused, 'why' | 'repair'>): LandingStep {
  return rest(
    { ...state, phase: { kind: 'paused', why, repair, held: null } },
    mayBeThere(state) ? askToLeave(state) : [],
  );
}

/** Null: it is nowhere, as far as is known. */
export function heldOf(phase: Phase): HeldByForge | null {
  return isOver(phase) ? phase.held : null;
}

/** It goes on though the forge may have it. */
export function forgetHeld(state: LandingState): LandingState {
  return heldOf(state.phase) === null ? state : forgetLook(state);
}

/** What a look showed before says nothing of what the forge has by now. */
export function forgetLook(state: LandingState): LandingState {
  return { ...state, pull: state.pull && { ...state.pull, decision: null } };
}

function isOver(phase: Phase): phase is Paused | Abandoned {
  return phase.kind === 'paused' || phase.kind === 'abandoned';
}

/** Who waits for it to pass is a person who paused it, or nobody. */
export function readLeft(state: LandingState, result: LeaveQueueResult, now: number): LandingStep {
  const { phase } = state;
  // Where it goes on by now the forge may have it.
  if (!isOver(phase)) return rest(state);
  // What is paused is seen there once it goes on, and looked at as what was wanted.
  if (result.kind === 'merged' && result.base === state.base && phase.kind === 'abandoned')
    return rest({ ...state, phase: { kind: 'merged', commit: result.commit } });
  // Who only wanted to know whether it was merged is not told that the forge may do so.
  if (result.kind === 'left' || result.kind === 'merged' || !mayBeThere(state))
    return rest({ ...state, phase: { ...phase, held: null } });
  const { sinceMs = now } = phase.held ?? {};
  // A token, or the name of a repository, may be mended within the day.
  const mayPass = result.kind !== 'refused';
  const isTried = phase.kind === 'paused' || (mayPass && now - sinceMs < LEAVING_MS);
  const { atMs, everyMs } = waitThenDouble(phase.held, LEAVE, now);
  const againMs = Math.max(atMs, result.kind === 'limited' ? Date.parse(result.until) : 0);
  const why = `${result.kind.replace('_', ' ')}: ${result.why}`;
  const times = { sinceMs, tryAtMs: isTried ? againMs : null, everyMs };
  return rest({ ...state, phase: { ...phase, held: { why, ...times } } });
}

export function leaveAgain(state: LandingState, now: number): LandingStep {
  const { phase } = state;
  if (!isOver(phase) || phase.held === null || phase.held.tryAtMs === null || now < phase.held.tryAtMs)
    return rest(state);
  return rest({ ...state, phase: { ...phase, held: { ...phase.held, tryAtMs: null } } }, askToLeave(state));
}
