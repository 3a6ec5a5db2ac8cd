/**
 * One agent turn on this host, by marks: claim → exit (both the guard's) → outcome → commit → record.
 * Effects: one process, files below the sluice home and the run directory, at most one commit on the run's branch.
 * Idempotency: by place. Every attempt goes on after the last mark it finds; the agent is started once, whatever dies.
 * Cancel: the process is gone, the worktree, branch and marks stay.
 */
import { endingWith } from '../../config/system/ending-signal.js';
import type { RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import { mayWrite } from '../../protocol/run/stages.js';
import { isAccepted } from '../../protocol/run/step-check.js';
import { violation } from '../checks/check-change.js';
import { withLeft } from '../checks/own-commands.js';
import { openRunGit } from '../git/run/open-run-git.js';
import { DetachedError } from '../process/contract.js';
import { keepDiffOfCheck, keepDiffOfTurn, readDiff } from '../steps/keep-diff.js';
import { findStep, workOf } from '../steps/step-at-work.js';
import { underStepPolicy } from '../steps/step-policy.js';
import { tellSteps } from '../steps/tell-steps.js';
import { type AtPlace, atPlace } from '../unit/at-place.js';
import { flushJournal } from '../unit/flush-journal.js';
import type { HostDeps } from '../unit/host-deps.js';
import { hasStaleMarks, OUTCOME_FILE, readSealedMark, writeSealedMark } from '../unit/place-record.js';
import { artifactsOf } from '../unit/run-projection.js';
import { assertFrozen, readRunToWrite } from '../unit/run-record.js';
import { keepingJudgement, keepingStep, keepingTurn, type StepWork } from '../unit/stage-progress.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';
import { rememberLimit, triedIn } from './closed-account.js';
import { describeTry } from './describe-try.js';
import { judgeTurn, type TurnJudgement } from './judge-turn.js';
import { noteLeft } from './left-changes.js';
import { publishTurn } from './publish-turn.js';
import { settleTurn } from './settle-turn.js';
import { sha256 } from './shown-prompt.js';
import { startOrAttach } from './start-or-attach.js';
import { prepareTurn } from './turn-request.js';
import { readTurnText, writeTurnText } from './turn-text.js';

export function createRunTurn(deps: HostDeps): (input: RunTurnInput) => Promise<RunTurnResult> {
  return (input) =>
    atPlace(deps, {
      name: 'turn',
      input,
      find: () => readRunToWrite(deps.home, input.run),
      isSealed: true,
      work: (at) => endingWith(at.signals.cancel, () => takeTurn(at, input)),
    });
}

/** A step is noted as executing before its agent starts, shown so beside that, and works under a policy of its own. */
async function takeTurn(at: AtPlace, input: RunTurnInput): Promise<RunTurnResult> {
  const { deps, place } = at;
  const step = workOf(mayWrite(input.stage) ? 'turn' : 'check', at.run, input.step);
  if (input.step === undefined || step === null) {
    return keepingTurn(at, input, () => runTurn(at, input));
  }
  if (step.kind === 'check') return judgeStep(at, input, step);
  const { verb } = findStep(deps, at.run, input.step).step;
  const run = await underStepPolicy(deps, at.run, { place, stage: input.stage, verb });
  const result = await keepingStep(at, input, {
    step,
    turn: async () => {
      // It never fails, and what is told at the end comes after it.
      const told = tellSteps(deps, run);
      try {
        return await runTurn({ ...at, run }, input);
      } finally {
        await told;
      }
    },
    tryOf: (ended) => describeTry(at, input, { run, result: ended }),
  });
  await tellSteps(deps, run);
  return result;
}

/** A turn that looks at the work of a step, and says whether it is done. */
async function judgeStep(at: AtPlace, input: RunTurnInput, step: StepWork): Promise<RunTurnResult> {
  const turn = async () => {
    const result = await runTurn(at, input);
    const isRefused = result.outcome.kind === 'done' && !isAccepted(result.decision);
    if (isRefused && input.step !== undefined) await keepDiffOfCheck(at, input.expectedHead, input.step);
    return result;
  };
  const result = await keepingJudgement(at, input, { step, turn, diffOf: () => readDiff(at) });
  await tellSteps(at.deps, at.run);
  return result;
}

async function runTurn(at: AtPlace, input: RunTurnInput): Promise<RunTurnResult> {
  // Beside the start of the agent; what it throws is met once the agent has ended, and the next attempt does it again.
  const flushed = flushJournal(at.deps, at.run, input.journal);
  flushed.catch(() => undefined);
  try {
    return await finishTurn({ ...at, input, git: await openRunGit(at.workplace.git) }, flushed);
  } finally {
    // A failed turn ends no sooner: its view would be written over that of a later activity.
    await flushed.catch(() => undefined);
  }
}

async function finishTurn(context: TurnOnHost, flushed: Promise<number>): Promise<RunTurnResult> {
  const { deps, run, input, place } = context;
  const known = readSealedMark<TurnJudgement>(place, OUTCOME_FILE);
  const foreign = hasStaleMarks(place) ? [foreignRecord(input)] : [];
  const judged = known.kind === 'answer' ? known.value : await judgementOf(context);
  const judgement = withLeft(place, judged, { stage: input.stage, seq: input.place.seq });
  if (input.step !== undefined) await keepDiffOfTurn(context, { ...judgement, expectedHead: input.expectedHead });
  const settled = await settleTurn(context, judgement);
  if (settled.outcome.kind !== 'done') await noteLeft(run, context.git, deps.durability);
  deps.failpoint('turn.after-commit');
  const text = readTurnText(deps.home, run, input.place);
  return publishTurn(context, { judgement, settled, text, journalSeq: await flushed, foreign });
}

/** Marks 2 to 4: the exit of the agent if there is one, else the agent. */
async function judgementOf(context: TurnOnHost): Promise<TurnJudgement> {
  const { deps, place, input, run, signals } = context;
  const turn = await prepareTurn(context);
  const end = await startOrAttach(context, turn);
  if (end.kind === 'not_started') return end.judgement;
  assertFrozen(run, input.run);
  // Without a cancel the abort was somebody else's; the next attempt, if the server wants one, starts the agent again.
  if (signals.cancel.aborted || end.exit.reason === 'aborted') throw new DetachedError('aborted');
  deps.failpoint('turn.after-exit');
  const { judgement: judged, text } = await judgeTurn(context, turn, end.exit);
  // What an abort cut short is not judged: the marks up to the exit stay.
  signals.cancel.throwIfAborted();
  // Text and artifact first: the outcome mark announces them (V-99).
  writeTurnText(place.dir, text, deps.durability);
  await rememberLimit(triedIn(context), judged.said);
  const output = text === '' ? null : await artifactsOf(deps, run).put(text, 'text/markdown');
  const judgement: TurnJudgement = { ...judged, output, promptSha256: sha256(turn.command.stdin) };
  deps.failpoint('turn.before-outcome');
  writeSealedMark(place, OUTCOME_FILE, judgement);
  deps.failpoint('turn.after-outcome');
  return judgement;
}

function foreignRecord({ place, stage }: RunTurnInput) {
  return violation('a record that is not of this input and this agent was found at this place and moved aside', {
    rule: 'record',
    stage,
    seq: place.seq,
    paths: [],
  });
}
