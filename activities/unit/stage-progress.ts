/**
 * How far a run came on its host, for a rewind from it: one entry for each turn and validation, with what it found and left.
 * An entry is there from the moment its stage is entered, so that an aborted turn counts as reached, and is completed before the activity answers.
 * Nothing of the run itself is decided by it; a file that is lost costs the rewind, not the run.
 * The file is only ever extended, by a line for each of these steps: to replace it takes ext4 some 2 ms of the only thread, for it writes out what takes a file's place.
 */

import { join } from 'node:path';
import type { RunTurnInput, RunTurnResult, ValidateInput, ValidateResult } from '../../protocol/messages/messages.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { ReviewDecision, TurnOutcomeKind, ValidationOutcome } from '../../protocol/run/outcomes.js';
import { STAGES, type Stage } from '../../protocol/run/stages.js';
import { isAccepted, whyRefused } from '../../protocol/run/step-check.js';
import { isRecord, parseRecord } from '../../protocol/text/json.js';
import { type Durability, extendMark, readLines, writeMark } from '../process/marks.js';
import type { PlaceFolder } from './place-record.js';

const PROGRESS_FILE = 'progress.jsonl';

/** Shape: `seq` and `token` are those of the place. */
export interface StageEntry {
  readonly seq: number;
  readonly token: string;
  readonly stage: Stage;
  readonly round: number;
  readonly headBefore: string;
  /** Absent where it was no work at a step of a plan. */
  readonly step?: StepWork;
  /** Null: begun, and not ended or not yet. */
  readonly end: StageEnd | null;
}

/** A try of a step, or the check of one. A later run of the task begins by these. */
export interface StepWork {
  readonly kind: 'turn' | 'check';
  readonly runId: string;
  /** Hash of the plan: of another one nothing is done. */
  readonly plan: string;
  readonly seq: number;
  readonly attempt: number;
}

/** What a try of a step left beside what every turn leaves. Source: S-67, S-75. */
export interface StepTry {
  readonly model: string | null;
  /** Null: its agent told none. */
  readonly conversationId: string | null;
  /** Of the engine, full. */
  readonly commits: readonly string[];
  /** All that it printed. Null: nothing. */
  readonly printed: ArtifactRef | null;
  /** The end of that. Unit: at most 8192 bytes. */
  readonly outputTail: string;
  readonly durationMs: number;
  readonly tokens: number | null;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** One sentence; null: it ended well. */
  readonly error: string | null;
  /** What a failed one had changed. Null: nothing, or it is a commit. */
  readonly diff: ArtifactRef | null;
}

export interface StageEnd {
  readonly headAfter: string;
  readonly outcome: TurnOutcomeKind | ValidationOutcome['kind'];
  /** The agent's final text, or the validation's report. */
  readonly output: ArtifactRef | null;
  readonly findings: ArtifactRef | null;
  /** Of a validation: what its commands printed. */
  readonly commandOutput: ArtifactRef | null;
  /** Of a review; one that cannot be read counts as BLOCKED (V-33). */
  readonly review: ReviewDecision | null;
  /** The turn asks for a person, or its forbidden changes were rolled back: it may have ended the run. */
  readonly stopsHere: boolean;
  /** Of a try of a step. */
  readonly did?: StepTry;
  /** Of the red check of a step: one sentence, and the change that it refused. */
  readonly why?: string;
  readonly diff?: ArtifactRef | null;
}

export interface StageProgress {
  /** Of the runs that this one was rewound from; a reset never drops them. */
  readonly inherited: readonly StageEntry[];
  /** In the order of their places. */
  readonly entries: readonly StageEntry[];
}

/** What stands in a line behind the first, which holds what was inherited. */
type Step = { readonly entered: StageEntry } | { readonly ended: Pick<StageEntry, 'token' | 'end'> };

/** Forgets whatever an abandoned execution of the run did: an open run has not entered a stage. Effects: one file below `stateDir`. */
export function startProgress(stateDir: string, inherited: readonly StageEntry[], durability: Durability): void {
  writeMark(join(stateDir, PROGRESS_FILE), JSON.stringify({ version: 1, inherited }), durability);
}

