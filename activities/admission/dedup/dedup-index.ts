/**
 * Finds the tasks that a new text resembles, by four local layers. All texts lie in typed arrays: 10 000 of 600 bytes take about 30 MB, of 4096 bytes about 90.
 * Pure: no clock, no file, and the same texts in the same order give the same answers.
 */
import { DEFAULT_THRESHOLDS, LAYERS, type Layer, type Thresholds } from '../../../protocol/run/dedup-policy.js';
import { BEST, type BestFew, type Scored } from './best-few.js';
import { normalise } from './normalise.js';
import { findByMinhash, findByTrigram } from './shape-layers.js';
import { NEVER_BLOCKS, TextRows } from './text-rows.js';
import { findByKeyword, findByTfidf, type KeywordBest } from './token-layers.js';

/** Shape: `score` reaches the threshold of `layer`, is at most 1 and has at most 12 digits behind the point. */
export interface Hit {
  readonly layer: Layer;
  readonly id: string;
  readonly score: number;
}

/**
 * What one text resembles. A layer runs when it is first asked for. Errors: a plain Error once the index was used for something else. Source: S-09.
 */
export interface Comparison {
  /** At most 5 that may block and 5 that never do (S-12), best first, of equal scores the older task first: the best may have a guard (S-15). */
  readonly hitsOf: (layer: Layer) => readonly Hit[];
  /** At most 5 different ids: what was hit, the best of each layer first, then the best by BM25 and by trigram in turn; of what may block and what never does each in its turn. Runs every layer. Source: S-17. */
  readonly candidates: () => readonly string[];
}

/** Half a MB for short texts, up to 4 for long ones; below it, and below an eighth of all, moving rows up is not worth it. */
const MIN_REMOVED = 64;

export class DedupIndex {
  private readonly rows = new TextRows();
  private readonly rowOf = new Map<string, number>();
  /** By row; of a removed one too, until rows move up. */
  private ids: string[] = [];
  /** Counts what was done, so that an old comparison is known. */
  private turn = 0;
  private hasGuest = false;

  /** How many tasks there are. */
  get size(): number {
    return this.rowOf.size;
  }

  /** What the arrays take, with the room they hold in reserve. */
  get bytes(): number {
    return this.rows.bytes;
  }

  has(id: string): boolean {
    return this.rowOf.has(id);
  }

  /** Adds a task as the youngest. Errors: a plain Error for an id that is there. */
  add(id: string, text: string): void {
    if (this.has(id)) throw new Error(`task ${id} is in the index`);
    this.sendGuestAway();
    this.rows.add(normalise(text));
    this.rowOf.set(id, this.ids.length);
    this.ids.push(id);
  }

  /** Whether a task may block a new one, as all do that nobody set. One that is not there is left alone. Source: S-12. */
  setMayBlock(id: string, mayBlock: boolean): void {
    const row = this.rowOf.get(id);
    if (row === undefined) return;
    this.sendGuestAway();
    this.rows.setMayBlock(row, mayBlock);
  }

  /** Answers whether it was there. */
  remove(id: string): boolean {
    const row = this.rowOf.get(id);
    if (row === undefined) return false;
    this.sendGuestAway();
    this.rows.remove(row);
    this.rowOf.delete(id);
    const removed = this.ids.length - this.size;
    if (removed >= MIN_REMOVED && removed * 8 >= this.ids.length) this.moveUp();
    return true;
  }

  /** Looks up what a new text resembles; it is not added. Source: S-08, S-10, S-17. */
  compare(text: string, thresholds: Thresholds = DEFAULT_THRESHOLDS): Comparison {
    this.sendGuestAway();
    this.rows.add(normalise(text));
    this.hasGuest = true;
    const layers = runOnDemand(this.rows, thresholds);
    const { turn } = this;
    const hitsOf = (layer: Layer): readonly Hit[] => {
      if (turn !== this.turn) throw new Error('the index was used since this comparison was made');
      return layers[layer]().map(({ row, score }) => ({ layer, id: this.idAt(row), score }));
    };
    const candidates = () => {
      if (turn !== this.turn) throw new Error('the index was used since this comparison was made');
      const hits = LAYERS.map((layer) => layers[layer]());
      const found = [layers.byKeyword(), layers.byTrigram()];
      const ids = [hits, found].flatMap((rankings) => inTurn(this.byKind(rankings)));
      return [...new Set(ids)].slice(0, BEST);
    };
    return { hitsOf, candidates };
  }

  /** Ids of what may block, of each ranking, and then of what never does: neither of them hides the best of the others. */
  private byKind(rankings: readonly (readonly Scored[])[]): readonly (readonly string[])[] {
    const never = ({ row }: Scored) => this.rows.lives.all[row] === NEVER_BLOCKS;
    const kinds = [(one: Scored) => !never(one), never];
    return kinds.flatMap((isMeant) =>
      rankings.map((ranking) => ranking.filter(isMeant).map(({ row }) => this.idAt(row))),
    );
  }

  private idAt(row: number): string {
    return this.ids[row] ?? '';
  }

  private sendGuestAway(): void {
    this.turn += 1;
    if (this.hasGuest) this.rows.dropLast();
    this.hasGuest = false;
  }

  private moveUp(): void {
    this.rows.keepLiving();
    this.ids = this.ids.filter((id, row) => this.rowOf.get(id) === row);
    for (const [row, id] of this.ids.entries()) this.rowOf.set(id, row);
  }
}

type Ranking = () => readonly Scored[];

function runOnDemand(rows: TextRows, thresholds: Thresholds): Record<Layer | 'byKeyword' | 'byTrigram', Ranking> {
  const keyword = once((): KeywordBest => findByKeyword(rows, thresholds.keyword));
  const trigram = once((): BestFew => findByTrigram(rows));
  const tfidf = once(() => findByTfidf(rows, thresholds.tfidf));
  const minhash = once(() => findByMinhash(rows, thresholds.minhash));
  return {
    keyword: () => keyword().hits.rows,
    trigram: () => trigram().atLeast(thresholds.trigram),
    tfidf: () => tfidf().rows,
    minhash: () => minhash().rows,
    byKeyword: () => keyword().found.rows,
    byTrigram: () => trigram().rows,
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** The first of each list, then the second of each, and so on. */
function inTurn(lists: readonly (readonly string[])[]): readonly string[] {
  return Array.from({ length: BEST }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat();
}
