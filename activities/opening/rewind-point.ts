/**
 * From which stage a rewind may go, at which commit, and with what of the source. Pure: it reads the source's progress and nothing else.
 * A stage was reached if it was entered, or if what comes before it in the source ended well, as at a gate that was never passed.
 */
import type { RewindInput, TurnContext } from '../../protocol/messages/messages.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import { stageAfter } from '../../protocol/run/next-stage.js';
import { isInRound, isTurnStage, STAGE_ROWS, STAGES, type Stage, type StageRow } from '../../protocol/run/stages.js';
import type { StageEnd, StageEntry, StageProgress } from '../unit/stage-progress.js';

/** What a rewind needs to know of its source. */
export interface RewindSource {
  readonly stages: readonly Stage[];
  readonly baseSha: string;
  /** Null: not known any more. */
  readonly progress: StageProgress | null;
  /** Where the source began and with what, if it was rewound itself. */
  readonly beganAt: Omit<RewindPoint, 'before'> | null;
}

/** What is asked for beside the source. */
export interface WantedRewind {
  /** Default: where the source ended. */
  readonly stage?: Stage | undefined;
  /** To be mended, whatever the source found. */
  readonly findings?: ArtifactRef | undefined;
  readonly onto?: RewindInput['onto'] | undefined;
}

export interface RewindPoint {
  readonly fromStage: Stage;
  readonly commit: string;
  readonly context: TurnContext;
  /** The stage comes after a review that decided about `commit`: APPROVED. A stage before it reviews again. */
  readonly approved: boolean;
  /** What the source had done before, oldest first; its last review and checks of the stage itself are not in it. */
  readonly before: readonly StageEntry[];
}

export type PlannedRewind =
  /** Of what the source did; `choices` is the stage that needs nothing of it, if there is one. */
  | { readonly kind: 'unknown'; readonly choices: readonly Stage[] }
  | { readonly kind: 'planned'; readonly point: RewindPoint }
  | { readonly kind: 'not_in_list'; readonly choices: readonly Stage[] }
  | { readonly kind: 'not_reached'; readonly choices: readonly Stage[] };

/** Without a stage: from where the source ended. Source: V-131. */
export function planRewind(source: RewindSource, wanted: WantedRewind): PlannedRewind {
  const planned = planWithin(source, wanted);
  return planned.kind === 'planned' ? { ...planned, point: withGiven(planned.point, wanted) } : planned;
}

/** At the tip of the source's own branch, whatever it did there: never after a reset. `stages`: of the one that goes on, whose policy may be another. Source: S-85. */
export function planGoingOn(
  source: RewindSource,
  { tip, stages }: { readonly tip: string; readonly stages: readonly Stage[] },
): RewindPoint {
  const entries = source.progress === null ? [] : [...source.progress.inherited, ...source.progress.entries];
  const last = entries.at(-1);
  // It ended between two steps of its plan, or in one: which is the next, the entries tell.
  if (last?.step !== undefined && stages.includes(last.stage)) {
    return { ...beginAt(last.stage, tip), context: contextFor(last.stage, tip, entries), before: entries };
  }
  const planned = planWithin(source, {});
  const [first = 'executing'] = stages;
  if (planned.kind !== 'planned' || !stages.includes(planned.point.fromStage)) return beginAt(first, tip);
  const { point } = planned;
  return point.commit === tip ? point : withGiven(point, { onto: { base: source.baseSha, start: tip } });
}

/** Findings are mended on what the source left, wherever it ended. */
function planWithin(source: RewindSource, { stage: wanted, findings }: WantedRewind): PlannedRewind {
  const { progress } = source;
  if (progress === null) return planWithout(source, wanted);
  const entries = [...progress.inherited, ...progress.entries];
  const ahead = stageAhead({ ...source, progress }, entries);
  const reached = new Set([...entries.map(({ stage }) => stage), ...(ahead === null ? [] : [ahead])]);
  const choices = source.stages.filter((stage) => reached.has(stage));
  const fromStage = wanted ?? ahead ?? entries.at(-1)?.stage ?? null;
  if (fromStage === null || !source.stages.includes(fromStage)) return { kind: 'not_in_list', choices };
  const goesOn = fromStage === ahead || findings !== undefined;
  if (!goesOn && !reached.has(fromStage)) return { kind: 'not_reached', choices };
  const own = progress.inherited.length;
  const index = goesOn ? entries.length : beginOfLast(entries, { stage: fromStage, own });
  const { beganAt } = source;
  // What a person gave it there is in no entry.
  if (index === own && fromStage === beganAt?.fromStage)
    return { kind: 'planned', point: { ...beganAt, before: progress.inherited } };
  return { kind: 'planned', point: pointAt(source, entries, { fromStage, index }) };
}

/** Another commit has no checks and no decision, and what was done with code is on the way to the source's commit alone. */
function withGiven(point: RewindPoint, { findings, onto }: WantedRewind): RewindPoint {
  const moved =
    onto === undefined
      ? point
      : {
          ...point,
          commit: onto.start,
          approved: false,
          context: { ...point.context, ...NO_CHECKS },
          before: point.before.filter(({ stage }) => !hasCode(stage)),
        };
  return findings === undefined ? moved : { ...moved, context: { ...moved.context, findings, review: null } };
}