/** Null: there is none, or it is damaged. A line that does not parse was torn, and its step was taken again or the run has ended. */
export function readProgress(stateDir: string): StageProgress | null {
  const [head, ...rest] = readLines(join(stateDir, PROGRESS_FILE)).map((line) => parseRecord(line));
  if (head?.['version'] !== 1 || !areEntries(head['inherited'])) return null;
  const steps = rest.filter((step) => step !== null);
  return steps.every(isStep) ? { inherited: head['inherited'], entries: steps.reduce(after, []) } : null;
}

/** A new place drops what stands at its seq or later: the tail that a reset abandoned. Of an entry that is gone the end is not kept. */
function after(entries: readonly StageEntry[], step: Step): readonly StageEntry[] {
  if ('ended' in step) {
    const { token, end } = step.ended;
    return entries.map((entry) => (entry.token === token ? { ...entry, end } : entry));
  }
  const { entered } = step;
  if (entries.some(({ token }) => token === entered.token)) return entries;
  return [...entries.filter(({ seq }) => seq < entered.seq), entered];
}

function isStep(value: unknown): value is Step {
  if (!isRecord(value)) return false;
  const { entered, ended } = value;
  return isRecord(ended) ? typeof ended['token'] === 'string' && isEnd(ended['end']) : isEntry(entered);
}

function areEntries(value: unknown): value is readonly StageEntry[] {
  return Array.isArray(value) && value.every(isEntry);
}

function isEntry(value: unknown): value is StageEntry {
  if (!isRecord(value)) return false;
  const { seq, token, stage, round, headBefore, end } = value;
  const isPlaced = Number.isInteger(seq) && typeof token === 'string' && Number.isInteger(round);
  return (
    isPlaced &&
    STAGES.some((known) => known === stage) &&
    typeof headBefore === 'string' &&
    (value['step'] === undefined || isStepWork(value['step'])) &&
    (end === null || isEnd(end))
  );
}

function isStepWork(value: unknown): value is StepWork {
  if (!isRecord(value)) return false;
  const { runId, plan, seq, attempt } = value;
  return typeof runId === 'string' && typeof plan === 'string' && Number.isInteger(seq) && Number.isInteger(attempt);
}

function isEnd(value: unknown): value is StageEnd {
  if (!isRecord(value)) return false;
  const { headAfter, outcome, output, findings, commandOutput, stopsHere } = value;
  const areRefs = [output, findings, commandOutput].every(
    (ref) => ref === null || (isRecord(ref) && typeof ref['sha256'] === 'string'),
  );
  return typeof headAfter === 'string' && typeof outcome === 'string' && typeof stopsHere === 'boolean' && areRefs;
}

/** Whose progress is kept. */
export interface Keeper {
  readonly run: { readonly stateDir: string };
  readonly place: Pick<PlaceFolder, 'seq' | 'token' | 'durability'>;
}

/** Does the turn and keeps what it came to. Idempotency: by place; an entry that a reset dropped does not come back. */
export function keepingTurn(
  at: Keeper,
  input: RunTurnInput,
  turn: () => Promise<RunTurnResult>,
): Promise<RunTurnResult> {
  return keeping(at, { begun: begunTurn(input), work: turn, endOf: endOfTurn });
}

/** The same for a turn that does a step of a plan. */
export function keepingStep(at: Keeper, input: RunTurnInput, { step, turn, tryOf }: KeptStep): Promise<RunTurnResult> {
  const endOf = async (result: RunTurnResult) => ({ ...endOfTurn(result), did: await tryOf(result) });
  return keeping(at, { begun: { ...begunTurn(input), step }, work: turn, endOf });
}

export interface KeptStep {
  readonly step: StepWork;
  readonly turn: () => Promise<RunTurnResult>;
  readonly tryOf: (result: RunTurnResult) => Promise<StepTry>;
}

