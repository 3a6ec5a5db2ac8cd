/**
 * What is made of each look at a pull request: it is sent to the merge queue once it is wanted and may be merged, and a person is asked for what only a person can mend. It is decided by
 * one look, never by what was asked last. Pure. Source: T-64, K-105.
 */
import { decidePull, type PullDecision } from '../../protocol/actors/decide-pull.js';
import type { EnsurePullResult, ForgeTrouble, LookAtPullResult, PullState } from '../../protocol/actors/forge.js';
import type { ForgeTerms } from '../../protocol/actors/landing.js';
import { isoOf, type Missing, openGate } from './landing-gates.js';
import { isWanted, lookAtPull, showPull, waitForNews } from './landing-pull.js';
import { enqueue } from './landing-queue.js';
import type { LandingState, LandingStep, Pull, Pulling } from './landing-state.js';
import { rest } from './landing-steps.js';

const LEAST_WAIT_MS = 1_000;

export function readEnsured(state: LandingState, result: EnsurePullResult, now: number): LandingStep {
  if (state.phase.kind !== 'pull') return rest(state);
  const { phase } = state;
  if (result.kind === 'pushed_by_other') return meetOthersHead(state, phase, { at: result.at, now });
  if (result.kind !== 'pull') return meetTrouble(state, phase, { trouble: result, now });
  const { number, url, head: pushed, isDraft, updatedAt } = result;
  const shownAt = state.pushed === pushed ? state.pull?.shownAt : undefined;
  const pull: Pull = { number, url, isDraft, shownAt: shownAt ?? isoOf(now), updatedAt, decision: null };
  return lookAtPull({ ...state, pushed, pull }, phase);
}

export function readPull(state: LandingState, result: LookAtPullResult, now: number): LandingStep {
  const { phase, pull, terms } = state;
  if (phase.kind !== 'pull' || pull === null || terms === null || terms.forge === null) return rest(state);
  if (result.kind !== 'pull') return meetTrouble(state, phase, { trouble: result, now });
  const decision = decide(state, { pull, forge: terms.forge, seen: result.pull, now });
  const newsAtMs = pull.decision?.kind === decision.kind ? phase.newsAtMs : now;
  const theirs = decision.kind === 'pushed' ? decision.head : state.theirs;
  const seen: LandingState = { ...state, theirs, pull: { ...pull, decision } };
  return follow(seen, { phase: { ...phase, newsAtMs }, decision, pull, now });
}

interface Look {
  readonly pull: Pull;
  readonly forge: ForgeTerms;
  readonly seen: PullState;
  readonly now: number;
}

function decide({ base, pushed }: LandingState, { pull, forge, seen, now }: Look): PullDecision {
  return decidePull(seen, {
    ...{ head: pushed ?? seen.head, base: base ?? seen.base, since: pull.shownAt, now: isoOf(now) },
    checksTimeoutMs: forge.checksTimeoutMs,
  });
}

interface Decided {
  readonly phase: Pulling;
  readonly decision: PullDecision;
  /** As it was known before the look. */
  readonly pull: Pull;
  readonly now: number;
}

function follow(state: LandingState, { phase, decision, pull, now }: Decided): LandingStep {
  const { base } = state;
  if (decision.kind === 'merged') return meetMerged(state, phase, { merged: decision, now });
  const missing = missingFrom(decision, pull);
  if (missing !== null && (isWanted(state) || decision.kind === 'closed')) return rest(openGate(state, missing, now));
  if (!isWanted(state) || base === null) return waitForNews(state, phase, now);
  switch (decision.kind) {
    // The merge queue finds out what is in conflict, and has it repaired.
    case 'conflict':
    case 'ready':
      return enqueue(state, { branch: base, watch: false, head: phase.head }, now);
    case 'draft':
      // One that a person made a draft again is not ready for them.
      return pull.isDraft ? showPull(state, { head: phase.head, now }) : waitForNews(state, phase, now);
    default:
      return waitForNews(state, phase, now);
  }
}

interface SeenMerged {
  readonly merged: Extract<PullDecision, { readonly kind: 'merged' }>;
  readonly now: number;
}

/** By whom is no question. Where somebody wanted it on the base, the merge queue looks at what it came to there, which may be another tree than the checked one. */
function meetMerged(state: LandingState, phase: Pulling, { merged, now }: SeenMerged): LandingStep {
  const { base, waived, pull } = state;
  const isAgreed = waived.includes('landed_red') || waived.includes('pull_retargeted');
  if (!isWanted(state) || base === null || isAgreed)
    return rest({ ...state, phase: { kind: 'merged', commit: merged.commit } });
  if (merged.base === base) return enqueue(state, { branch: base, watch: false, head: phase.head }, now);
  const why = `pull request ${pull?.number} (${pull?.url}) was merged into ${merged.base}, and not into ${base}`;
  return rest(openGate(state, { reason: 'pull_retargeted', why }, now));
}

/** What only a person can mend where somebody wants it on the base; null: it passes. */
function missingFrom(decision: PullDecision, { number, url }: Pull): Missing | null {
  const it = `pull request ${number} (${url})`;
  switch (decision.kind) {
    case 'closed':
      return { reason: 'pull_closed', why: `${it} was closed without a merge` };
    case 'retargeted':
      return { reason: 'pull_retargeted', why: `${it} is to be merged into ${decision.base} now` };
    case 'pushed':
      return pushedByOther(decision.head);
    case 'changes_requested':
      return { reason: 'changes_requested', why: `a review of ${it} requests changes` };
    case 'checks_failed':
      return { reason: 'checks_failed', why: `required checks of ${it} failed: ${decision.names.join(', ')}` };
    case 'checks_timed_out':
      return {
        reason: 'checks_timed_out',
        why: `required checks of ${it} are pending for too long: ${decision.names.join(', ')}`,
      };
    default:
      return null;
  }
}

function pushedByOther(at: string | null): Missing {
  const what = at === null ? 'was removed by somebody' : `is at ${at.slice(0, 12)}, which somebody pushed`;
  return { reason: 'pushed_by_other', why: `the branch on the forge ${what}: it is not what was checked` };
}

function meetOthersHead(
  state: LandingState,
  phase: Pulling,
  { at, now }: { readonly at: string | null; readonly now: number },
): LandingStep {
  const seen = { ...state, theirs: at };
  // It may be merged or closed by now, and its branch gone with that.
  return seen.pull === null ? rest(openGate(seen, pushedByOther(at), now)) : lookAtPull(seen, phase);
}

function meetTrouble(
  state: LandingState,
  phase: Pulling,
  { trouble, now }: { readonly trouble: ForgeTrouble; readonly now: number },
): LandingStep {
  if (trouble.kind === 'limited') {
    // The clock of the forge may be behind ours.
    const lookAtMs = Math.max(Date.parse(trouble.until), now + LEAST_WAIT_MS);
    return rest({ ...state, phase: { ...phase, lookAtMs } });
  }
  if (trouble.kind === 'unreachable') return waitForNews(state, phase, now);
  return rest(openGate(state, { reason: 'forge', why: `${trouble.kind.replace('_', ' ')}: ${trouble.why}` }, now));
}
