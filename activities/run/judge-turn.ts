/**
 * Between the exit of an agent and the outcome mark: reads the answer, looks at what changed, and decides what the turn was.
 * Nothing is published here; a second attempt reads the same exit and the same tree and comes to the same outcome and commit id.
 */
import type { ArtifactRef } from '../../protocol/artifact.js';
import type { Observation } from '../../protocol/journal.js';
import type { DecisionReading, TurnOutcome } from '../../protocol/outcomes.js';
import type { TurnReading } from '../agent/contract.js';
import { isDecisionStage, readDecision, readHumanApproval } from '../agent/decision-line.js';
import type { Change, FoldedCommit, PlannedCommit } from '../git/contract.js';
import type { ExitRecord } from '../process/contract.js';
import { type ChangeSize, checkChange } from './check-change.js';
import { compareAfter, type SurroundingChange } from './surroundings.js';
import { mayWrite, type TurnContextOnHost } from './turn-context.js';
import type { PreparedTurn } from './turn-request.js';
import { outsidePath, troubleOf } from './turn-trouble.js';

/** What the outcome mark holds beside the text: enough to finish the turn without the agent. */
export interface TurnJudgement {
  readonly outcome: TurnOutcome;
  readonly decision: DecisionReading | null;
  /** A commit to publish; null: nothing to publish. */
  readonly planned: (PlannedCommit & { readonly size: ChangeSize }) | null;
  /** The worktree goes back to the expected head. */
  readonly restore: boolean;
  /** Paths that a read-only turn changed. */
  readonly rolledBack: readonly string[];
  readonly observations: readonly Observation[];
  /** The agent's final text; null where it said nothing. */
  readonly output: ArtifactRef | null;
  readonly usage: TurnReading['usage'];
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly endedAt: string;
}

export async function judgeTurn(
  context: TurnContextOnHost,
  turn: PreparedTurn,
  exit: ExitRecord,
): Promise<{ judgement: Omit<TurnJudgement, 'output'>; text: string }> {
  const reading = await turn.adapter.read(turn.request, exit);
  // The one looks around the worktree, the other at what is in it.
  const [surroundings, found] = await Promise.all([lookAfter(context), outcomeOf(context, reading, exit)]);
  const gated: TurnOutcome =
    surroundings.gate.length > 0 && found.outcome.kind !== 'policy_violation'
      ? { kind: 'repository_changed', why: surroundings.gate.join('; ') }
      : found.outcome;
  const judgement = {
    ...found,
    outcome: gated,
    decision: decisionOf(context, reading),
    observations: [...surroundings.observations, ...found.observations],
    usage: reading.usage,
    exitCode: exit.exitCode,
    durationMs: Math.max(0, Date.parse(exit.endedAt) - Date.parse(exit.startedAt)),
    endedAt: exit.endedAt,
  };
  return { judgement, text: reading.text };
}

type Found = Pick<TurnJudgement, 'outcome' | 'planned' | 'restore' | 'rolledBack' | 'observations'>;

const NOTHING = { planned: null, restore: false, rolledBack: [], observations: [] } as const;

/** A hook or config that cannot be read is for a person to look at, like one that changed. */
async function lookAfter(context: TurnContextOnHost): Promise<SurroundingChange> {
  try {
    return await compareAfter(context);
  } catch (err) {
    const trouble = troubleOf(context.input, err);
    if (trouble === null || !('why' in trouble.outcome)) throw err;
    return { gate: [trouble.outcome.why], observations: [] };
  }
}

async function outcomeOf(context: TurnContextOnHost, reading: TurnReading, exit: ExitRecord): Promise<Found> {
  const root = await context.git.root();
  // An empty folder without its `.git` file would look like a change that deletes everything.
  if (root.kind === 'destroyed') return { ...NOTHING, ...outsidePath(context.input, root.why), restore: true };
  try {
    return await outcomeInWorktree(context, reading, exit);
  } catch (err) {
    const trouble = troubleOf(context.input, err);
    if (trouble === null) throw err;
    return { ...NOTHING, ...trouble, restore: trouble.outcome.kind === 'policy_violation' || (await branchMoved(context)) };
  }
}

async function outcomeInWorktree(context: TurnContextOnHost, reading: TurnReading, exit: ExitRecord): Promise<Found> {
  if (!mayWrite(context.input.stage)) return readOnlyOutcome(context, reading);
  if (reading.outcome.kind === 'done') return writeOutcome(context, exit);
  return { ...NOTHING, outcome: reading.outcome, restore: await branchMoved(context) };
}

/** What a failed turn left stays in the worktree for the person to look at, unless it is on the branch, where nothing unchecked may stay. */
async function branchMoved({ git, input }: TurnContextOnHost): Promise<boolean> {
  return (await git.head()) !== input.expectedHead;
}

/** Source: V-127. */
async function readOnlyOutcome(context: TurnContextOnHost, reading: TurnReading): Promise<Found> {
  const { git, input } = context;
  const [changes, head] = await Promise.all([git.changes(), git.head()]);
  const outcome = askedForPerson(context, reading);
  if (changes.length === 0 && head === input.expectedHead) return { ...NOTHING, outcome };
  return {
    ...NOTHING,
    outcome,
    restore: true,
    rolledBack: changes.length === 0 ? [`branch at ${head ?? 'nothing'}`] : changes.map((change) => change.path),
  };
}

function askedForPerson(context: TurnContextOnHost, reading: TurnReading): TurnOutcome {
  if (reading.outcome.kind !== 'done') return reading.outcome;
  const asked = readHumanApproval(reading.text, context.input.decisionCode);
  if (asked.kind === 'none') return reading.outcome;
  return { kind: 'needs_input', why: `the agent asks for a person (risk ${asked.risk}): ${asked.reason ?? 'no reason given'}` };
}

async function writeOutcome(context: TurnContextOnHost, exit: ExitRecord): Promise<Found> {
  const { git, input } = context;
  const changes: readonly Change[] = await git.changes();
  const planned = await git.plan({ expectedHead: input.expectedHead, claimedAt: exit.claimedAt, ...commitMessage(context), changes });
  if (planned === null) return { ...NOTHING, outcome: { kind: 'no_change' }, restore: true };
  const checked = await checkChange(context, planned);
  if (checked.outcome.kind === 'policy_violation') {
    return { ...NOTHING, outcome: checked.outcome, restore: true, observations: checked.observations };
  }
  const observations = [...checked.observations, ...planned.folded.map((commit) => foldedObservation(context, commit))];
  return { ...NOTHING, outcome: checked.outcome, planned: { ...planned, size: checked.size }, observations };
}

function commitMessage({ run, input }: TurnContextOnHost): { subject: string; body: string } {
  const title = input.journal.view.title;
  const round = input.round === 0 ? '' : ` (round ${input.round})`;
  return { subject: title, body: `${input.stage}${round} of sluice run ${run.record.runId}` };
}

function foldedObservation({ input }: TurnContextOnHost, commit: FoldedCommit): Observation {
  return {
    timestamp: new Date().toISOString(),
    type: 'repository.changed',
    message: `the agent's own commit ${commit.sha.slice(0, 12)} is folded into the engine's`,
    data: { stage: input.stage, seq: input.place.seq, gate: false, commit: commit.sha },
  };
}

function decisionOf({ input }: TurnContextOnHost, reading: TurnReading): DecisionReading | null {
  if (!isDecisionStage(input.stage) || reading.outcome.kind !== 'done') return null;
  return readDecision(reading.text, { stage: input.stage, code: input.decisionCode });
}
