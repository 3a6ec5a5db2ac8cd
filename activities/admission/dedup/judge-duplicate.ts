/**
 * Decides what the layers' hits mean for a new task. Pure. Under `block` the first layer with a hit that may block ends it; under `judge` all four run, and
 * only equal text or MinHash blocks. A hit with a guard, or of a task that is merged, never blocks and stays a possible duplicate.
 */
import { LAYERS, type Layer } from '../../../protocol/run/dedup-policy.js';
import type { Comparison, Hit } from './dedup-index.js';

export interface JudgeInput {
  readonly comparison: Comparison;
  /** Source: S-13, S-14. */
  readonly onHit: 'judge' | 'block';
  /** What `findGuard` says of the new text and that task's. Source: S-15. */
  readonly guardOf: (id: string) => string | null;
  /** Whether that task's normalised text is the new one's. Source: S-13. */
  readonly isEqual: (id: string) => boolean;
  /** False for a task that is merged: it is shown as possibly implemented. Source: S-12. */
  readonly mayBlock: (id: string) => boolean;
}

/** A hit, and why it does not block, if so. Shape: `guard` is asked for whether or not the task may block. */
export interface JudgedHit extends Hit {
  readonly guard: string | null;
  readonly mayBlock: boolean;
}

/** One layer that ran. Shape: `hit` is what blocked in this layer, else its best. Source: S-19. */
export interface LayerPass {
  readonly layer: Layer;
  readonly hit: JudgedHit | null;
}

export type DuplicateVerdict =
  | { readonly kind: 'blocked'; readonly hit: JudgedHit; readonly passes: readonly LayerPass[] }
  /** `hits`: of each task that was hit the first, in the order of the layers. */
  | {
      readonly kind: 'possible';
      readonly hits: readonly JudgedHit[];
      readonly candidates: readonly string[];
      readonly passes: readonly LayerPass[];
    }
  | { readonly kind: 'clear'; readonly candidates: readonly string[]; readonly passes: readonly LayerPass[] };

/** Source: S-09, S-12 to S-15, S-17. */
export function judgeDuplicate(input: JudgeInput): DuplicateVerdict {
  return input.onHit === 'block' ? stopAtFirst(input) : runAll(input);
}

function stopAtFirst(input: JudgeInput): DuplicateVerdict {
  const ran: Ran[] = [];
  for (const layer of LAYERS) {
    const hits = runLayer(input, layer);
    ran.push({ layer, hits });
    const hit = hits.find(isFree);
    if (hit !== undefined) return { kind: 'blocked', hit, passes: passesOf(ran, hit) };
  }
  return admit(input, ran);
}

/** Equal text is a hit of `trigram` at least, so it is looked for among the hits; MinHash second. */
function runAll(input: JudgeInput): DuplicateVerdict {
  const ran = LAYERS.map((layer): Ran => ({ layer, hits: runLayer(input, layer) }));
  const free = ran.flatMap(({ hits }) => hits.filter(isFree));
  const hit = free.find(({ id }) => input.isEqual(id)) ?? free.find(({ layer }) => layer === 'minhash');
  if (hit !== undefined) return { kind: 'blocked', hit, passes: passesOf(ran, hit) };
  return admit(input, ran);
}

interface Ran {
  readonly layer: Layer;
  readonly hits: readonly JudgedHit[];
}

function runLayer({ comparison, guardOf, mayBlock }: JudgeInput, layer: Layer): readonly JudgedHit[] {
  return comparison.hitsOf(layer).map((hit) => ({ ...hit, guard: guardOf(hit.id), mayBlock: mayBlock(hit.id) }));
}

function isFree({ guard, mayBlock }: JudgedHit): boolean {
  return guard === null && mayBlock;
}

function passesOf(ran: readonly Ran[], blocking: JudgedHit | null): readonly LayerPass[] {
  return ran.map(({ layer, hits }) => ({
    layer,
    hit: blocking?.layer === layer ? blocking : (hits[0] ?? null),
  }));
}

function admit({ comparison }: JudgeInput, ran: readonly Ran[]): DuplicateVerdict {
  const passes = passesOf(ran, null);
  const candidates = comparison.candidates();
  const hits = ran.flatMap((one) => one.hits);
  const ofEach = hits.filter(({ id }, at) => hits.findIndex((other) => other.id === id) === at);
  return ofEach.length === 0
    ? { kind: 'clear', candidates, passes }
    : { kind: 'possible', hits: ofEach, candidates, passes };
}
