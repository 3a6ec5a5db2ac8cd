/**
 * Between the exit of an agent and the outcome mark: reads the answer, looks at what changed, and decides what the turn was.
 * Nothing is published here; a second attempt reads the same exit and the same tree and comes to the same outcome and commit id.
 */

import type { Observation } from '../../protocol/messages/journal.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { HumanRequest } from '../../protocol/run/gate.js';
import type { DecisionReading, TurnOutcome } from '../../protocol/run/outcomes.js';
import { isDecisionStage, STAGE_ROWS } from '../../protocol/run/stages.js';
import { readDecision } from '../agent/answer/decision-line.js';
import { readHumanRequest } from '../agent/answer/human-request.js';
import type { TurnReading } from '../agent/contract.js';
import type { ChangeSize } from '../checks/check-change.js';
import { gatedBy } from '../checks/own-commands.js';
import type { FoldedCommit, PlannedCommit } from '../git/start/contract.js';
import type { ExitRecord } from '../process/contract.js';
import { refusedHosts } from '../sandbox/refused-hosts.js';
import type { RunOnHost } from '../unit/run-record.js';
import { redactorOf, withoutValuesIn } from '../unit/run-redactor.js';
import { isWriteTurn, type TurnOnHost } from '../unit/turn-on-host.js';
import { planChange } from './plan-change.js';
import { storeFindings } from './review-findings.js';
import { compareAfter, type SurroundingChange } from './surroundings.js';
import { type KeptConversation, keptConversation } from './turn-conversation.js';
import type { PreparedTurn } from './turn-request.js';
import { outsidePath, troubleOf } from './turn-trouble.js';

/** What the outcome mark holds beside the text: enough to finish the turn without the agent. */
export interface TurnJudgement {
  readonly outcome: TurnOutcome;
  /** How the turn ended by itself: what lies around it, or in its change, may make another outcome of it. */
  readonly said: TurnOutcome;
  readonly decision: DecisionReading | null;
  /** A commit to publish; null: nothing to publish. */
  readonly planned: (PlannedCommit & { readonly size: ChangeSize }) | null;
  /** The worktree goes back to the expected head. */
  readonly restore: boolean;
  /** Paths that a read-only turn changed. */
  readonly rolledBack: readonly string[];
  /** A read-only turn left the branch at another commit, so that it judged another tree (V-34). */
  readonly branchMoved: boolean;
  /** Guarded paths of the change where the outcome says something else. */
  readonly guarded: readonly string[];
  /** The agent was not started, since somebody else's commit is on the branch: that commit. */
  readonly elsewhere: string | null;
  /** False: no agent was, so that it used nothing. */
  readonly started: boolean;
  readonly observations: readonly Observation[];
  /** The agent's final text; null where it said nothing. */
  readonly output: ArtifactRef | null;
  readonly usage: TurnReading['usage'];
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly endedAt: string;
  /** What the answer asks a person; null: nothing. */
  readonly request: HumanRequest | null;
  /** Of a reviewing turn that ended well. */
  readonly findings: ArtifactRef | null;
  /** What a later turn of the same agent can go on with. */
  readonly conversation: KeptConversation | null;
  /** Tool calls that the agent was refused. */
  readonly denied: number;
  /** The prompt left out some of what the turn was to be given. */
  readonly promptCut: boolean;
  /** The SHA-256 of what the agent was given to read: only that is shown as its prompt. Null: none was started. */
  readonly promptSha256: string | null;
}

export async function judgeTurn(
  context: TurnOnHost,
  turn: PreparedTurn,
  exit: ExitRecord,
): Promise<{ judgement: Omit<TurnJudgement, 'output' | 'promptSha256'>; text: string }> {
  const reading = withoutValues(context.run, await turn.adapter.read(turn.request, exit));
  const answer: Answer = { reading, request: requestOf(context, reading) };
  // The one looks around the worktree, the other at what is in it.
  const [surroundings, found] = await Promise.all([lookAfter(context), outcomeOf(context, answer, exit)]);
  const decision = decisionOf(context, reading);
  const conversation = keptConversation(turn, reading);
  const isReview = decision !== null && STAGE_ROWS[context.input.stage].decides === 'review';
  const judgement = {
    ...gatedBy(found, surroundings.gate),
    said: reading.outcome,
    decision,
    observations: [...surroundings.observations, ...found.observations, ...refusedTo(context)],
    usage: reading.usage,
    exitCode: exit.exitCode,
    durationMs: exit.ranMs,
    endedAt: exit.endedAt,
    request: answer.request,
    elsewhere: null,
    started: true,
    conversation,
    denied: reading.denied,
    promptCut: turn.promptCut,
    findings: isReview ? await storeFindings(context, reading.text, decision) : null,
  };
  return { judgement, text: reading.text };
}

/** Before anything else is read from it, so that no value gets further. */
function withoutValues(run: RunOnHost, reading: TurnReading): TurnReading {
  const { hide } = redactorOf(run);
  return { ...reading, text: hide(reading.text), outcome: withoutValuesIn(reading.outcome, redactorOf(run)) };
}

