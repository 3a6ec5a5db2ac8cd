/**
 * One agent turn with everything that may come between its start and its end: budget, back-off, fallback agent, a question, a repository that changed.
 * Each try has a place of its own; waits are durable timers that survive every restart (V-122). What the answer means is read in stage.ts.
 */

import { MAX_READ_ONLY_VIOLATIONS } from '../../protocol/limits.js';
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import { optionNamed } from '../../protocol/run/gate.js';
import type { PermissionAnswer, PermissionRequest, TurnOutcome } from '../../protocol/run/outcomes.js';
import type { Place } from '../../protocol/run/place.js';
import { isDecisionStage, isInRound, mayWrite, type TurnStage } from '../../protocol/run/stages.js';
import { askPerson, type Stopped } from '../gates/gate.js';
import { causeOf, type GateCause } from '../gates/gate-book.js';
import { uncountedLimit } from '../turns/budget.js';
import { goesAgain } from '../turns/turn-again.js';
import { TIMEOUT_RETRIES, type Tries } from '../turns/turn-retry.js';
import { withinBudget } from '../turns/within-budget.js';
import { type Ending, ended, endingOfTurn, saidBy } from './ending.js';
import type { LiveRun } from './live-run.js';
import type { RunState } from './run-state.js';
import { type Try, type Turn, tryTurn } from './turn-try.js';

export type TurnEnd =
  | {
      readonly kind: 'done';
      readonly place: Place;
      readonly result: RunTurnResult;
      /** The agent that answered, where it was the fallback. */
      readonly fallback?: string | null;
    }
  /** The branch is another than the one that was judged: evidence is taken again (V-34). */
  | { readonly kind: 'tree_changed' }
  | { readonly kind: 'ended'; readonly ending: Ending };

export async function takeTurn(run: LiveRun, turn: Turn): Promise<TurnEnd> {
  const tries: Tries = {
    rateLimited: 0,
    transient: 0,
    // A step that lasts too long has failed; its next try is told so.
    timeouts: turn.step !== undefined && mayWrite(turn.stage) ? TIMEOUT_RETRIES : 0,
    fresh: false,
    overflow: null,
    fallback: turn.fallback ?? null,
  };
  const notes = turn.heard ?? [];
  const start = run.head;
  const permissions: PermissionAnswer[] = [];
  let { continues } = turn;
  // The agent lost the conversation, or it grew too long; later tries start a new one.
  let startsNewConversation = false;
  for (;;) {
    const tried = await withinBudget(run, turn.stage, () => {
      notes.push(...run.takeNotes());
      // A fallback agent has a context window of its own.
      const afterOverflow = tries.fallback === null ? tries.overflow : null;
      const parts = {
        continues: startsNewConversation ? null : continues,
        notes,
        permissions,
        fallback: tries.fallback,
        afterOverflow,
      };
      return tryTurn(run, { ...turn, ...parts });
    });
    if ('kind' in tried) return ended(tried);
    // What a try that ended said is part of the conversation, whatever its outcome.
    if (continues !== null && tried.result.exitCode !== null) continues = tried.place;
    const uncounted = uncountedLimit(run.policy.budget, { ...tried.result, agent: run.facts.agent });
    if (
      uncounted === null &&
      (await goesAgain(run, { stage: turn.stage, agent: run.agentOf(turn.stage), tries, tried }))
    ) {
      startsNewConversation ||= needsNewConversation(tried.result.outcome);
      continue;
    }
    askAboutChange(run, turn.stage, tried.result);
    if (uncounted !== null) return ended({ reason: 'budget', error: uncounted });
    const settled = await settle(run, { turn, tried, permissions, changed: run.head !== start });
    // It stopped in the middle of its work, and goes on there if it can.
    if (settled === 'again' && permissionOf(tried.result) !== null) {
      continues = tried.place;
      startsNewConversation = false;
    }
    if (settled === 'again') continue;
    return settled.kind === 'done' ? { ...settled, fallback: tries.fallback } : settled;
  }
}

function needsNewConversation(outcome: TurnOutcome): boolean {
  // One that overflowed may be too long itself.
  return outcome.kind === 'overflow' || (outcome.kind === 'transient' && outcome.fresh === true);
}

/** A diff that a person must see opens a gate before any later turn could read it. */
function askAboutChange(run: RunState, stage: TurnStage, { outcome, observations, guarded }: RunTurnResult): void {
  if (run.head !== run.open.baseSha) run.facts.wroteCode = true;
  const files = outcome.kind === 'guarded_paths' ? outcome.paths : guarded;
  if (files.length > 0) {
    const why =
      outcome.kind === 'guarded_paths' ? outcome.why : `the change touches guarded paths: ${files.join(', ')}`;
    run.gates.ask(causeOf('diff', why, { requestedAction: 'look at these paths', riskLevel: 'high', files }));
  } else if (
    run.policy.permissions === 'ask' &&
    observations.some((observation) => observation.type === 'git.committed')
  ) {
    run.gates.ask(causeOf('diff', `permission mode ask: look at what ${stage} changed`));
  }
}

interface Settling {
  readonly turn: Turn;
  readonly tried: Try;
  /** What people chose so far; an answer is added. */
  readonly permissions: PermissionAnswer[];
  /** The branch moved since the turn was taken first. */
  readonly changed: boolean;
}

