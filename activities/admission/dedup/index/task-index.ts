/**
 * The tasks of one repository that a new one is compared with: all that are not closed, and those that were merged a short while ago. It begins with what the folders of the items say and
 * is kept in step by whoever admits. It lives in a thread of its own, so that neither building it nor comparing holds up the worker. Source: S-07, S-11, S-12.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isItemId } from '../../../../protocol/actors/item-id.js';
import {
  type ClosedItem,
  type DuplicateOf,
  nearDuplicate,
  type TaskDedup,
} from '../../../../protocol/actors/task-dedup.js';
import type { DedupPolicy } from '../../../../protocol/run/dedup-policy.js';
import { readItemRecord } from '../../../unit/item-record.js';
import { DedupIndex } from '../dedup-index.js';
import { findGuard } from '../guards.js';
import { type DuplicateVerdict, type JudgedHit, judgeDuplicate } from '../judge-duplicate.js';
import { normalise } from '../normalise.js';
import { isStillCompared, readClosedMark } from './closed-mark.js';

/** Of which items it is. */
export interface IndexPlace {
  /** Holds the folders of the items. */
  readonly dir: string;
  readonly project: string;
}

export interface KeepRequest {
  readonly kind: 'keep';
  /** The highest number that is taken: where nothing is new the folders are not listed. Null: nobody has looked. */
  readonly highest: number | null;
  /** What has closed since. */
  readonly closed: readonly ClosedItem[];
  /** Ids of tasks that are compared anew. */
  readonly without: readonly string[];
}

export interface CompareRequest {
  readonly kind: 'compare';
  readonly text: string;
  readonly policy: DedupPolicy;
  /** Its id, where it was taken in before: it is not compared with itself, and nothing refuses it any more. Source: S-49. */
  readonly again?: string;
}

export interface AddRequest {
  readonly kind: 'add';
  readonly id: string;
  readonly text: string;
}

export type IndexRequest = KeepRequest | CompareRequest | AddRequest;

/** Less what only its host knows: who wanted it in spite of that. */
export type Compared = Omit<TaskDedup, 'forced'>;

export class TaskIndex {
  private readonly index = new DedupIndex();
  /** By id: when it was merged. */
  private readonly merged = new Map<string, string>();
  /** The highest number that was looked at. */
  private last = 0;

  constructor(private readonly place: IndexPlace) {}

  /** Null for what is only done. Errors: those of the system, after which the index is not to be used. */
  answer(request: IndexRequest): Compared | null {
    switch (request.kind) {
      case 'keep':
        this.keep(request);
        return null;
      case 'compare':
        return this.compareOthers(request);
      case 'add':
        this.add(request);
        return null;
    }
  }

  /** Ids that are compared, in no order. */
  get size(): number {
    return this.index.size;
  }

  has(id: string): boolean {
    return this.index.has(id);
  }

  /** Reads what is there and was not seen yet, whoever made it, and forgets what has closed. */
  private keep({ highest, closed, without }: KeepRequest): void {
    const now = Date.now();
    if (highest === null || highest > this.last) this.readNew(now);
    for (const { id, reason, at } of closed) this.close(id, { reason, at }, now);
    for (const id of without) this.remove(id);
    for (const [id, at] of Array.from(this.merged))
      if (!isStillCompared({ reason: 'merged', at }, now)) this.remove(id);
  }

  private readNew(now: number): void {
    const numbers = readdirSync(this.place.dir).filter(isItemId).map(Number);
    for (const number of numbers.filter((one) => one > this.last).toSorted((one, other) => one - other)) {
      const id = String(number);
      const text = this.textOf(id);
      const mark = readClosedMark(join(this.place.dir, id));
      this.last = number;
      if (text !== null) this.add({ id, text });
      if (mark !== null) this.close(id, mark, now);
    }
  }

  private add({ id, text }: Omit<AddRequest, 'kind'>): void {
    this.merged.delete(id);
    if (this.index.has(id)) this.index.setMayBlock(id, true);
    else this.index.add(id, text);
    this.last = Math.max(this.last, Number(id));
  }

  private close(id: string, mark: Pick<ClosedItem, 'reason' | 'at'>, now: number): void {
    if (!isStillCompared(mark, now)) return this.remove(id);
    if (!this.index.has(id)) return;
    this.merged.set(id, mark.at);
    this.index.setMayBlock(id, false);
  }

  private remove(id: string): void {
    this.merged.delete(id);
    this.index.remove(id);
  }

  private compareOthers(request: CompareRequest): Compared {
    const { again } = request;
    if (again === undefined || !this.index.has(again)) return this.compare(request);
    const own = this.textOf(again);
    this.index.remove(again);
    try {
      return this.compare(request);
    } finally {
      if (own !== null) this.index.add(again, own);
    }
  }

  /** Source: S-08 to S-15, S-19. */
  private compare({ text, policy: { onHit, thresholds }, again }: CompareRequest): Compared {
    const from = performance.now();
    const texts = new Map<string, string | null>();
    const oldOf = (id: string) => {
      const known = texts.get(id);
      if (known !== undefined) return known;
      const read = this.textOf(id);
      texts.set(id, read);
      return read;
    };
    const own = normalise(text);
    const isEqual = (id: string) => normalise(oldOf(id) ?? '') === own;
    const verdict = judgeDuplicate({
      comparison: this.index.compare(text, thresholds),
      onHit,
      guardOf: (id) => guardBetween(text, oldOf(id)),
      isEqual,
      mayBlock: (id) => again === undefined && !this.merged.has(id),
    });
    const blocking = verdict.kind === 'blocked' ? duplicateOf(verdict.hit, isEqual) : null;
    const hits = verdict.kind === 'possible' ? verdict.hits : [];
    return {
      duplicate: blocking === null ? null : { ...blocking, why: nearDuplicate(blocking) },
      possible: hits.map(({ id }) => ({ id, isMerged: this.merged.has(id) })),
      pass: {
        at: new Date().toISOString(),
        ms: Math.round((performance.now() - from) * 100) / 100,
        layers: verdict.passes.map(({ layer, hit }) => ({
          layer,
          hit: hit === null ? null : { of: hit.id, score: hit.score },
        })),
        candidates: verdict.kind === 'blocked' ? [verdict.hit.id] : verdict.candidates,
        reason: reasonOf(verdict, (id) => this.merged.has(id)),
      },
    };
  }

  /** Null: it is none of this project, or nobody can read it. */
  private textOf(id: string): string | null {
    const record = readItemRecord(join(this.place.dir, id));
    return record?.project === this.place.project ? record.run.task : null;
  }
}

/** Of a text that is gone nobody can say that it asks for the same. */
function guardBetween(text: string, old: string | null): string | null {
  return old === null ? 'its text is gone' : findGuard(text, old);
}

function duplicateOf({ id, layer, score }: JudgedHit, isEqual: (id: string) => boolean): DuplicateOf {
  return { of: id, layer, score, isEqual: isEqual(id) };
}

function reasonOf(verdict: DuplicateVerdict, isMerged: (id: string) => boolean): string {
  if (verdict.kind === 'clear') return 'like no other task';
  if (verdict.kind === 'blocked') return nearDuplicate({ ...verdict.hit, of: verdict.hit.id });
  const said = verdict.hits.map(({ id, guard }) =>
    isMerged(id)
      ? `possibly already implemented by task #${id}`
      : `possibly task #${id}${guard === null ? '' : ` (${guard})`}`,
  );
  return said.join(', ');
}