/** Only the first stage takes over nothing but the base. */
function planWithout({ stages, baseSha }: RewindSource, wanted?: Stage): PlannedRewind {
  const [first] = stages;
  if (first === undefined || hasCode(first)) return { kind: 'unknown', choices: [] };
  if (wanted !== first) return { kind: 'unknown', choices: [first] };
  return { kind: 'planned', point: beginAt(first, baseSha) };
}

function beginAt(fromStage: Stage, commit: string): RewindPoint {
  return { fromStage, commit, context: contextFor(fromStage, commit, []), approved: false, before: [] };
}

function pointAt(
  source: RewindSource,
  entries: readonly StageEntry[],
  { fromStage, index }: { readonly fromStage: Stage; readonly index: number },
): RewindPoint {
  const before = entries.slice(0, index);
  const held = entries[index]?.headBefore ?? headAtEnd(source, entries);
  const commit = hasCode(fromStage) ? held : source.baseSha;
  return {
    fromStage,
    commit,
    context: contextFor(fromStage, commit, before),
    approved: isAfterReview(fromStage) && isApproved(entries, commit),
    before,
  };
}

/** Its code is the source's; the others begin at the base. */
function hasCode(stage: Stage): boolean {
  return STAGE_ROWS[stage].walk.changesGo === 'to_round';
}

function isAfterReview(stage: Stage): boolean {
  return !isInRound(stage) && leftBefore(stage).has('review');
}

/** What the stages above a stage leave to it. */
function leftBefore(stage: Stage): ReadonlySet<StageRow['leaves']['context']> {
  return new Set(STAGES.slice(0, STAGES.indexOf(stage)).map((before) => STAGE_ROWS[before].leaves.context));
}

/** Retries and a decision that was asked for again belong to one entry into the stage. */
function beginOfLast(
  entries: readonly StageEntry[],
  { stage, own }: { readonly stage: Stage; readonly own: number },
): number {
  let index = entries.findLastIndex((entry) => entry.stage === stage);
  while (
    index !== own &&
    entries[index - 1]?.stage === stage &&
    entries[index - 1]?.headBefore === entries[index]?.headBefore
  )
    index -= 1;
  return index;
}

function headAtEnd({ baseSha, beganAt }: RewindSource, entries: readonly StageEntry[]): string {
  const last = entries.at(-1);
  if (last !== undefined) return last.end?.headAfter ?? last.headBefore;
  return beganAt?.commit ?? baseSha;
}

/** The stage that the source stood before when it ended, null where it ended in one that it had begun. */
function stageAhead(
  { stages, progress, beganAt }: RewindSource & { readonly progress: StageProgress },
  entries: readonly StageEntry[],
): Stage | null {
  if (progress.entries.length === 0) return beganAt?.fromStage ?? stages.find((stage) => !isInRound(stage)) ?? null;
  const last = entries.at(-1);
  if (last?.end === null || last === undefined || !isThrough(last.stage, last.end)) return null;
  const next = stageAfter(stages, last.stage);
  if (next === 'completion') return null;
  // Red checks make the decision of the review (V-26); without one the run ended with them.
  return last.end.outcome === 'failed' && STAGE_ROWS[next].decides !== 'review' ? null : next;
}

function isThrough(stage: Stage, end: StageEnd): boolean {
  if (end.stopsHere) return false;
  if (!isTurnStage(stage)) return end.outcome !== 'unavailable';
  if (STAGE_ROWS[stage].decides === 'review') return end.review === 'APPROVED';
  return end.outcome === 'done' || (isInRound(stage) && end.outcome === 'no_change');
}

/** Red checks decide as a review does (V-26), and never for a commit. */
function isApproved(entries: readonly StageEntry[], commit: string): boolean {
  const last = entries.findLast(
    ({ stage, end }) => end?.review != null || (!isTurnStage(stage) && end?.outcome === 'failed'),
  );
  return last?.end?.review === 'APPROVED' && last.headBefore === commit;
}

function contextFor(fromStage: Stage, commit: string, before: readonly StageEntry[]): TurnContext {
  const left = leftBefore(fromStage);
  let taken: TurnContext = {
    plan: null,
    architecture: null,
    validation: null,
    validationOutput: null,
    review: null,
    findings: null,
  };
  for (const { stage, headBefore, end } of before) {
    const { context } = STAGE_ROWS[stage].leaves;
    if (end === null || context === null || !left.has(context)) continue;
    if (context === 'validation') {
      // A result is evidence on its own commit only (V-112).
      const checks =
        headBefore === commit ? { validation: end.output, validationOutput: end.commandOutput } : NO_CHECKS;
      // What a review said before is of another commit; red checks bring findings of their own.
      taken = { ...taken, ...checks, review: null, findings: left.has('review') ? end.findings : null };
    } else if (end.outcome === 'done') {
      // The answer to a decision that was asked for again has no findings; those of the first stand.
      const review = { review: end.output ?? taken.review, findings: end.findings ?? taken.findings ?? null };
      taken = { ...taken, ...(context === 'review' ? review : { [context]: end.output }) };
    }
  }
  return taken;
}

const NO_CHECKS = { validation: null, validationOutput: null };
