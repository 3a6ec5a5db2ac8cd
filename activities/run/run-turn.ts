/**
 * One agent turn on this host, by marks: claim → exit (both the guard's) → outcome → commit → record.
 * Effects: one process, files below the sluice home and the run directory, at most one commit on the run's branch.
 * Idempotency: by place. Every attempt goes on after the last mark it finds; the agent is started once, whatever dies.
 * Cancel: the process is gone, the worktree, branch and marks stay.
 */
import type { RunTurnInput, RunTurnResult } from '../../protocol/messages.js';
import { openRunGit } from '../git/open-run-git.js';
import { DetachedError } from '../process/contract.js';
import type { Signals } from './attempts.js';
import { attend } from './attend.js';
import { violation } from './check-change.js';
import { flushJournal } from './flush-journal.js';
import type { HostDeps } from './host-deps.js';
import { judgeTurn, type TurnJudgement } from './judge-turn.js';
import { hashOfInput, openPlaceFolder, readMark, readRecord, writePlaceMark, writeRecord } from './place-record.js';
import { publishTurn } from './publish-turn.js';
import { artifactsOf } from './run-projection.js';
import { gitInputOf, type RunOnHost, readRun } from './run-record.js';
import { settleTurn } from './settle-turn.js';
import { startOrAttach } from './start-or-attach.js';
import type { TurnContextOnHost } from './turn-context.js';
import { prepareTurn } from './turn-request.js';
import { readTurnText, writeTurnText } from './turn-text.js';

const OUTCOME_FILE = 'outcome.json';

export function createRunTurn(deps: HostDeps): (input: RunTurnInput) => Promise<RunTurnResult> {
  return (input) =>
    attend({ token: input.place.token, attempts: deps.attempts, isOpen: deps.isOpen }, (signals) => runTurn(deps, input, signals));
}

async function runTurn(deps: HostDeps, input: RunTurnInput, signals: Signals): Promise<RunTurnResult> {
  const run = readRun(deps.home, input.run);
  const context = await contextOf(deps, { run, input, signals });
  const journalSeq = await flushJournal(deps, run, input.journal);
  const record = readRecord<RunTurnResult>(context.place);
  if (record.kind === 'answer') return { ...record.value, journalSeq };
  const foreign = record.kind === 'moved_aside' ? [foreignRecord(input)] : [];

  const judgement = await judgementOf(context);
  const settled = await settleTurn(context, judgement);
  deps.failpoint('turn.after-commit');
  const text = readTurnText(deps.home, run, input.place);
  const result = await publishTurn(context, { judgement, settled, text, journalSeq, foreign });
  deps.failpoint('turn.before-record');
  writeRecord(context.place, result);
  deps.failpoint('turn.after-record');
  return result;
}

async function contextOf(deps: HostDeps, parts: { run: RunOnHost; input: RunTurnInput; signals: Signals }): Promise<TurnContextOnHost> {
  const { run, input } = parts;
  const { record } = run;
  const dir = deps.home.turnDir(record.repoKey, record.runId, input.place);
  const [place, git] = await Promise.all([openPlaceFolder(dir, hashOfInput(input), deps.durability), openRunGit(gitInputOf(run))]);
  return { deps, place, git, ...parts };
}

/** Marks 2 to 4: the outcome mark if there is one, else the exit of the agent, else the agent. */
async function judgementOf(context: TurnContextOnHost): Promise<TurnJudgement> {
  const { deps, place, input, run, signals } = context;
  const known = readMark<TurnJudgement>(place, OUTCOME_FILE);
  if (known.kind === 'answer') return known.value;
  const turn = await prepareTurn(deps, run, input);
  const end = await startOrAttach(context, turn);
  if (end.kind === 'not_started') return end.judgement;
  if (signals.cancel.aborted || end.exit.reason === 'aborted') throw new DetachedError('aborted');
  deps.failpoint('turn.after-exit');
  const { judgement, text } = await judgeTurn(context, turn, end.exit);
  // Text and artifact first: the outcome mark announces them (V-99).
  writeTurnText(place.dir, text, deps.durability);
  if (text !== '') await artifactsOf(deps, run).put(text, 'text/markdown');
  deps.failpoint('turn.before-outcome');
  writePlaceMark(place, OUTCOME_FILE, judgement);
  deps.failpoint('turn.after-outcome');
  return judgement;
}

function foreignRecord({ place, stage }: RunTurnInput) {
  return violation('a record of another input was found at this place and moved aside', {
    rule: 'record',
    stage,
    seq: place.seq,
    paths: [],
  });
}
