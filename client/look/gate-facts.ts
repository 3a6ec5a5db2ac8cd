/** What a person decides about at a gate: the plan before a write, else what changed, its checks, its review, and the cost so far. From this machine's files. */
import type { StageUse } from '../../protocol/messages/stage-use.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { ShownReview } from '../../protocol/views/review-text.js';
import { type ChangedFile, diffFiles, diffText } from '../repository.js';
import { type AskedPart, readChecks, readPart, readReview, type ShownChecks } from './run-parts.js';

/** Where it lies. */
export interface GatePlace {
  /** Null where the run's files are not on this machine. */
  readonly runDir: string | null;
  /** Where its commits are. */
  readonly repo: string;
  /** Null until the run is open. */
  readonly baseSha: string | null;
}

/** Null, of each: there is none yet, or it is not on this machine. */
export interface GateFacts {
  readonly plan: string | null;
  readonly files: readonly ChangedFile[] | null;
  readonly checks: ShownChecks | null;
  readonly review: ShownReview | null;
  readonly used: readonly StageUse[];
}

/** What a key shows in full. */
export type GatePart = 'diff' | 'plan' | 'review' | 'checks';

/** Never rejects: a gate can be decided without them. */
export async function gatherFacts(
  place: GatePlace,
  gate: Pick<Gate, 'commit'>,
  used: readonly StageUse[],
): Promise<GateFacts> {
  const { runDir } = place;
  const files = await changedFiles(place, gate).catch(() => null);
  if (runDir === null) return { plan: null, files, checks: null, review: null, used };
  const asked: AskedPart = { runDir };
  const [plan, checks, review] = await Promise.all([readPart('plan', asked), readChecks(asked), readReview(asked)]);
  return { plan, files, checks, review, used };
}

/** The text behind a key; null where there is none. Errors: RefusedError where git was ended. */
export async function readGatePart(
  part: GatePart,
  place: GatePlace,
  { commit }: Pick<Gate, 'commit'>,
): Promise<string | null> {
  const { runDir, repo, baseSha } = place;
  if (part !== 'diff') return runDir === null ? null : readPart(part, { runDir });
  const patch = baseSha === null || commit === null ? null : await diffText(repo, baseSha, commit);
  return patch === '' ? null : patch;
}

/** Of which a key can show more. */
export function partsOf(facts: GateFacts | null): readonly GatePart[] {
  if (facts === null) return [];
  const { plan, files, checks, review } = facts;
  return [
    ...(files === null || files.length === 0 ? [] : (['diff'] as const)),
    ...(plan === null ? [] : (['plan'] as const)),
    ...(review === null ? [] : (['review'] as const)),
    ...(checks === null ? [] : (['checks'] as const)),
  ];
}

function changedFiles({ repo, baseSha }: GatePlace, { commit }: Pick<Gate, 'commit'>) {
  return baseSha === null || commit === null ? Promise.resolve(null) : diffFiles(repo, baseSha, commit);
}
