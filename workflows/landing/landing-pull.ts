/** A head that is shown by a pull request: making that true, and looking at it. Pure. Source: T-80, K-108. */

import { forgeAccount, type QuotaWord } from '../../protocol/actors/quota.js';
import { quotaGateId } from '../../protocol/names.js';
import { doubleThenWait } from '../actor/back-off.js';
import { isoOf } from './landing-gates.js';
import type { LandingState, LandingStep, Pulling } from './landing-state.js';
import { LOOK, rest, type ShownHead, waitForPull } from './landing-steps.js';

/** Unit: ms; between a look and the next where somebody rang meanwhile. */
const RUNG_MS = 1_000;

/** Unit: ms; without news for so long it is looked at less and less. */
const QUIET_MS = 3_600_000;

/** Somebody or the policy wants it on the base; else people merge it. */
export function isWanted({ isAsked, terms }: LandingState): boolean {
  return isAsked || terms?.landing.mode === 'auto';
}

/** For the word of its gate, after the time that the forge named: one that is lost holds nothing for ever. */
const LOST_GATE_MS = 15 * 60_000;

const LEAST_WAIT_MS = 1_000;

interface OfPull extends ShownHead {
  /** It could not be shown before, and that is no news; missing: it is shown for the first time, or as something else. */
  readonly before?: Pick<Pulling, 'everyMs' | 'newsAtMs' | 'trouble'>;
}

/** The head is pushed and shown, by a draft unless it is wanted. */
export function showPull(state: LandingState, { head, now, before }: OfPull): LandingStep {
  const { runId, headRunId, base, run, pull, pushed, reactions } = state;
  const source = run?.source ?? null;
  if (source === null || base === null) return rest(state);
  const { host, repoKey } = source;
  const input = {
    repoKey,
    runId,
    headRunId,
    head,
    base,
    isDraft: !isWanted(state),
    pushed,
    number: pull?.number ?? null,
    notBefore: pull?.updatedAt ?? null,
    wasDraft: pull?.isDraft ?? null,
    answers: reactions.due,
  };
  // What was seen of it was of before.
  const unseen = pull === null ? null : { ...pull, decision: null, wasQueued: false };
  const phase = { ...waitForPull({ head, now }), ...before, isShown: false };
  return rest({ ...state, pull: unseen, phase }, [{ kind: 'ensurePull', workflowId: 'forge', host, input }]);
}

/** One look is enough for whatever asks for one meanwhile. At a gate it stays there. */
export function lookAtPull(state: LandingState, phase: Pulling): LandingStep {
  const { runId, run, pull } = state;
  const source = run?.source ?? null;
  if (source === null || pull === null) return rest(state);
  const { host, repoKey } = source;
  const input = { repoKey, runId, number: pull.number, notBefore: pull.updatedAt };
  const looking: Pulling = { ...phase, isRung: false, limit: null, lookAtMs: null };
  return rest(withPulling(state, looking), [{ kind: 'lookAtPull', workflowId: 'forge', host, input }]);
}

/** How a pull request is looked at just now; null: none is. */
export function pullingOf({ phase }: LandingState): Pulling | null {
  if (phase.kind === 'pull') return phase;
  return phase.kind === 'gated' ? phase.pulling : null;
}

function withPulling(state: LandingState, pulling: Pulling): LandingState {
  return { ...state, phase: state.phase.kind === 'gated' ? { ...state.phase, pulling } : pulling };
}

/** It is time, or somebody rang. */
export function lookAgain(state: LandingState, phase: Pulling, now: number): LandingStep {
  // What was to be made true could not be; by a look alone it would never be.
  const isToShow = state.phase.kind !== 'gated' && (state.pull === null || !phase.isShown);
  const { head, everyMs, newsAtMs, trouble } = phase;
  return isToShow ? showPull(state, { head, now, before: { everyMs, newsAtMs, trouble } }) : lookAtPull(state, phase);
}

export function waitForNews(state: LandingState, phase: Pulling, now: number): LandingStep {
  const isQuiet = now - phase.newsAtMs >= QUIET_MS;
  const { atMs, everyMs } = doubleThenWait(isQuiet ? phase : null, LOOK, now);
  const lookAtMs = phase.isRung ? now + RUNG_MS : atMs;
  return rest(withPulling(state, { ...phase, everyMs, isBack: false, lookAtMs }));
}

/** One look at a time, whoever rings how often. */
export function ringPull(state: LandingState, phase: Pulling, now: number): LandingStep {
  return phase.lookAtMs === null ? rest(withPulling(state, { ...phase, isRung: true })) : lookAgain(state, phase, now);
}

/** All that is of one owner waits for one clock. */
export function waitForLimit(before: LandingState, phase: Pulling, { until, now }: Limit): LandingStep {
  const { run, terms, self } = before;
  const forge = terms?.forge ?? null;
  if (run === null || forge === null) return rest(before);
  const state = { ...before, waits: before.waits + 1 };
  const wait = `${self}/${state.waits}`;
  const account = forgeAccount(forge.repo);
  // The clock of the forge may be behind ours.
  const untilMs = Math.max(Date.parse(until), now + LEAST_WAIT_MS);
  const workflowId = self.slice(0, self.lastIndexOf('/'));
  const park = {
    workflowId,
    wait,
    limit: 'rate',
    until: isoOf(untilMs),
    turnMs: LOOK.firstMs,
    overdue: false,
  } as const;
  return rest(withPulling(state, limited(phase, { wait, untilMs })), [
    { kind: 'park', workflowId: quotaGateId(account), input: { account, park } },
  ]);
}

interface Limit {
  /** ISO 8601. */
  readonly until: string;
  readonly now: number;
}

/** Of the gate at which it waits; about another wait it says nothing. */
export function hearGate(state: LandingState, news: QuotaWord, now: number): LandingStep {
  const phase = pullingOf(state);
  if (phase === null || phase.limit === null || phase.limit.wait !== news.wait) return rest(state);
  if ('opening' in news) return lookAgain(state, phase, now);
  return rest(withPulling(state, limited(phase, { wait: news.wait, untilMs: Date.parse(news.until) })));
}

function limited(phase: Pulling, limit: NonNullable<Pulling['limit']>): Pulling {
  return { ...phase, limit, lookAtMs: limit.untilMs + LOST_GATE_MS };
}
