/**
 * Finds why two texts that look alike are two tasks all the same. Pure, on raw texts: they hold for equal normalised text too. A guard only stops a block;
 * the task stays a possible duplicate, so one too many costs a question and one too few a task. English words only.
 */
import { isDirection, isNegation, oppositesOf, plainWord } from './guard-words.js';
import { namesIn, numbersIn, says, signsIn } from './read-names.js';

const WORDS = /[\p{L}\p{N}_]+(?:['’][\p{L}]+)?/gu;
const ARROWS: readonly (readonly [sign: RegExp, word: string])[] = [
  [/[-=]+>|→/gu, ' to '],
  [/<[-=]*-|←/gu, ' from '],
];
const ARTICLES = new Set(['a', 'an', 'the']);

interface Sides {
  readonly newText: string;
  readonly oldText: string;
  /** In their order, lower case, without articles; an arrow is "to" or "from". */
  readonly newWords: readonly string[];
  readonly oldWords: readonly string[];
}

/** In words which guard, as "antonym enable/disable"; null: none. Source: S-15. */
export function findGuard(newText: string, oldText: string): string | null {
  const [newSide, oldSide] = [newText.normalize('NFKC'), oldText.normalize('NFKC')];
  const sides = { newText: newSide, oldText: oldSide, newWords: wordsOf(newSide), oldWords: wordsOf(oldSide) };
  return findAntonym(sides) ?? findOrder(sides) ?? findNegation(sides) ?? findNumber(sides) ?? findName(sides);
}

/** With apostrophes taken out: "don't" is "dont". */
function wordsOf(text: string): readonly string[] {
  let plain = text.toLowerCase();
  for (const [sign, word] of ARROWS) plain = plain.replace(sign, word);
  const words = (plain.match(WORDS) ?? []).map((word) => word.replace(/['’]/, ''));
  return words.filter((word) => !ARTICLES.has(word));
}

/** One side has a word, the other its opposite and no form of it; or both have both, and they changed places. */
function findAntonym({ newWords, oldWords }: Sides): string | null {
  const [newPlain, oldPlain] = [newWords.map(plainWord), oldWords.map(plainWord)];
  const [inNew, inOld] = [new Set(newPlain), new Set(oldPlain)];
  for (const word of inNew) {
    const opposite = inOld.has(word)
      ? undefined
      : oppositesOf(word).find((other) => inOld.has(other) && !inNew.has(other));
    if (opposite !== undefined) return `antonym ${word}/${opposite}`;
  }
  if (newPlain.length !== oldPlain.length) return null;
  const swapped = newPlain.findIndex((word, at) => oppositesOf(word).includes(oldPlain[at] ?? ''));
  return swapped < 0 ? null : `antonym ${newPlain[swapped]}/${oldPlain[swapped]}`;
}

/** The same words in another order, or the same but for to and from; an arrow is guarded where the other side has nothing in its place. */
function findOrder({ newText, oldText, newWords, oldWords }: Sides): string | null {
  if (newWords.join(' ') === oldWords.join(' ')) return null;
  if (newWords.toSorted().join(' ') === oldWords.toSorted().join(' ')) {
    const around = newWords.find((word) => isDirection(word) || isNegation(word));
    return around === undefined ? null : `other order around ${around}`;
  }
  const [newBare, oldBare] = [newWords, oldWords].map((words) => words.filter((word) => !isDirection(word)).join(' '));
  if (newBare !== oldBare) return null;
  const [inNew, inOld] = [newWords.filter(isDirection), oldWords.filter(isDirection)];
  if (inNew.length > 0 && inOld.length > 0) return `other direction ${inNew.join(' ')}/${inOld.join(' ')}`;
  return ARROWS.some(([sign]) => (newText.match(sign) ?? oldText.match(sign)) !== null) ? 'arrow on one side' : null;
}

function findNegation({ newWords, oldWords }: Sides): string | null {
  const [inNew, inOld] = [newWords.filter(isNegation), oldWords.filter(isNegation)];
  if (inNew.length === inOld.length) return null;
  const [more, less] = inNew.length > inOld.length ? [inNew, inOld] : [inOld, inNew];
  return `negation on one side: ${more.find((word) => !less.includes(word)) ?? more[0]}`;
}

function findNumber({ newText, oldText }: Sides): string | null {
  const [inNew, inOld] = [numbersIn(newText), numbersIn(oldText)];
  const values = findDifference(
    inNew.map(({ value }) => value),
    inOld.map(({ value }) => value),
  );
  if (values !== null) return `number ${values}`;
  const [newUnits, oldUnits] = [inNew, inOld].map((read) => read.map(({ unit }) => unit).filter((unit) => unit !== ''));
  const units = findDifference(newUnits ?? [], oldUnits ?? []);
  return units === null ? null : `unit ${units}`;
}

/** A name counts as said in whatever way the other text says it: `JSON` and "json" are one. */
function findName({ newText, oldText }: Sides): string | null {
  const signs = findDifference(signsIn(newText), signsIn(oldText));
  if (signs !== null) return `sign ${signs}`;
  const onlyNew = namesIn(newText).find((name) => !says(oldText, name));
  const onlyOld = namesIn(oldText).find((name) => !says(newText, name));
  return onlyNew === undefined || onlyOld === undefined ? null : `name ${onlyNew}/${onlyOld}`;
}

/** The first of each side that the other lacks; null unless both have one. */
function findDifference(inNew: readonly string[], inOld: readonly string[]): string | null {
  const onlyNew = inNew.find((one) => !inOld.includes(one));
  const onlyOld = inOld.find((one) => !inNew.includes(one));
  return onlyNew === undefined || onlyOld === undefined ? null : `${onlyNew}/${onlyOld}`;
}
