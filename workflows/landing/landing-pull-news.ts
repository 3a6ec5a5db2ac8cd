/**
 * What is made of each look at a pull request: it is sent to the merge queue once it is wanted and may be merged, and a person is asked for what only a person can mend. It is decided by
 * one look, never by what was asked last. Pure. Source: T-64, K-105.
 */
import { decidePull, type PullDecision } from '../../protocol/actors/decide-pull.js';
import type {
  EnsurePullResult,
  ForgeTrouble,
  LookAtPullResult,
  PullState,
  ReadRemarksResult,
} from '../../protocol/actors/forge.js';
import { type ForgeTerms, type LandingGate, PULL_GATES } from '../../protocol/actors/landing.js';
import { waitForTrouble } from './landing-away.js';
import { isByHand, isoOf, type Missing, openGate, passGate } from './landing-gates.js';
import { missingOf } from './landing-opening.js';
import { isWanted, lookAtPull, pullingOf, showPull, waitForLimit, waitForNews } from './landing-pull.js';
import { enqueue } from './landing-queue.js';
import { repairRemarks } from './landing-repair.js';
import type { LandingState, LandingStep, Pull, Pulling } from './landing-state.js';
import { rest } from './landing-steps.js';

export function readEnsured(state: LandingState, result: EnsurePullResult, now: number): LandingStep {
  if (state.phase.kind !== 'pull') return rest(state);
  const { phase } = state;
  if (result.kind === 'pushed_by_other') return meetOthersHead(state, phase, { at: result.at, now });
  if (result.kind !== 'pull')
    return meetTrouble({ ...state, pushed: result.pushed ?? state.pushed }, phase, { trouble: result, now });
  const { number, url, head: pushed, isDraft, updatedAt } = result;
  const pull: Pull = { number, url, isDraft, updatedAt, decision: null, wasQueued: false };
  const reactions = { ...state.reactions, due: [] };
  return lookAtPull({ ...state, pushed, pull, reactions }, { ...phase, isShown: true, trouble: null });
}

export function readPull(state: LandingState, result: LookAtPullResult, now: number): LandingStep {
  const { pull, terms } = state;
  const phase = pullingOf(state);
  if (phase === null || !phase.isShown || pull === null || terms === null || terms.forge === null) return rest(state);
  if (result.kind !== 'pull') return meetTrouble(state, phase, { trouble: result, now });
  const decision = decide(state, { phase, forge: terms.forge, seen: result.pull, now });
  const isNews = pull.decision?.kind !== decision.kind && !(isPending(pull.decision) && isPending(decision));
  const looked = { ...phase, trouble: null, newsAtMs: isNews ? now : phase.newsAtMs };
  const updatedAt = laterOf(pull.updatedAt, result.pull.updatedAt);
  const wasQueued = pull.wasQueued || decision.kind === 'queued';
  const seen: LandingState = { ...state, pull: { ...pull, decision, updatedAt, wasQueued } };
  if (state.phase.kind === 'gated' && isStillAsked(state.phase.reason, decision, pull))
    return waitForNews(seen, looked, now);
  const decided: Decided = { phase: looked, decision, pull, now };
  const free = decision.kind === 'pushed' ? seeTheirs(seen, decision.head) : seen;
  const next = { ...passGate(free, THE_FORGE, now), phase: looked };
  // What keeps them from being read lasts until they are.
  const asking = { ...decided, phase: { ...looked, trouble: phase.trouble } };
  return askForRemarks(next, asking, result.pull) ?? follow(next, decided);
}

/** Of two times by the forge's clock. */
function laterOf(a: string, b: string): string {
  return Date.parse(b) > Date.parse(a) ? b : a;
}

/** Who passes a gate at which nothing is left to decide. */
const THE_FORGE = 'the forge';

/** What mends them may be seen at the pull request. */
const BY_THE_FORGE: readonly LandingGate[] = PULL_GATES.filter((reason) => reason !== 'landed_red');