/** The same for a validation. */
export function keepingValidation(
  at: Keeper,
  input: ValidateInput,
  validation: () => Promise<ValidateResult>,
): Promise<ValidateResult> {
  const endOf = (result: ValidateResult) => endOfValidation(result, input.commit);
  return keeping(at, { begun: begunValidation(input), work: validation, endOf });
}

/** The same for a validation that judges a step of a plan. */
export function keepingCheck(
  at: Keeper,
  input: ValidateInput,
  { step, validation, diffOf }: KeptCheck,
): Promise<ValidateResult> {
  const endOf = (result: ValidateResult) => ({ ...endOfValidation(result, input.commit), diff: diffOf() });
  return keeping(at, { begun: { ...begunValidation(input), step }, work: validation, endOf });
}

/** The same for a turn that judges a step of a plan: it passed, it failed, or nobody said so. */
export function keepingJudgement(
  at: Keeper,
  input: RunTurnInput,
  { step, turn, diffOf }: KeptJudgement,
): Promise<RunTurnResult> {
  const endOf = (result: RunTurnResult) => ({ ...endOfTurn(result), ...judged(input, result), diff: diffOf() });
  return keeping(at, { begun: { ...begunTurn(input), step }, work: turn, endOf });
}

export interface KeptJudgement extends Omit<KeptCheck, 'validation'> {
  readonly turn: () => Promise<RunTurnResult>;
}

/** What the workflow takes for no judgement is none here. */
function judged(
  { ask }: Pick<RunTurnInput, 'ask'>,
  { outcome, decision, branchMoved, rolledBack, request }: RunTurnResult,
): Pick<StageEnd, 'outcome' | 'why'> {
  const isDisturbed = branchMoved || rolledBack || request?.kind === 'question';
  const isAskedAgain = ask === 'work' && decision?.kind !== 'verification';
  if (outcome.kind !== 'done' || isDisturbed || isAskedAgain) return { outcome: 'unavailable' };
  if (isAccepted(decision)) return { outcome: 'passed' };
  return { outcome: 'failed', why: whyRefused(decision) };
}

export interface KeptCheck {
  readonly step: StepWork;
  readonly validation: () => Promise<ValidateResult>;
  /** Of what the checks refused; null: they refused nothing. */
  readonly diffOf: () => ArtifactRef | null;
}

type Begun = Pick<StageEntry, 'stage' | 'round' | 'headBefore' | 'step'>;

function begunTurn({ stage, round, expectedHead }: RunTurnInput): Begun {
  return { stage, round, headBefore: expectedHead };
}

function begunValidation({ stage, round, commit }: ValidateInput): Begun {
  return { stage, round, headBefore: commit };
}

interface Kept<Result> {
  readonly begun: Begun;
  readonly work: () => Promise<Result>;
  readonly endOf: (result: Result) => StageEnd | Promise<StageEnd>;
}

async function keeping<Result>({ run, place }: Keeper, { begun, work, endOf }: Kept<Result>): Promise<Result> {
  const { seq, token, durability } = place;
  const keep = (step: Step) => extendMark(join(run.stateDir, PROGRESS_FILE), JSON.stringify(step), durability);
  keep({ entered: { ...begun, seq, token, end: null } });
  const result = await work();
  keep({ ended: { token, end: await endOf(result) } });
  return result;
}

function endOfTurn(result: RunTurnResult): StageEnd {
  return {
    headAfter: result.head,
    outcome: result.outcome.kind,
    output: result.output,
    findings: result.findings,
    commandOutput: null,
    review: reviewOf(result),
    stopsHere: result.rolledBack || result.request !== null,
  };
}

function reviewOf({ decision }: RunTurnResult): ReviewDecision | null {
  if (decision === null || decision.kind === 'verification') return null;
  return decision.kind === 'review' ? decision.value : 'BLOCKED';
}

function endOfValidation(result: ValidateResult, commit: string): StageEnd {
  return {
    headAfter: commit,
    outcome: result.outcome.kind,
    output: result.report,
    findings: result.findings,
    commandOutput: result.output,
    review: null,
    stopsHere: false,
    ...(result.outcome.kind === 'failed' ? { why: result.outcome.why } : {}),
  };
}
