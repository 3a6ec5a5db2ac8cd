/** How a landing begins: what the run answered, and what the base and the policy ask for before its head goes to the merge queue. Pure. */
import type { FindBaseResult, FindKeptResult, LandingTerms, RunEnd, RunToLand } from '../../protocol/actors/landing.js';
import type { RunSource } from '../../protocol/messages/messages.js';
import { headRefOf } from '../../protocol/names.js';
import type { LandingNeeds } from '../../protocol/run/landing-policy.js';
import { shellWord } from '../../protocol/text/shell-word.js';
import { waitThenDouble } from '../actor/back-off.js';
import { isMended, isTaken, type Missing, openGate } from './landing-gates.js';
import { isWanted, showPull } from './landing-pull.js';
import { enqueue } from './landing-queue.js';
import type { LandingState, LandingStep } from './landing-state.js';
import { abandon, OPENING, rest } from './landing-steps.js';

export function readRun(before: LandingState, answer: RunToLand, now: number): LandingStep {
  // What an earlier answer said counts no more.
  const state = answer.kind === 'answer' ? { ...before, owner: ownerOf(before, answer) } : { ...before, run: null };
  const { headRunId: runId, phase } = state;
  if (answer.kind === 'open') {
    // One that nobody asked for yet is told by the run itself, which is about to close.
    if (state.isAsked || phase.kind !== 'opening')
      return rest(openGate(state, { reason: 'no_answer', why: `the run ${runId} is not closed yet` }, now));
    const { atMs: lookAtMs, everyMs } = waitThenDouble(phase, OPENING, now);
    return rest({ ...state, phase: { ...phase, lookAtMs, everyMs, trouble: null } });
  }
  if (answer.kind === 'none') return rest(state, [{ kind: 'findKept', workflowId: runId, runId, host: answer.host }]);
  const { outcome, verdict, source } = answer;
  if (source === null)
    return rest(openGate(state, { reason: 'nothing_left', why: `the run ${runId} changed nothing` }, now));
  return findBase({ ...state, run: { outcome, verdict, source } }, source);
}

/** Of the run that was asked for; a repair of it works for the landing. */
function ownerOf({ headRunId, runId, owner }: LandingState, answer: { readonly owner?: string | null }): string | null {
  return headRunId === runId ? (answer.owner ?? null) : owner;
}

/** Of a run that ended without an answer. */
export function readKept(state: LandingState, kept: FindKeptResult, now: number): LandingStep {
  if (state.phase.kind !== 'opening') return rest(state);
  if (kept.kind === 'kept')
    return findBase({ ...state, run: { outcome: null, verdict: null, source: kept.source } }, kept.source);
  const why = `the server knows no answer of the run ${state.headRunId}, and ${kept.why}`;
  return rest(openGate(state, { reason: 'no_answer', why }, now));
}

function findBase(state: LandingState, { host, repoKey, head, base }: RunSource): LandingStep {
  const { headRunId: runId, onto } = state;
  const input = { repoKey, runId, base: onto ?? base.branch, mended: isMended(state) ? head : null };
  return rest(state, [{ kind: 'findBase', workflowId: runId, host, input }]);
}

export function readBase(state: LandingState, found: FindBaseResult, now: number): LandingStep {
  if (found.terms.landing.mode === 'off') return abandon(state, 'landing.mode is off in the policy of the run');
  if (found.kind === 'refused') return rest(openGate(state, { reason: 'no_base', why: found.why }, now));
  const { branch, head } = found;
  const based = { ...state, base: branch, since: branch === state.base ? state.since : null };
  if (found.terms.landing.mode === 'watch' && !state.isAsked) return enqueue(based, { branch, watch: true, head }, now);
  const { forge } = found.terms;
  const { theirs, run, pushed } = state;
  if (forge !== null && run?.outcome === null) return rest(openGate(based, unshown(based, found.terms), now));
  const missing = forge === null || isWanted(based) ? missingOf(based) : null;
  if (missing !== null) return rest(openGate(based, missing, now));
  if (forge === null) return enqueue(based, { branch, watch: false, head }, now);
  if (theirs !== null && head === null && isTaken(state))
    return showPull({ ...based, pushed: theirs }, { head: theirs, now });
  // What a person pushed there only a head that contains it may take on.
  return showPull({ ...based, pushed: pushed === theirs ? null : pushed }, { head, now });
}

/** A forge gets only what the run's own answer names, which is also what the terms of the run are checked by: no approval brings one. */
function unshown({ headRunId: runId }: LandingState, { repo, branch }: LandingTerms): Missing {
  const push = `git -C ${shellWord(repo)} push <remote> ${shellWord(`${headRefOf(runId)}:refs/heads/${branch}`)}`;
  const why = `the run ${runId} ended without an answer, so nothing of it is pushed to the forge. What its host kept of it people take there: ${push}    then: sluice reject ${runId}`;
  return { reason: 'no_answer', why };
}

/** What a person must agree to first. Source: V-42. */
export function missingOf({ headRunId: runId, run, terms, isAsked, waived }: LandingState): Missing | null {
  const missing: readonly (Missing | null)[] = [
    run?.outcome === 'merge_ready' ? null : notReady(runId, run),
    isAsked ? null : unmetNeeds(run, terms?.landing.needs ?? 'verified'),
    terms?.gates.stages.includes('landing') === true
      ? { reason: 'listed', why: 'the policy asks for a person before landing' }
      : null,
  ];
  return missing.find((one) => one !== null && !waived.includes(one.reason)) ?? null;
}

function notReady(runId: string, run: RunEnd | null): Missing {
  if (typeof run?.outcome === 'string')
    return { reason: 'not_merge_ready', why: `the run ${runId} ended ${run.outcome}` };
  const kept = `what its host kept of it, ${run?.source?.head.slice(0, 12) ?? 'nothing'}, lands once it is approved, checked`;
  return { reason: 'no_answer', why: `the run ${runId} ended without an answer; ${kept}` };
}

function unmetNeeds(run: RunEnd | null, needs: LandingNeeds): Missing | null {
  if (run?.verdict === 'verified') return null;
  if (needs === 'checked' && run?.source?.evidence?.outcome === 'passed') return null;
  const has = needs === 'verified' ? `the verdict ${run?.verdict ?? 'none'}` : 'no green checks of its tree';
  return { reason: 'needs', why: `landing.needs is ${needs}, and the run has ${has}` };
}