/** What somebody pushed is for a person to say, and for that very commit, unless it was merged. */
function isStillAsked(reason: LandingGate, decision: PullDecision, pull: Pull): boolean {
  // Merged elsewhere, or red where it is, it stays what a person was asked about.
  if (decision.kind === 'merged') return pull.decision?.kind === 'merged' || reason === 'landed_red';
  if (reason === 'pushed_by_other' || !BY_THE_FORGE.includes(reason)) return true;
  const missing = missingFrom(decision, pull);
  // One that was given back is no other for what it waits for meanwhile.
  if (reason === 'given_back' && missing === null) return decision.kind !== 'queued' && decision.kind !== 'conflict';
  return missing?.reason === reason;
}

/** What a review or a check says is read once, and again where something else is to be seen there. Null: nobody would take it up. */
function askForRemarks(
  state: LandingState,
  { phase, decision, pull }: Decided,
  { head }: PullState,
): LandingStep | null {
  const { runId, run, terms, reactions } = state;
  const source = run?.source ?? null;
  if (decision.kind !== 'changes_requested' && decision.kind !== 'checks_failed') return null;
  if (source === null || isByHand(state) || terms?.canFix !== true) return null;
  if (reactions.rounds >= (terms.forge?.reactRounds ?? 0)) return null;
  if (pull.decision?.kind === decision.kind && reactions.readAt === state.pull?.updatedAt) return null;
  const { host, repoKey } = source;
  const checks = decision.kind === 'checks_failed' ? decision.names : [];
  const input = { repoKey, runId, number: pull.number, head, checks };
  return rest({ ...state, phase: { ...phase, lookAtMs: null } }, [
    { kind: 'readRemarks', workflowId: 'forge', host, input },
  ]);
}

/** What was not taken up yet a run repairs, without being asked. */
export function readRemarks(state: LandingState, result: ReadRemarksResult, now: number): LandingStep {
  const { phase, pull } = state;
  if (phase.kind !== 'pull' || pull === null || pull.decision === null) return rest(state);
  const { decision } = pull;
  const reactions = { ...state.reactions, readAt: pull.updatedAt };
  const decided: Decided = { phase: { ...phase, trouble: null }, decision, pull, now };
  if (result.kind !== 'remarks') return missRemarks(state, result, { ...decided, phase });
  const fresh = result.remarks.filter(({ key }) => !reactions.keys.includes(key));
  if (fresh.length === 0) return follow({ ...state, reactions }, decided);
  const due = fresh.flatMap(({ key, by }) => (by === null ? [] : [{ key, by }]));
  const taken = {
    ...reactions,
    rounds: reactions.rounds + 1,
    keys: [...reactions.keys, ...fresh.map(({ key }) => key)],
    due: [...reactions.due, ...due],
  };
  const why = missingFrom(decision, pull)?.why ?? `something is said against ${pull.url}`;
  return repairRemarks({ ...state, reactions: taken }, { why, findings: fresh.flatMap(({ findings }) => findings) });
}

/** Where a person is expected, or nothing would be told another time either, it is for people as if nobody had said a thing: asked about its forge at each look, they would be asked for ever. */
function missRemarks(state: LandingState, trouble: ForgeTrouble, decided: Decided): LandingStep {
  const { phase, pull, now } = decided;
  // They are read at the next look.
  if (trouble.kind === 'limited' || trouble.kind === 'unreachable') return meetTrouble(state, phase, { trouble, now });
  const why = wordsOf(trouble);
  const waiting = mayPass(trouble) ? waitForTrouble(state, { reason: 'forge', why }, now) : null;
  if (waiting !== null) return waiting;
  const reactions = { ...state.reactions, readAt: pull.updatedAt };
  return follow({ ...state, reactions }, { ...decided, phase: { ...phase, trouble: why } });
}

/** Whoever agreed to what was pushed before has not seen this. */
function seeTheirs(state: LandingState, theirs: string | null): LandingState {
  if (theirs === state.theirs) return state;
  return { ...state, theirs, waived: state.waived.filter((one) => one !== 'pushed_by_other') };
}

interface Look {
  readonly phase: Pulling;
  readonly forge: ForgeTerms;
  readonly seen: PullState;
  readonly now: number;
}

function decide({ base, pushed, pull, run }: LandingState, { phase, forge, seen, now }: Look): PullDecision {
  // Whatever was waited for before, such as a review, took nothing of their time.
  const since = isoOf(isPending(pull?.decision ?? null) ? phase.newsAtMs : now);
  return decidePull(seen, {
    head: pushed ?? run?.source?.head ?? seen.head,
    base: base ?? seen.base,
    since,
    now: isoOf(now),
    checksTimeoutMs: forge.checksTimeoutMs,
  });
}

