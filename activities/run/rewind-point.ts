/**
 * From which stage a rewind may go, at which commit, and with what of the source. Pure: it reads the source's progress and nothing else.
 * A stage was reached if it was entered, or if what comes before it in the source ended well, as at a gate that was never passed.
 */
import type { ArtifactRef } from '../../protocol/artifact.js';
import type { Stage } from '../../protocol/lifecycle.js';
import type { TurnContext } from '../../protocol/messages.js';
import type { StageEnd, StageEntry, StageProgress } from './stage-progress.js';

/** What a rewind needs to know of its source. */
export interface RewindSource {
  readonly stages: readonly Stage[];
  readonly baseSha: string;
  /** Null: not known any more. */
  readonly progress: StageProgress | null;
  /** Where the source began, if it was rewound itself. */
  readonly beganAt: { readonly stage: Stage; readonly commit: string } | null;
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

/** Without `wanted`: from where the source ended. Source: V-131. */
export function planRewind(source: RewindSource, wanted?: Stage): PlannedRewind {
  const { progress } = source;
  if (progress === null) return planWithout(source, wanted);
  const entries = [...progress.inherited, ...progress.entries];
  const ahead = stageAhead({ ...source, progress }, entries);
  const reached = new Set([...entries.map(({ stage }) => stage), ...(ahead === null ? [] : [ahead])]);
  const choices = source.stages.filter((stage) => reached.has(stage));
  const fromStage = wanted ?? ahead ?? entries.at(-1)?.stage ?? null;
  if (fromStage === null || !source.stages.includes(fromStage)) return { kind: 'not_in_list', choices };
  if (!reached.has(fromStage)) return { kind: 'not_reached', choices };
  const index = fromStage === ahead ? entries.length : beginOfLast(entries, fromStage);
  return { kind: 'planned', point: pointAt(source, entries, { fromStage, index }) };
}

/** Only the first stage takes over nothing but the base. */
function planWithout({ stages, baseSha }: RewindSource, wanted?: Stage): PlannedRewind {
  const [first] = stages;
  if (first === undefined || CODE_STAGES.includes(first)) return { kind: 'unknown', choices: [] };
  if (wanted !== first) return { kind: 'unknown', choices: [first] };
  const point = { fromStage: first, commit: baseSha, context: contextFor(first, baseSha, []), approved: false, before: [] };
  return { kind: 'planned', point };
}

function pointAt(
  source: RewindSource,
  entries: readonly StageEntry[],
  { fromStage, index }: { readonly fromStage: Stage; readonly index: number },
): RewindPoint {
  const before = entries.slice(0, index);
  const held = entries[index]?.headBefore ?? headAtEnd(source, entries);
  const commit = CODE_STAGES.includes(fromStage) ? held : source.baseSha;
  return {
    fromStage,
    commit,
    context: contextFor(fromStage, commit, before),
    approved: fromStage === 'verifying' && isApproved(entries, commit),
    before,
  };
}

/** Their code is the source's; the others begin at the base. */
const CODE_STAGES: readonly Stage[] = ['validating', 'reviewing', 'fixing', 'verifying'];

/** Retries and a decision that was asked for again belong to one entry into the stage. */
function beginOfLast(entries: readonly StageEntry[], stage: Stage): number {
  let index = entries.findLastIndex((entry) => entry.stage === stage);
  while (entries[index - 1]?.stage === stage && entries[index - 1]?.headBefore === entries[index]?.headBefore) index -= 1;
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
  if (progress.entries.length === 0) return beganAt?.stage ?? stages.find((stage) => stage !== 'fixing') ?? null;
  const last = entries.at(-1);
  if (last?.end === null || last === undefined || !isThrough(last.stage, last.end)) return null;
  const order = stages.filter((stage) => stage !== 'fixing');
  if (last.stage === 'fixing') return order.find((stage) => CODE_STAGES.includes(stage)) ?? null;
  const next = order[order.indexOf(last.stage) + 1] ?? null;
  // Red checks make the decision in reviewing (V-26); without that stage the run ended with them.
  return last.end.outcome === 'failed' && next !== 'reviewing' ? null : next;
}

function isThrough(stage: Stage, end: StageEnd): boolean {
  if (end.stopsHere) return false;
  switch (stage) {
    case 'validating':
      return end.outcome !== 'unavailable';
    case 'reviewing':
      return end.review === 'APPROVED';
    case 'fixing':
      return end.outcome === 'done' || end.outcome === 'no_change';
    default:
      return end.outcome === 'done';
  }
}

/** Red checks decide as a review does (V-26), and never for a commit. */
function isApproved(entries: readonly StageEntry[], commit: string): boolean {
  const last = entries.findLast(({ stage, end }) => end?.review != null || (stage === 'validating' && end?.outcome === 'failed'));
  return last?.end?.review === 'APPROVED' && last.headBefore === commit;
}

interface Gathered {
  plan: ArtifactRef | null;
  architecture: ArtifactRef | null;
  review: ArtifactRef | null;
  findings: ArtifactRef | null;
  validation: { readonly commit: string; readonly report: ArtifactRef | null; readonly output: ArtifactRef | null } | null;
}

function contextFor(fromStage: Stage, commit: string, before: readonly StageEntry[]): TurnContext {
  const gathered = gather(before);
  const { plan, architecture, review, findings } = gathered;
  const nothing: TurnContext = { plan: null, architecture: null, validation: null, review: null, findings: null, validationOutput: null };
  // A result is evidence on its own commit only (V-112).
  const checks = gathered.validation?.commit === commit ? gathered.validation : null;
  const validation = { validation: checks?.report ?? null, validationOutput: checks?.output ?? null };
  switch (fromStage) {
    case 'planning':
      return nothing;
    case 'architecting':
      return { ...nothing, plan };
    case 'executing':
    case 'validating':
      return { ...nothing, plan, architecture };
    case 'reviewing':
      return { ...nothing, plan, architecture, ...validation };
    case 'fixing':
    case 'verifying':
      return { plan, architecture, review, findings, ...validation };
  }
}

function gather(entries: readonly StageEntry[]): Gathered {
  const gathered: Gathered = { plan: null, architecture: null, review: null, findings: null, validation: null };
  for (const { stage, headBefore, end } of entries) {
    if (end === null) continue;
    if (stage === 'planning' && end.outcome === 'done') gathered.plan = end.output;
    if (stage === 'architecting' && end.outcome === 'done') gathered.architecture = end.output;
    if (stage === 'validating') takeChecks(gathered, headBefore, end);
    if (stage === 'reviewing' && end.outcome === 'done') takeReview(gathered, end);
  }
  return gathered;
}

function takeChecks(gathered: Gathered, commit: string, end: StageEnd): void {
  gathered.validation = { commit, report: end.output, output: end.commandOutput };
  // What a review said before is of another commit; red checks bring findings of their own.
  gathered.review = null;
  gathered.findings = end.findings;
}

/** The answer to a decision that was asked for again has no findings; those of the first stand. */
function takeReview(gathered: Gathered, end: StageEnd): void {
  gathered.review = end.output ?? gathered.review;
  gathered.findings = end.findings ?? gathered.findings;
}
