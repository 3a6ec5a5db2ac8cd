/** The two layers that compare what two texts consist of, whatever else there is: trigram (Jaccard) and minhash (share of equal minima). The new text is the last row. Source: S-08, S-10. */
import { BestFew } from './best-few.js';
import { HASHES, SIGNATURE_WORDS } from './min-hash.js';
import type { TextRows } from './text-rows.js';
import { BIT_WORDS, type TrigramRows } from './trigram-rows.js';

/** By a name of this module: Jest looks globals up so slowly that tests took ten times as long. */
const { imul } = Math;

/** 16 bands: a pair of similarity 0.7 has one in common with a probability of 0.988, one of 0.3 with 0.12. */
const ROWS_OF_BAND = 4;

/** The layer `trigram`, with all that share one: who asks for hits takes those that reach its threshold. */
export function findByTrigram({ trigrams, lives, size }: TextRows): BestFew {
  const best = new BestFew(lives.all);
  const guest = size - 1;
  const guestSize = trigrams.sizes.all[guest] ?? 0;
  const isListed = new Uint8Array(trigrams.listed.vocabulary.size);
  const { entries } = trigrams.listed;
  for (let at = trigrams.listed.startOf(guest); at < entries.size; at += 1) isListed[entries.all[at] ?? 0] = 1;
  for (let row = 0; row < guest; row += 1) {
    const rowSize = trigrams.sizes.all[row] ?? 0;
    if (lives.all[row] === 0 || rowSize === 0) continue;
    if (!best.mayTake(row, Math.min(rowSize, guestSize) / Math.max(rowSize, guestSize))) continue;
    const shared = countSharedBits(trigrams, row, guest) + countSharedListed(trigrams, row, isListed);
    best.offer(row, shared / (rowSize + guestSize - shared));
  }
  return best;
}

/** The layer `minhash`. Two texts without a token have equal signatures and nothing in common: they are not scored. */
export function findByMinhash({ signatures, lives, lengths, size }: TextRows, least: number): BestFew {
  const best = new BestFew(lives.all, least);
  const guest = size - 1;
  if (lengths.all[guest] === 0) return best;
  const all = signatures.all;
  const guestStart = guest * SIGNATURE_WORDS;
  for (let row = 0; row < guest; row += 1) {
    if (lives.all[row] === 0 || lengths.all[row] === 0) continue;
    const start = row * SIGNATURE_WORDS;
    let equal = 0;
    let hasBand = false;
    for (let band = 0; band < HASHES; band += ROWS_OF_BAND) {
      let equalInBand = 0;
      for (let word = 2 * band; word < 2 * (band + ROWS_OF_BAND); word += 2) {
        if (all[start + word] !== all[guestStart + word]) continue;
        if (all[start + word + 1] === all[guestStart + word + 1]) equalInBand += 1;
      }
      if (equalInBand === ROWS_OF_BAND) hasBand = true;
      equal += equalInBand;
    }
    if (hasBand) best.offer(row, equal / HASHES);
  }
  return best;
}

function countSharedBits({ bits: { all } }: TrigramRows, row: number, guest: number): number {
  const start = row * BIT_WORDS;
  const guestStart = guest * BIT_WORDS;
  let shared = 0;
  for (let word = 0; word < BIT_WORDS; word += 1) {
    // The ones of 32 bits, added up in pairs, fours, bytes, and the bytes by one multiplication.
    let ones = (all[start + word] ?? 0) & (all[guestStart + word] ?? 0);
    ones -= (ones >>> 1) & 0x55555555;
    ones = (ones & 0x33333333) + ((ones >>> 2) & 0x33333333);
    shared += imul((ones + (ones >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return shared;
}

function countSharedListed({ listed }: TrigramRows, row: number, isGuests: Uint8Array): number {
  const entries = listed.entries.all;
  const end = listed.endOf(row);
  let shared = 0;
  for (let at = listed.startOf(row); at < end; at += 1) shared += isGuests[entries[at] ?? 0] ?? 0;
  return shared;
}
