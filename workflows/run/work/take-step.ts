/**
 * The stage that makes the change, by the steps of a plan: each time it is taken, one turn or one check, and the stage is entered again until all steps are
 * done. So a pause, a gate and a full history are met between any two. A first failure of a step is tried once more, with the tree put back. Source: S-60 to
 * S-74.
 */
import type { NextWork, StepStatus } from '../../../protocol/admission/next-step.js';
import { stageAfter } from '../../../protocol/run/next-stage.js';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { isAccepted, passesStep, whyRefused } from '../../../protocol/run/step-check.js';
import { blocked, type Ending, type StageEnd, stepFailed } from '../ending.js';
import { keepTurn } from '../keep-turn.js';
import type { LiveRun } from '../live-run.js';
import { takeDecision } from '../review.js';
import type { RunState } from '../run-state.js';
import { changesExpected, takeTurn } from '../turn.js';
import { runChecks } from '../validation.js';
import type { StepWork } from './step-work.js';

/** The stage that can be made by steps. */
const STAGE = 'executing' satisfies TurnStage;

/** Null: the stage is one turn, as of a task without a plan. */
export function stepsIn({ steps }: RunState, stage: TurnStage): StepWork | null {
  return stage === STAGE ? steps : null;
}

/** Who is asked whether a step is done. */
const JUDGE = 'verifying' satisfies TurnStage;

export async function takeStep(run: LiveRun, work: StepWork): Promise<StageEnd> {
  const { next } = work;
  switch (next.kind) {
    case 'turn':
      return (await takeStepTurn(run, work, next)) ?? AGAIN;
    case 'check':
      return (await checkStep(run, work, next.seq)) ?? AGAIN;
    case 'done':
      return endOfSteps(run, work);
    case 'failed': {
      const ending = stepFailed(`step ${next.seq} (${work.verbOf(next.seq)}) failed twice: ${work.errorOf(next.seq)}`);
      run.notifier.tell('agent_failed', ending.error);
      return { kind: 'ended', ending };
    }
  }
}

const AGAIN: StageEnd = { kind: 'next', to: STAGE };

/** Null: the next work follows. A run that ends by something else than the step's own failure uses none of its tries (S-74). */
async function takeStepTurn(
  run: LiveRun,
  work: StepWork,
  { seq, retry }: Extract<NextWork, { kind: 'turn' }>,
): Promise<StageEnd | null> {
  const start = work.begin(seq, run.head);
  if (retry && !work.keepTree) run.facts.headSha = start;
  tell(run, work, { seq, status: 'executing' });
  const turn = await takeTurn(run, {
    stage: STAGE,
    previousTurn: null,
    continues: work.conversationOf(seq, retry),
    step: work.tryOf(seq, retry),
    heard: work.heardBy(seq),
  });
  if (turn.kind === 'done') {
    keepTurn(run, STAGE, turn);
    work.hear({ kind: 'turn', seq, end: 'ended' });
    if (work.checkOf(seq) === null) finish(run, work, seq);
    return null;
  }
  if (turn.kind === 'tree_changed') return AGAIN;
  const error = agentsFault(turn.ending);
  if (error === null) {
    if (turn.ending.outcome === 'failed') run.notifier.tell('agent_failed', turn.ending.error);
    return turn;
  }
  work.fail('turn', seq, error);
  tell(run, work, { seq, status: 'failed', error });
  return null;
}

function checkStep(run: LiveRun, work: StepWork, seq: number): Promise<StageEnd | null> {
  return work.checkOf(seq) === 'acceptance' ? askAcceptance(run, work, seq) : runCommands(run, work, seq);
}

/** Whoever verifies looks at the work of the step: anything but that it holds is a failure of its agent (S-69). */
async function askAcceptance(run: LiveRun, work: StepWork, seq: number): Promise<StageEnd | null> {
  const step = work.tryOf(seq);
  const heard = work.heardBy(seq);
  const first = await takeTurn(run, { stage: JUDGE, previousTurn: null, continues: null, step, heard });
  const turn = first.kind === 'done' ? await takeDecision(run, JUDGE, { first, step }) : first;
  if (turn.kind === 'ended') {
    if (turn.ending.outcome === 'failed') run.notifier.tell('agent_failed', turn.ending.error);
    return turn;
  }
  // What was judged is not there any more, or was changed by who judged it: the work that is there is judged again.
  if (turn.kind === 'tree_changed' || turn.result.rolledBack) return AGAIN;
  keepTurn(run, JUDGE, turn);
  const { decision } = turn.result;
  if (isAccepted(decision)) finish(run, work, seq);
  else refuse(run, work, { seq, why: whyRefused(decision) });
  return null;
}

async function runCommands(run: LiveRun, work: StepWork, seq: number): Promise<StageEnd | null> {
  if (run.policy.validationCommands === 0) {
    const error = `step ${seq} is a test, and the config has no command that tests`;
    return { kind: 'ended', ending: blocked('validation_unavailable', error) };
  }
  const { outcome } = await runChecks(run, STAGE, work.tryOf(seq));
  if (passesStep(outcome.kind)) finish(run, work, seq);
  else if (outcome.kind === 'failed') refuse(run, work, { seq, why: outcome.why });
  else
    return {
      kind: 'ended',
      ending: blocked('validation_unavailable', 'why' in outcome ? outcome.why : 'no command ran'),
    };
  return null;
}

function refuse(run: RunState, work: StepWork, { seq, why }: { readonly seq: number; readonly why: string }): void {
  work.fail('check', seq, why);
  tell(run, work, { seq, status: 'failed', error: why });
}

/** A write turn that ended well leaves its commit and nothing beside it. */
function finish(run: RunState, work: StepWork, seq: number): void {
  work.hear({ kind: 'check', seq, end: 'passed', isTreeClean: true });
  tell(run, work, { seq, status: 'done' });
}

function endOfSteps(run: RunState, work: StepWork): StageEnd {
  const isUnchanged = run.head === run.open.baseSha;
  if (isUnchanged && (work.isReadOnly || changesExpected(run, STAGE))) {
    // What was asked for is an answer: there is no change to check.
    const error = work.isReadOnly ? 'its plan only looks: there is no change' : 'no step of the plan changed anything';
    return { kind: 'ended', ending: { outcome: 'no_changes', reason: 'no_changes', error } };
  }
  return { kind: 'next', to: stageAfter(run.policy.stages, STAGE) };
}

/** Null: something else ended the turn. Providers, machines and limits are nobody's fault here; a turn that lasted too long is its agent's (S-76). */
function agentsFault(ending: Ending): string | null {
  return ending.outcome === 'failed' && AGENTS_FAULTS.includes(ending.errorClass) ? ending.error : null;
}

const AGENTS_FAULTS: readonly string[] = ['hard', 'timeout'];

function tell(
  run: RunState,
  work: StepWork,
  { seq, status, error = null }: { readonly seq: number; readonly status: StepStatus; readonly error?: string | null },
): void {
  const verb = work.verbOf(seq);
  const { attempt } = work.tryOf(seq);
  run.journal.note('step.changed', `step ${seq} (${verb}) ${status}${error === null ? '' : `: ${error}`}`, {
    step: seq,
    verb,
    status,
    attempt,
    head: run.head,
  });
}
