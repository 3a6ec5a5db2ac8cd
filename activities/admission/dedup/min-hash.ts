/**
 * Signatures of 64 minima: the share of equal ones estimates how many word pairs two texts have in common, within 0.06 of it two times in three.
 * The inner loop is WebAssembly, since it multiplies 64-bit numbers: with halves of 32 bits in plain code 10 000 texts of 4096 bytes took 7 s of CPU, this
 * way under 1 s. Source: docs/requirements/skep.md "Formats", layer minhash.
 */
import { MAX_NORMALISED_UNITS } from './normalise.js';

export const HASHES = 64;
/** Words of 32 bits in a signature: of each minimum the low half, then the high half. */
export const SIGNATURE_WORDS = 2 * HASHES;

const MULTIPLIER = 6364136223846793005n;
const INCREMENT = 1442695040888963407n;
const FIRST_X = 0x9e3779b97f4a7c15n;

/** Where things lie in the memory of LOOP. Unit: bytes. */
const MINIMA_AT = 1024;
const SHINGLES_AT = 2048;
const PAGE = 65_536;
/** A token has 2 characters and a space, and a pair begins at each: 8 bytes for each, in whole pages. */
const PAGES = Math.ceil((SHINGLES_AT + 8 * Math.ceil(MAX_NORMALISED_UNITS / 3)) / PAGE);

/**
 * For each i, the least of a_i·x + b_i over the shingles x from SHINGLES_AT to `end`, of which there is at least one. a_i and b_i lie at 16·i.
 * Locals: 0 end, 1 place of a_i, 2 place of x, 3 a_i, 4 b_i, 5 least so far, 6 hash. Source: WebAssembly 1.0, binary format.
 */
const LOOP_CODE = [
  // Beside the parameter two i32 and four i64.
  0x02, 0x02, 0x7f, 0x04, 0x7e,
  // For each i: a_i, b_i, the greatest number there is as the least so far, and the first x.
  0x03, 0x40, 0x20, 0x01, 0x29, 0x03, 0x00, 0x21, 0x03, 0x20, 0x01, 0x29, 0x03, 0x08, 0x21, 0x04, 0x42, 0x7f, 0x21,
  0x05, 0x41, 0x80, 0x10, 0x21, 0x02,
  // For each x: hash = a_i · x + b_i, and the lesser of the two stays.
  0x03, 0x40, 0x20, 0x03, 0x20, 0x02, 0x29, 0x03, 0x00, 0x7e, 0x20, 0x04, 0x7c, 0x22, 0x06, 0x20, 0x05, 0x20, 0x06,
  0x20, 0x05, 0x54, 0x1b, 0x21, 0x05, 0x20, 0x02, 0x41, 0x08, 0x6a, 0x22, 0x02, 0x20, 0x00, 0x49, 0x0d, 0x00, 0x0b,
  // The minimum to MINIMA_AT + 8·i, and on to the next i.
  0x20, 0x01, 0x41, 0x01, 0x76, 0x20, 0x05, 0x37, 0x03, 0x80, 0x08, 0x20, 0x01, 0x41, 0x10, 0x6a, 0x22, 0x01, 0x41,
  0x80, 0x08, 0x49, 0x0d, 0x00, 0x0b, 0x0b,
];

/** Each section: its kind, how long it is, what it says. No length here reaches 128, so one byte holds it. */
const LOOP = Uint8Array.from([
  0x00,
  0x61,
  0x73,
  0x6d,
  0x01,
  0x00,
  0x00,
  0x00,
  // One type, (i32) → (); one function of it; one memory; both exported, as "m" and "f".
  0x01,
  0x05,
  0x01,
  0x60,
  0x01,
  0x7f,
  0x00,
  0x03,
  0x02,
  0x01,
  0x00,
  0x05,
  0x03,
  0x01,
  0x00,
  PAGES,
  0x07,
  0x09,
  0x02,
  0x01,
  0x6d,
  0x02,
  0x00,
  0x01,
  0x66,
  0x00,
  0x00,
  0x0a,
  LOOP_CODE.length + 2,
  0x01,
  LOOP_CODE.length,
  ...LOOP_CODE,
]);

/** As much of it as is used here: TypeScript has it among the types of browsers only. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: LoopExports };
};

interface LoopExports {
  readonly m: { readonly buffer: ArrayBuffer };
  readonly f: (end: number) => void;
}

/** Makes one signature after another. Shape: `take` each shingle of a text, then `writeTo` once, which begins anew. */
export class MinHash {
  private readonly loop = new WebAssembly.Instance(new WebAssembly.Module(LOOP)).exports;
  private readonly memory = new Uint32Array(this.loop.m.buffer);
  private end = SHINGLES_AT;

  constructor() {
    drawParameters(new BigUint64Array(this.loop.m.buffer, 0, 2 * HASHES));
  }

  /** The halves of the shingle's hash. */
  take(low: number, high: number): void {
    const word = this.end / 4;
    this.memory[word] = low;
    this.memory[word + 1] = high;
    this.end += 8;
  }

  /** Without a shingle: 64 times the greatest number, as for every such text, so those are never compared by it. */
  writeTo(signatures: Uint32Array, start: number): void {
    if (this.end === SHINGLES_AT) signatures.fill(0xffffffff, start, start + SIGNATURE_WORDS);
    else {
      this.loop.f(this.end);
      signatures.set(this.memory.subarray(MINIMA_AT / 4, MINIMA_AT / 4 + SIGNATURE_WORDS), start);
    }
    this.end = SHINGLES_AT;
  }
}

/** a_1, b_1, a_2, b_2 and so on, each a made odd. The first x is where it starts, and each draw moves it on before it is read. */
function drawParameters(drawn: BigUint64Array): void {
  let x = FIRST_X;
  for (const at of drawn.keys()) {
    x = BigInt.asUintN(64, x * MULTIPLIER + INCREMENT);
    drawn[at] = at % 2 === 0 ? x | 1n : x;
  }
}