function refusedTo({ place, input }: TurnOnHost): readonly Observation[] {
  return refusedHosts([place.dir], { what: `the ${input.stage} agent`, seq: input.place.seq });
}

/** What the agent printed, and what of it asks for a person. */
interface Answer {
  readonly reading: TurnReading;
  readonly request: HumanRequest | null;
}

type Found = Pick<
  TurnJudgement,
  'outcome' | 'planned' | 'restore' | 'rolledBack' | 'branchMoved' | 'guarded' | 'observations'
>;

/** Of a turn that leaves nothing to publish, to take back or to look at. */
export const NOTHING = {
  planned: null,
  restore: false,
  rolledBack: [],
  branchMoved: false,
  guarded: [],
  observations: [],
} as const;

/** A hook or config that cannot be read is for a person to look at, like one that changed. */
async function lookAfter(context: TurnOnHost): Promise<SurroundingChange> {
  try {
    return await compareAfter(context);
  } catch (err) {
    const trouble = troubleOf(context.input, err);
    if (trouble === null || !('why' in trouble.outcome)) throw err;
    return { gate: [trouble.outcome.why], observations: [] };
  }
}

async function outcomeOf(context: TurnOnHost, answer: Answer, exit: ExitRecord): Promise<Found> {
  const root = await context.git.root();
  // An empty folder without its `.git` file would look like a change that deletes everything.
  if (root.kind === 'destroyed') return { ...NOTHING, ...outsidePath(context.input, root.why), restore: true };
  try {
    return await outcomeInWorktree(context, answer, exit);
  } catch (err) {
    const trouble = troubleOf(context.input, err);
    if (trouble === null) throw err;
    return {
      ...NOTHING,
      ...trouble,
      restore: trouble.outcome.kind === 'policy_violation' || (await branchMoved(context)),
    };
  }
}

async function outcomeInWorktree(context: TurnOnHost, answer: Answer, exit: ExitRecord): Promise<Found> {
  const { outcome } = answer.reading;
  if (!isWriteTurn(context)) return readOnlyOutcome(context, outcome);
  if (outcome.kind === 'done') return writeOutcome(context, answer, exit);
  return { ...NOTHING, outcome, restore: await branchMoved(context) };
}

/** What a failed turn left stays in the worktree for the person to look at, unless it is on the branch, where nothing unchecked may stay. */
async function branchMoved({ git, input }: TurnOnHost): Promise<boolean> {
  return (await git.head()) !== input.expectedHead;
}

/** A commit of the agent's own moves the branch and leaves the worktree clean: that is a change too. Source: V-127, V-34. */
async function readOnlyOutcome({ git, input }: TurnOnHost, outcome: TurnOutcome): Promise<Found> {
  const [changes, head] = await Promise.all([git.changes(), git.head()]);
  if (changes.length === 0 && head === input.expectedHead) return { ...NOTHING, outcome };
  return {
    ...NOTHING,
    outcome,
    restore: true,
    rolledBack: changes.length === 0 ? [`branch at ${head ?? 'nothing'}`] : changes.map((change) => change.path),
    branchMoved: head !== input.expectedHead,
  };
}

async function writeOutcome(context: TurnOnHost, { request }: Answer, exit: ExitRecord): Promise<Found> {
  const change = await planChange(context, exit.claimedAt);
  // A turn that waits for an answer has not failed to do its work.
  if (change === null)
    return { ...NOTHING, outcome: { kind: request?.kind === 'question' ? 'done' : 'no_change' }, restore: true };
  const { planned, checked } = change;
  if (checked.outcome.kind === 'policy_violation') {
    return { ...NOTHING, outcome: checked.outcome, restore: true, observations: checked.observations };
  }
  const own = [
    ...planned.folded.map((commit) => ownCommitObservation(context, commit, "is folded into the engine's")),
    ...planned.kept.map((commit) => ownCommitObservation(context, commit, 'is kept, made anew')),
  ];
  const observations = [...checked.observations, ...own];
  return { ...NOTHING, outcome: checked.outcome, planned: { ...planned, size: checked.size }, observations };
}

function ownCommitObservation({ input }: TurnOnHost, commit: FoldedCommit, what: string): Observation {
  return {
    timestamp: new Date().toISOString(),
    type: 'repository.changed',
    message: `the agent's own commit ${commit.sha.slice(0, 12)} ${what}`,
    data: { stage: input.stage, seq: input.place.seq, gate: false, commit: commit.sha },
  };
}

function decisionOf({ input }: TurnOnHost, reading: TurnReading): DecisionReading | null {
  if (!isDecisionStage(input.stage) || reading.outcome.kind !== 'done') return null;
  return readDecision(reading.text, { stage: input.stage, code: input.decisionCode });
}

/** A prompt that asks for the decision alone offers nothing else. */
function requestOf({ input }: TurnOnHost, reading: TurnReading): HumanRequest | null {
  if (input.ask !== 'work' || reading.outcome.kind !== 'done') return null;
  return readHumanRequest(reading.text, { stage: input.stage, code: input.decisionCode });
}
