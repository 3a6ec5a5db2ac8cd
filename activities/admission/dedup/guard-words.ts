/** Words that turn a task into another one. Source: S-15; what goes beyond its list costs no more than a question to a person or a model. */

/** Of each pair one side, its forms, and then the other's. */
const ANTONYMS: readonly (readonly [one: string, other: string])[] = [
  ['enable enables enabled enabling', 'disable disables disabled disabling'],
  [
    'add adds added adding',
    'remove removes removed removing delete deletes deleted deleting drop drops dropped dropping',
  ],
  ['allow allows allowed allowing', 'deny denies denied denying forbid forbids forbidden'],
  ['show shows showed shown showing', 'hide hides hid hidden hiding'],
  ['start starts started starting', 'stop stops stopped stopping'],
  [
    'increase increases increased increasing',
    'decrease decreases decreased decreasing reduce reduces reduced reducing',
  ],
  ['raise raises raised raising', 'lower lowers lowered lowering'],
  ['upgrade upgrades upgraded upgrading', 'downgrade downgrades downgraded downgrading'],
  ['open opens opened opening', 'close closes closed closing'],
  ['include includes included including', 'exclude excludes excluded excluding'],
  ['import imports imported importing', 'export exports exported exporting'],
  ['encode encodes encoded encoding', 'decode decodes decoded decoding'],
  ['before', 'after'],
  ['first', 'last'],
  ['min minimum', 'max maximum'],
  ['ascending', 'descending'],
  ['true', 'false'],
  ['on', 'off'],
];

/** Put before a word, they make its opposite: lock and unlock, connect and disconnect. */
const OPPOSING_PREFIXES = ['un', 'dis', 'de'];

const NEGATIONS = new Set(
  'not no never without neither nor cannot dont doesnt didnt isnt arent wont cant shouldnt mustnt'.split(' '),
);

/** Between them, which word comes first decides who gives and who takes. */
const DIRECTIONS = new Set(['to', 'from', 'into']);

/** From two on, since "one" says "a" as often. */
const NUMBER_WORDS = 'two three four five six seven eight nine ten eleven twelve'.split(' ');

/** By any form, its side: the number of the pair, and which of the two with the word that stands for it. */
const SIDES = new Map(
  ANTONYMS.flatMap(([one, other], pair) =>
    [one, other].flatMap((forms, side) => forms.split(' ').map((form) => [form, { pair, side }] as const)),
  ),
);

export function areAntonyms(one: string, other: string): boolean {
  const first = SIDES.get(one);
  const second = SIDES.get(other);
  if (first !== undefined && second !== undefined) return first.pair === second.pair && first.side !== second.side;
  return OPPOSING_PREFIXES.some((prefix) => prefix + one === other || one === prefix + other);
}

/** Whether two words are forms of one, or stand for the same side of a pair: "add" and "adding". */
export function isSameSide(one: string, other: string): boolean {
  const first = SIDES.get(one);
  const second = SIDES.get(other);
  if (first === undefined || second === undefined) return one === other;
  return first.pair === second.pair && first.side === second.side;
}

export function isNegation(word: string): boolean {
  return NEGATIONS.has(word);
}

export function isDirection(word: string): boolean {
  return DIRECTIONS.has(word);
}

/** The digits of a number that is spelled, null for any other word. */
export function digitsOf(word: string): string | null {
  const at = NUMBER_WORDS.indexOf(word);
  return at < 0 ? null : String(at + 2);
}