/** Late or not. */
function isPending(decision: PullDecision | null): boolean {
  return decision?.kind === 'checks_pending' || decision?.kind === 'checks_timed_out';
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
  if (missing !== null && (isWanted(state) || decision.kind === 'closed'))
    return askAbout(state, phase, { missing, now });
  if (!isWanted(state) || base === null) return waitForNews(state, phase, now);
  // It may have been asked for while it was looked at.
  const first = missingOf(state);
  if (first !== null) return rest(openGate(state, first, now));
  switch (decision.kind) {
    // The merge queue finds out what is in conflict, and has it repaired.
    case 'conflict':
    case 'ready':
      return phase.isBack || (pull.wasQueued && decision.kind === 'ready')
        ? waitForNews(state, phase, now)
        : enqueue(state, { branch: base, watch: false, head: phase.head }, now);
    case 'draft':
      // One that a person made a draft again is not ready for them.
      return pull.isDraft ? showPull(state, { head: phase.head, now }) : waitForNews(state, phase, now);
    default:
      return waitForNews(state, phase, now);
  }
}

/** Somebody may hand over again on the forge what it gave back. */
function askAbout(
  state: LandingState,
  phase: Pulling,
  { missing, now }: { readonly missing: Missing; readonly now: number },
): LandingStep {
  const waiting = missing.reason === 'given_back' ? waitForTrouble(state, missing, now) : null;
  return waiting ?? waitForNews(openGate(state, withTrouble(missing, phase), now), phase, now);
}

/** What is said there could not be read, which whoever is asked may mend too. */
function withTrouble(missing: Missing, { trouble }: Pulling): Missing {
  return trouble === null ? missing : { ...missing, why: `${missing.why}, which could not be read: ${trouble}` };
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
function missingFrom(decision: PullDecision, { number, url, decision: before, wasQueued }: Pull): Missing | null {
  const it = `pull request ${number} (${url})`;
  switch (decision.kind) {
    // By its checks there or by a person: handed over once more it would come back once more. A forge that has just merged it may say so a look later.
    case 'ready':
      return wasQueued && before?.kind === 'ready'
        ? { reason: 'given_back', why: `the forge's own queue gave ${it} back: approving it hands it over again` }
        : null;
    case 'closed':
      return { reason: 'pull_closed', why: `${it} was closed without a merge` };
    case 'retargeted':
      return {
        reason: 'pull_retargeted',
        why: `${it} is to be merged into ${decision.base} now: land it there by --onto, or give it its base back before it is tried again`,
      };
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
  const seen = seeTheirs(state, at);
  // It may be merged or closed by now, and its branch gone with that.
  if (seen.pull !== null) return lookAtPull(seen, { ...phase, isShown: true });
  // A branch that is gone holds nobody's commit: ours is pushed as at first, theirs was only there.
  return at === null && phase.head !== seen.pushed
    ? showPull({ ...seen, pushed: null }, { head: phase.head, now })
    : rest(openGate(seen, pushedByOther(at), now));
}

function wordsOf({ kind, why }: ForgeTrouble): string {
  return `${kind.replace('_', ' ')}: ${why}`;
}

/** What a forge understood and will not do it will not do either when it is asked again. */
function mayPass({ kind }: ForgeTrouble): boolean {
  return kind !== 'refused';
}

function meetTrouble(
  state: LandingState,
  phase: Pulling,
  { trouble, now }: { readonly trouble: ForgeTrouble; readonly now: number },
): LandingStep {
  // What it said before it says no more.
  const unsaid = { ...phase, trouble: null };
  if (trouble.kind === 'limited') return waitForLimit(state, unsaid, { until: trouble.until, now });
  // Whoever is asked about its pull request is not asked about its forge too.
  if (trouble.kind === 'unreachable' || state.phase.kind === 'gated') return waitForNews(state, unsaid, now);
  const missing = { reason: 'forge', why: wordsOf(trouble) } as const;
  const waiting = mayPass(trouble) ? waitForTrouble(state, missing, now) : null;
  if (waiting !== null) return waiting;
  return rest(openGate(state, missing, now));
}
