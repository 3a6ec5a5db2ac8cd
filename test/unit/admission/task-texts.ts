/**
 * Task texts as people write them, of any length and number, the same for the same seed. Words come by Zipf's law: everyday words, words of the trade, and a long
 * tail of names that few texts share. Texts of few different words would all resemble one another.
 */

const EVERYDAY =
  'the to a in and of is for when it on that with be as not this from by should are we an so or at if can but which after only have all one into there they no then has will before was its also than out each where any does same every while instead would must more two new still up them some how about what other over because between under until same both without own per via once most'.split(
    ' ',
  );
const VERBS =
  'add fix remove update move rename support handle show hide check log cache retry validate parse print store load return report refactor replace split merge test document migrate upgrade limit allow cover speed simplify extract expose wire drop reuse reject sort filter group paginate export import sync schedule queue cancel resume rotate encrypt sign verify render style align translate localise measure trace warn notify subscribe publish batch stream compress archive restore'.split(
    ' ',
  );
const TRADE =
  'user login page button form token session cookie request response header body error message timeout client server route handler middleware database table column index query migration schema field type test suite fixture mock build pipeline release version package dependency lockfile config file folder path setting option flag command argument output input stream buffer socket connection pool worker thread job queue event listener hook component modal menu sidebar dashboard chart report invoice order cart checkout payment refund customer account profile avatar password email template notification webhook secret key certificate log metric trace span alert cache entry bucket upload download image thumbnail video search result filter sort page cursor limit rate quota plan tenant role permission policy audit record history diff patch branch commit merge review comment thread label issue board column card date time zone locale currency number string list map tree graph node edge layout theme colour font icon tooltip keyboard shortcut focus screen reader crash leak race deadlock retry backoff circuit breaker replica shard backup snapshot cluster region container image registry volume proxy gateway domain'.split(
    ' ',
  );
const SYLLABLES =
  'ac ad al am an ar as at ba be bi bo ca ce ci co cu da de di do du en er es fa fe fi fo ga ge go ha he hi ho il im in io is ka ki la le li lo lu ma me mi mo mu na ne ni no nu ol om on or pa pe pi po qua ra re ri ro ru sa se si so su ta te ti to tu un ur va ve vi vo wa we wi xa ya zo'.split(
    ' ',
  );
const TAIL = 6000;

/** Numbers in [0, 1), mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** By Zipf's law: the first is taken most often. */
function pick(words: readonly string[], random: () => number): string {
  return words[Math.floor(words.length ** random()) - 1] ?? '';
}

function pickEvenly(words: readonly string[], random: () => number): string {
  return words[Math.floor(words.length * random())] ?? '';
}

function tailOf(random: () => number): readonly string[] {
  return Array.from({ length: TAIL }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => pickEvenly(SYLLABLES, random)).join(''),
  );
}

interface Source {
  readonly random: () => number;
  readonly tail: readonly string[];
  readonly trade: readonly string[];
  /** Unit: characters. */
  readonly bytes: number;
}

export interface TextsWanted {
  readonly bytes: number;
  /** Then `bytes` is the mean, and texts have half of it to one and a half. */
  readonly isMixed?: boolean;
  readonly seed?: number;
  /** Words to write of, instead of those of the trade. */
  readonly about?: readonly string[];
}

export function taskTexts(
  count: number,
  { bytes, isMixed = false, seed = 1, about = TRADE }: TextsWanted,
): readonly string[] {
  const random = randomOf(seed);
  const source = { random, tail: tailOf(random), trade: about };
  return Array.from({ length: count }, () => textOf({ ...source, bytes: isMixed ? bytes * (0.5 + random()) : bytes }));
}

function textOf(source: Source): string {
  const { random, tail, trade, bytes } = source;
  // A text keeps to its subject: a few words of the trade and a few names come again and again in it.
  const subject = Array.from({ length: 4 + Math.floor(bytes / 100) }, () =>
    random() < 0.6 ? pickEvenly(trade, random) : pick(tail, random),
  );
  let text = '';
  while (text.length < bytes) text += sentenceOf(source, subject);
  return text.slice(0, bytes).trim();
}

function sentenceOf({ random, tail, trade }: Source, subject: readonly string[]): string {
  const verb = pickEvenly(VERBS, random);
  let sentence = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  const words = 5 + Math.floor(random() * 14);
  for (let word = 0; word < words; word += 1) {
    const kind = random();
    if (kind < 0.45) sentence += ` ${pick(EVERYDAY, random)}`;
    else if (kind < 0.75) sentence += ` ${pickEvenly(subject, random)}`;
    else if (kind < 0.87) sentence += ` ${pickEvenly(trade, random)}`;
    else if (kind < 0.93) sentence += ` ${pickEvenly(VERBS, random)}`;
    else if (kind < 0.99) sentence += ` ${pick(tail, random)}`;
    else sentence += ` ${Math.floor(random() * 1000)}`;
  }
  return `${sentence}. `;
}
