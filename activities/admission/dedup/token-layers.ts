/**
 * The two layers that weigh tokens by how rare they are: keyword (BM25 in both directions) and tfidf (cosine). Each reads all rows once, from front to end.
 * The new text is the last row. Source: S-08, S-10.
 */
import { BestFew } from './best-few.js';
import type { TextRows } from './text-rows.js';

const K1 = 1.2;
const B = 0.75;
/** Below it, how rare a token is says nothing yet: each weighs 1. */
const MIN_CORPUS = 20;

export interface KeywordBest {
  /** By the lower of both directions, so that few words inside many are no duplicate. */
  readonly hits: BestFew;
  /** By BM25 of the new text's tokens in the old text, as a search would rank them. */
  readonly found: BestFew;
}

/** The layer `keyword`. `least`: the threshold of a hit, inclusive. No tokens on one side: no score. */
export function findByKeyword(rows: TextRows, least: number): KeywordBest {
  const lives = rows.lives.all;
  const best = { hits: new BestFew(lives, least), found: new BestFew(lives) };
  const bm25 = new Bm25(rows);
  const own = bm25.ofItself(bm25.guest);
  for (let row = 0; row < bm25.guest; row += 1) {
    if (lives[row] === 0) continue;
    const score = bm25.ofGuestIn(row);
    if (score === 0) continue;
    best.found.offer(row, score);
    const forward = Math.min(1, score / own);
    if (best.hits.mayTake(row, forward))
      best.hits.offer(row, Math.min(forward, bm25.inGuest(row) / bm25.ofItself(row)));
  }
  return best;
}

class Bm25 {
  readonly guest: number;
  /** By df. */
  private readonly idf: Float64Array;
  /** By token, 0 for what the guest does not have. */
  private readonly guestCounts: Uint16Array;
  private readonly guestWeights: Float64Array;

  constructor(private readonly rows: TextRows) {
    const { tokens, counts, documentFrequency, living } = rows;
    this.guest = rows.size - 1;
    this.idf = Float64Array.from({ length: living + 1 }, (_, df) =>
      living < MIN_CORPUS ? 1 : Math.log(1 + (living - df + 0.5) / (df + 0.5)),
    );
    this.guestCounts = new Uint16Array(tokens.vocabulary.size);
    this.guestWeights = new Float64Array(tokens.vocabulary.size);
    for (let at = tokens.startOf(this.guest); at < tokens.endOf(this.guest); at += 1) {
      const token = tokens.entries.all[at] ?? 0;
      this.guestCounts[token] = counts.all[at] ?? 0;
      this.guestWeights[token] = this.idf[documentFrequency[token] ?? 0] ?? 0;
    }
  }

  ofGuestIn(row: number): number {
    const { guestWeights } = this;
    const { tokens, counts } = this.rows;
    const entries = tokens.entries.all;
    const damping = this.dampingOf(row);
    const end = tokens.endOf(row);
    // Most tokens occur once: one division for all of them.
    const ofOne = saturate(1, damping);
    let sum = 0;
    for (let at = tokens.startOf(row); at < end; at += 1) {
      const weight = guestWeights[entries[at] ?? 0] ?? 0;
      if (weight === 0) continue;
      const count = counts.all[at] ?? 0;
      sum += weight * (count === 1 ? ofOne : saturate(count, damping));
    }
    return sum;
  }

  inGuest(row: number): number {
    const { guestCounts, guestWeights } = this;
    const { tokens } = this.rows;
    const damping = this.dampingOf(this.guest);
    let sum = 0;
    for (let at = tokens.startOf(row); at < tokens.endOf(row); at += 1) {
      const token = tokens.entries.all[at] ?? 0;
      const count = guestCounts[token] ?? 0;
      if (count !== 0) sum += (guestWeights[token] ?? 0) * saturate(count, damping);
    }
    return sum;
  }

  ofItself(row: number): number {
    const { tokens, counts, documentFrequency } = this.rows;
    const damping = this.dampingOf(row);
    let sum = 0;
    for (let at = tokens.startOf(row); at < tokens.endOf(row); at += 1) {
      const weight = this.idf[documentFrequency[tokens.entries.all[at] ?? 0] ?? 0] ?? 0;
      sum += weight * saturate(counts.all[at] ?? 0, damping);
    }
    return sum;
  }

  private dampingOf(row: number): number {
    return K1 * (1 - B + (B * (this.rows.lengths.all[row] ?? 0)) / this.rows.meanLength);
  }
}

function saturate(count: number, damping: number): number {
  return (count * (K1 + 1)) / (count + damping);
}

/** The layer `tfidf`. A cosine does not depend on the lengths by which counts become frequencies, so counts are taken as they are. */
export function findByTfidf(rows: TextRows, least: number): BestFew {
  const { tokens, counts, lives } = rows;
  const best = new BestFew(lives.all, least);
  const guest = rows.size - 1;
  const idf = idfOfTokens(rows);
  const guestWeights = new Float64Array(idf.length);
  let guestNorm = 0;
  for (let at = tokens.startOf(guest); at < tokens.endOf(guest); at += 1) {
    const token = tokens.entries.all[at] ?? 0;
    const weight = (counts.all[at] ?? 0) * (idf[token] ?? 0);
    guestWeights[token] = weight;
    guestNorm += weight * weight;
  }
  const entries = tokens.entries.all;
  for (let row = 0; row < guest; row += 1) {
    if (lives.all[row] === 0) continue;
    const end = tokens.endOf(row);
    let product = 0;
    let norm = 0;
    for (let at = tokens.startOf(row); at < end; at += 1) {
      const token = entries[at] ?? 0;
      const weight = (counts.all[at] ?? 0) * (idf[token] ?? 0);
      norm += weight * weight;
      product += weight * (guestWeights[token] ?? 0);
    }
    if (product > 0) best.offer(row, Math.min(1, product / Math.sqrt(norm * guestNorm)));
  }
  return best;
}

function idfOfTokens({ tokens, documentFrequency, living }: TextRows): Float64Array {
  const byFrequency = Float64Array.from({ length: living + 1 }, (_, df) => Math.log((1 + living) / (1 + df)) + 1);
  const idf = new Float64Array(tokens.vocabulary.size);
  for (let token = 0; token < idf.length; token += 1) idf[token] = byFrequency[documentFrequency[token] ?? 0] ?? 0;
  return idf;
}
