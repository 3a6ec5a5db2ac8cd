/** The four layers written straight from the formulas of the specification, with strings, maps and BigInt: what the index must agree with. Source: S-08, S-10. */
import type { Layer } from '../../../protocol/run/dedup-policy.js';

type Counts = ReadonlyMap<string, number>;

const UNSIGNED_64 = (1n << 64n) - 1n;
const SPACES = /[^\p{L}\p{Nd}]+/gu;

export function slowNormalise(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(SPACES, ' ').trim();
}

export function slowTokens(text: string): readonly string[] {
  return slowNormalise(text)
    .split(' ')
    .filter((word) => Array.from(word).length >= 2);
}

/** All scores of a new text against the old ones, which with it are the corpus. */
export function slowScores(
  newText: string,
  oldTexts: readonly string[],
): readonly Readonly<Record<Layer | 'bm25', number>>[] {
  const corpus = [...oldTexts, newText].map(slowTokens);
  const frequency = new Map<string, number>();
  for (const tokens of corpus)
    for (const token of new Set(tokens)) frequency.set(token, (frequency.get(token) ?? 0) + 1);
  const frame = { n: corpus.length, frequency, mean: corpus.flat().length / corpus.length };
  const news = slowTokens(newText);
  return oldTexts.map((oldText) => {
    const olds = slowTokens(oldText);
    return {
      keyword: Math.min(1, norm(frame, news, olds), norm(frame, olds, news)),
      bm25: bm25(frame, news, olds),
      trigram: jaccard(trigrams(newText), trigrams(oldText)),
      tfidf: cosine(frame, news, olds),
      minhash: minhash(news, olds),
    };
  });
}

interface Frame {
  readonly n: number;
  readonly frequency: Counts;
  readonly mean: number;
}

function countsOf(tokens: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function bm25({ n, frequency, mean }: Frame, query: readonly string[], document: readonly string[]): number {
  const counts = countsOf(document);
  let sum = 0;
  for (const token of new Set(query)) {
    const df = frequency.get(token) ?? 0;
    const idf = n < 20 ? 1 : Math.log(1 + (n - df + 0.5) / (df + 0.5));
    const tf = counts.get(token) ?? 0;
    if (tf > 0) sum += (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * document.length) / mean));
  }
  return sum;
}

function norm(frame: Frame, query: readonly string[], document: readonly string[]): number {
  return query.length === 0 ? 0 : bm25(frame, query, document) / bm25(frame, query, query);
}

function trigrams(text: string): ReadonlySet<string> {
  const padded = Array.from(` ${slowNormalise(text)} `);
  return new Set(padded.slice(2).map((_, at) => padded.slice(at, at + 3).join('')));
}

function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((item) => other.has(item)).length;
  return shared === 0 ? 0 : shared / (one.size + other.size - shared);
}

function cosine({ n, frequency }: Frame, one: readonly string[], other: readonly string[]): number {
  const [first, second] = [one, other].map((tokens) => {
    const weights = new Map<string, number>();
    for (const [token, count] of countsOf(tokens))
      weights.set(token, (count / tokens.length) * (Math.log((1 + n) / (1 + (frequency.get(token) ?? 0))) + 1));
    const length = Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
    return new Map([...weights].map(([token, weight]) => [token, weight / length]));
  });
  return [...(first ?? [])].reduce((sum, [token, weight]) => sum + weight * (second?.get(token) ?? 0), 0);
}

function fnv(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & UNSIGNED_64;
  return hash;
}

const HASHES = ((): readonly (readonly [bigint, bigint])[] => {
  let x = 0x9e3779b97f4a7c15n;
  const draw = () => {
    x = (x * 6364136223846793005n + 1442695040888963407n) & UNSIGNED_64;
    return x;
  };
  return Array.from({ length: 64 }, () => [draw() | 1n, draw()] as const);
})();

const signatures = new Map<string, readonly bigint[]>();

function signatureOf(tokens: readonly string[]): readonly bigint[] {
  const key = tokens.join(' ');
  const known = signatures.get(key);
  if (known !== undefined) return known;
  const pairs = tokens.length === 1 ? tokens : tokens.slice(1).map((token, at) => `${tokens[at]} ${token}`);
  const shingles = [...new Set(pairs)].map(fnv);
  const minima = HASHES.map(([a, b]) =>
    shingles.map((x) => (a * x + b) & UNSIGNED_64).reduce((least, hash) => (hash < least ? hash : least)),
  );
  signatures.set(key, minima);
  return minima;
}

function minhash(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return 0;
  const second = signatureOf(other);
  const isEqual = signatureOf(one).map((least, at) => least === second[at]);
  const bands = Array.from({ length: 16 }, (_, band) => isEqual.slice(4 * band, 4 * band + 4));
  return bands.some((band) => band.every(Boolean)) ? isEqual.filter(Boolean).length / 64 : 0;
}