/** What a try that is not retried means; `again`: a person answered or agreed, and the turn is taken once more. */
async function settle(run: LiveRun, settling: Settling): Promise<TurnEnd | 'again'> {
  const { turn, tried, changed } = settling;
  const { result } = tried;
  if (run.facts.readOnlyViolations >= MAX_READ_ONLY_VIOLATIONS)
    return ended({
      reason: 'policy_violation',
      error: 'read-only turns changed the worktree twice; both changes were rolled back',
    });
  // A decision about another commit is not accepted (V-34); a branch that somebody else holds is a person's matter first.
  if (result.branchMoved && result.outcome.kind !== 'repository_changed' && isDecisionStage(turn.stage)) return 'again';
  if (run.attended) {
    if (result.outcome.kind === 'repository_changed') return afterChangedRepository(run, settling, result.outcome.why);
    const question = questionOf(result.outcome, result.request);
    if (question !== null) return askQuestion(run, settling, question);
  } else if (result.request?.kind === 'question') {
    return ended({ reason: 'needs_input', error: `the agent asks: ${result.request.reason}; nobody attends the run` });
  }
  const ending = endingOfTurn(turn.stage, result.outcome, {
    // What the steps of a plan changed together is looked at when all are done.
    changesExpected: turn.step === undefined && !changed && changesExpected(run, turn.stage),
    attended: run.attended,
  });
  if (ending === null) return { kind: 'done', place: tried.place, result };
  // Of a step it is told once nothing is tried any more.
  if (ending.outcome === 'failed' && turn.step === undefined) run.notifier.tell('agent_failed', ending.error);
  return { kind: 'ended', ending };
}

/** A fix round that changes nothing still counts (V-95). */
export function changesExpected({ policy }: RunState, stage: TurnStage): boolean {
  return mayWrite(stage) && !isInRound(stage) && policy.permissions !== 'read-only';
}

function questionOf(outcome: TurnOutcome, request: RunTurnResult['request']): GateCause | null {
  if (outcome.kind === 'needs_input') {
    const options = outcome.permission?.options.map(({ name }) => name) ?? null;
    return causeOf('agent', outcome.why, {
      requestedAction: outcome.why,
      options,
    });
  }
  if (request?.kind !== 'question') return null;
  return causeOf('agent', `the agent asks: ${request.reason}`, {
    requestedAction: request.action ?? request.reason,
    riskLevel: request.risk,
  });
}

/** Before the turn is taken again: its next try would read what a person must see first. */
async function passAsked(run: LiveRun, { stage }: Turn): Promise<Stopped | null> {
  const cause = run.gates.takeAsked();
  if (cause === null) return null;
  const passage = await askPerson(run, { stage, cause });
  if (passage.kind === 'stopped') return passage;
  run.goOn();
  return null;
}

function permissionOf(result: RunTurnResult): PermissionRequest | null {
  const said = saidBy(result);
  return said.kind === 'needs_input' ? (said.permission ?? null) : null;
}

async function askQuestion(
  run: LiveRun,
  { turn, tried, permissions }: Settling,
  cause: GateCause,
): Promise<TurnEnd | 'again'> {
  const stopped = await passAsked(run, turn);
  if (stopped !== null) return ended(stopped);
  const passage = await askPerson(run, { stage: turn.stage, cause, question: true });
  if (passage.kind === 'stopped') return ended(passage);
  run.goOn();
  const permission = permissionOf(tried.result);
  const option = permission?.options[optionNamed(cause.options ?? [], passage.text ?? '') ?? -1];
  if (permission !== null && option !== undefined) permissions.push({ key: permission.key, option });
  run.people.notes.unshift({
    kind: 'answer',
    text: `Question: ${cause.requestedAction ?? cause.reason}\nAnswer: ${option?.name ?? passage.text ?? ''}`,
    by: passage.by,
    at: new Date().toISOString(),
  });
  return 'again';
}

/** What a turn that failed printed is no answer. */
function isAnswered(stage: TurnStage, { result, expectedHead }: Try): boolean {
  if (result.observations.some((observation) => observation.type === 'git.committed')) return true;
  const isOwn = result.head === expectedHead && !result.rolledBack;
  return saidBy(result).kind === 'done' && isOwn && !mayWrite(stage) && result.output !== null;
}

/** The person may have made the change: agreed, the run goes on from where the branch stands. */
async function afterChangedRepository(run: LiveRun, settling: Settling, why: string): Promise<TurnEnd | 'again'> {
  const { turn, tried } = settling;
  const cause = causeOf('policy', `the repository changed under the run: ${why}`, {
    requestedAction: 'go on from where the branch stands',
    riskLevel: 'high',
  });
  const passage = await askPerson(run, { stage: turn.stage, cause });
  if (passage.kind === 'stopped') return ended(passage);
  const { result, expectedHead, place } = tried;
  // Straight from the gate to the checks: the table has no way from verifying to validating.
  if (result.head !== expectedHead && isDecisionStage(turn.stage)) return { kind: 'tree_changed' };
  run.goOn();
  // What a person had to look at first hid how the turn itself ended.
  const question = questionOf(saidBy(result), result.request);
  if (question !== null) return askQuestion(run, settling, question);
  if (isAnswered(turn.stage, tried)) return { kind: 'done', place, result };
  const stopped = await passAsked(run, turn);
  return stopped === null ? 'again' : ended(stopped);
}
