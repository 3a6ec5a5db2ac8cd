/**
 * Numbers 64-bit keys from 0 in the order they came, without an object for each: 10 000 texts have hundreds of thousands of them.
 * What two tokens hash to alike is one token here. By chance that happens once in 30 million vocabularies of a million tokens; who does it on purpose
 * makes two of his own words equal, and the guards read the text itself.
 */
import { growing32 } from './growing-numbers.js';

/** By a name of this module: Jest looks globals up so slowly that tests took ten times as long. */
const { imul } = Math;

const FIRST_SLOTS = 4096;

export class Vocabulary {
  private readonly lows = growing32();
  private readonly highs = growing32();
  /** Open addressing, linear probing: number + 1 of the key, 0 for a free place. Never more than half full. */
  private slots = new Uint32Array(FIRST_SLOTS);

  get size(): number {
    return this.lows.size;
  }

  get bytes(): number {
    return this.lows.bytes + this.highs.bytes + this.slots.byteLength;
  }

  /** The number of a key, a new one if it has none. */
  numberOf(low: number, high: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    for (let at = placeOf(low, high) & mask; ; at = (at + 1) & mask) {
      const taken = slots[at] ?? 0;
      if (taken === 0) return this.add(at, [low, high]);
      if (this.lows.all[taken - 1] === low && this.highs.all[taken - 1] === high) return taken - 1;
    }
  }

  /** Forgets the newest keys. Taken out newest first, no other key was ever moved on by one of them: no chain of places breaks. */
  shrinkTo(size: number): void {
    while (this.lows.size > size) {
      const newest = this.lows.size;
      const mask = this.slots.length - 1;
      let at = placeOf(this.lows.all[newest - 1] ?? 0, this.highs.all[newest - 1] ?? 0) & mask;
      while (this.slots[at] !== newest) at = (at + 1) & mask;
      this.slots[at] = 0;
      this.lows.size -= 1;
      this.highs.size -= 1;
    }
  }

  /** Keeps the keys whose number `isUsed` has at 1, and gives them new numbers in the same order. Answers old number → new number. */
  keepOnly(isUsed: Uint8Array): Uint32Array {
    const renumbered = new Uint32Array(this.size);
    let kept = 0;
    for (let number = 0; number < renumbered.length; number += 1) {
      if (isUsed[number] !== 1) continue;
      renumbered[number] = kept;
      this.lows.all[kept] = this.lows.all[number] ?? 0;
      this.highs.all[kept] = this.highs.all[number] ?? 0;
      kept += 1;
    }
    this.lows.size = kept;
    this.highs.size = kept;
    this.fillSlots(this.slots.length);
    return renumbered;
  }

  private add(at: number, [low, high]: readonly [number, number]): number {
    this.lows.push(low);
    this.highs.push(high);
    this.slots[at] = this.size;
    if (this.size * 2 > this.slots.length) this.fillSlots(this.slots.length * 2);
    return this.size - 1;
  }

  /** In the order of the numbers, which `shrinkTo` relies on. */
  private fillSlots(length: number): void {
    const mask = length - 1;
    this.slots = new Uint32Array(length);
    for (let number = 0; number < this.size; number += 1) {
      let at = placeOf(this.lows.all[number] ?? 0, this.highs.all[number] ?? 0) & mask;
      while (this.slots[at] !== 0) at = (at + 1) & mask;
      this.slots[at] = number + 1;
    }
  }
}

function placeOf(low: number, high: number): number {
  const mixed = imul(low ^ imul(high, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
