/**
 * What a host says of a task that it compared with those that are there: whether it is one of them, what else it resembles, and how that was found. It stands in the task's record, so that
 * the same task is answered as it was. Written by `admit`; what comes with an item is read by hand. Pure. Source: S-07 to S-21.
 */
import { LAYERS, type Layer } from '../run/dedup-policy.js';
import { amountIn, type Fields, fieldsOf, nameIn, namesIn, textIn, timeIn, wordIn } from '../text/fields.js';
import { isItemId } from './item-id.js';

/** A task that was hit. */
export interface DuplicateOf {
  /** Its id. */
  readonly of: string;
  readonly layer: Layer;
  /** At most 1. */
  readonly score: number;
  /** Both have the same normalised text. */
  readonly isEqual: boolean;
}

export interface PossibleDuplicate {
  readonly id: string;
  /** It is merged: the new one is possibly implemented already. Source: S-12. */
  readonly isMerged: boolean;
}

/** What one layer said. Null: it hit nothing. */
export interface LayerHit {
  readonly layer: Layer;
  readonly hit: Pick<DuplicateOf, 'of' | 'score'> | null;
}

/** How it was compared. Source: S-19. */
export interface DedupPass {
  /** ISO 8601. */
  readonly at: string;
  readonly ms: number;
  /** Those that ran. */
  readonly layers: readonly LayerHit[];
  /** At most 5 ids. */
  readonly candidates: readonly string[];
  readonly reason: string;
}

export interface TaskDedup {
  /** What it is not taken in because of; `why`: for whoever handed it in. Null: nothing. */
  readonly duplicate: (DuplicateOf & { readonly why: string }) | null;
  /** What it was taken in in spite of. Source: S-16. */
  readonly forced: DuplicateOf | null;
  readonly possible: readonly PossibleDuplicate[];
  readonly pass: DedupPass;
}

/** An item that closed, as its backlog tells its host. */
export interface ClosedItem {
  readonly id: string;
  /** Null: nobody knows. */
  readonly reason: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** As scores are shown. */
export function scoreText(score: number): string {
  return score.toFixed(2);
}

export function nearDuplicate({ of, layer, score }: Omit<DuplicateOf, 'isEqual'>): string {
  return `near-duplicate of task #${of} (${layer}=${scoreText(score)})`;
}

/** `status`: how the other task stands; null: nobody knows. Source: docs/requirements/skep.md "Formats", Reasons. */
export function duplicateReason(duplicate: DuplicateOf, status: string | null): string {
  const { of, isEqual } = duplicate;
  if (!isEqual || status === null) return nearDuplicate(duplicate);
  return status === 'running' ? `in progress as task #${of}` : `already queued as task #${of} (status: ${status})`;
}

/** One line for people. */
export function passLine({ ms, layers, candidates, reason }: DedupPass): string {
  const said = layers.map(({ layer, hit }) =>
    hit === null ? `${layer} none` : `${layer} #${hit.of}=${scoreText(hit.score)}`,
  );
  const looked = candidates.length === 0 ? 'no candidates' : `candidates ${candidates.join(', ')}`;
  return `${reason}; ${said.join(', ')}; ${looked}; ${ms} ms`;
}

/** Null: it was not compared, or cannot be read. */
export function readTaskDedup(value: unknown): TaskDedup | null {
  const fields = fieldsOf(value);
  const pass = passIn(fieldsOf(fields['pass']));
  if (pass === null) return null;
  const duplicate = duplicateIn(fieldsOf(fields['duplicate']));
  return {
    duplicate:
      duplicate === null
        ? null
        : { ...duplicate, why: textIn(fieldsOf(fields['duplicate']), 'why') ?? nearDuplicate(duplicate) },
    forced: duplicateIn(fieldsOf(fields['forced'])),
    possible: listIn(fields, 'possible').flatMap((one) => {
      const id = nameIn(one, 'id');
      return id !== null && isItemId(id) ? [{ id, isMerged: one['isMerged'] === true }] : [];
    }),
    pass,
  };
}

function passIn(fields: Fields): DedupPass | null {
  const [at, ms] = [timeIn(fields, 'at'), amountIn(fields, 'ms')];
  if (at === null || ms === null) return null;
  const layers = listIn(fields, 'layers').flatMap((one): readonly LayerHit[] => {
    const layer = wordIn(one, 'layer', LAYERS);
    const hit = fieldsOf(one['hit']);
    const [of, score] = [nameIn(hit, 'of'), amountIn(hit, 'score')];
    return layer === null ? [] : [{ layer, hit: of === null || score === null ? null : { of, score } }];
  });
  const candidates = namesIn(fields, 'candidates').filter(isItemId);
  return { at, ms, layers, candidates, reason: textIn(fields, 'reason') ?? '' };
}

function duplicateIn(fields: Fields): DuplicateOf | null {
  const [of, layer, score] = [nameIn(fields, 'of'), wordIn(fields, 'layer', LAYERS), amountIn(fields, 'score')];
  if (of === null || !isItemId(of) || layer === null || score === null) return null;
  return { of, layer, score, isEqual: fields['isEqual'] === true };
}

function listIn(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** `dedup.forced`: it was taken in in spite of a hit. Source: S-16, S-19. */
export const DEDUP_DRIVERS = ['dedup', 'dedup.forced'] as const;
