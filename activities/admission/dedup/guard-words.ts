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

/** By any form, the word that stands for its side of the pair, and those that stand for the other. */
const SIDES = new Map(ANTONYMS.flatMap(([one, other]) => [...sideOf(one, other), ...sideOf(other, one)]));

interface Side {
  readonly word: string;
  readonly opposite: string;
}

function sideOf(forms: string, others: string): readonly (readonly [string, Side])[] {
  const [side, opposite] = [firstOf(forms), firstOf(others)];
  return forms.split(' ').map((form) => [form, { word: side, opposite }]);
}

function firstOf(forms: string): string {
  return forms.split(' ', 1).join('');
}

/** One word for all that stand on the same side of a pair: "adding" is "add". */
export function plainWord(word: string): string {
  return SIDES.get(word)?.word ?? word;
}

/** What a plain word could be the opposite of, as plain words. */
export function oppositesOf(plain: string): readonly string[] {
  const opposite = SIDES.get(plain)?.opposite;
  const made = OPPOSING_PREFIXES.map((prefix) => prefix + plain);
  const bare = OPPOSING_PREFIXES.filter((prefix) => plain.startsWith(prefix)).map((prefix) =>
    plain.slice(prefix.length),
  );
  return opposite === undefined ? [...made, ...bare] : [opposite];
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
