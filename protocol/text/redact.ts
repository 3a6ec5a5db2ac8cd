/**
 * The one redactor: secrets of known shapes become `[redacted:<kind>]` in everything that leaves (artifacts, journal, logs, terminal, payloads).
 * Pure, so that it runs in the workflow sandbox, and linear: every pattern starts at a literal, no two of its repeats can share a character,
 * and every repeat has a bound, for an unbounded one overflows V8's backtrack stack at some megabytes.
 * It knows shapes, not secrets: a password in a sentence is not found.
 */
import { isList, type Json } from './json.js';

/** A private key is shorter; beyond this an END line does not belong to its BEGIN. */
const MAX_KEY_BLOCK_CHARS = 16 * 1024;

interface Rule {
  readonly kind: string;
  /** Searching these first makes text without secrets cheap. */
  readonly needles: readonly string[];
  /** One group: all of the match is the secret. Two: the first stays. */
  readonly pattern: RegExp;
}

/** A token's start: not inside a word, except after a JSON escape such as `\n`, whose letter belongs to no word. */
const START = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrtbf])`;

/** `name = `, `"name": ` and the same inside a JSON string. */
const ASSIGN = String.raw`\\?["']?[ \t]{0,8}[=:][ \t]{0,8}\\?["']?`;

/** References and placeholders are not secrets: `$TOKEN`, `${x}`, `<token>`, `***`, `[redacted:…]`. */
const VALUE_START = String.raw`[^\s"'\x60\\$<>{}()\[\]*=,;:&|]`;

/** How a token of another kind begins: where one key ends, the next may begin at once. */
const NEXT = String.raw`gh[pousr]_|github_pat_|glpat-|sk-|A[KS]IA|AIza|xox|xapp-|npm_|pypi-|[rs]k_|eyJ`;

/** What hangs on a token without a gap goes with it, for it may be another one, whose own beginning the first has taken. */
const GLUED = String.raw`[\w-]{0,1024}(?:\.[\w-]{16,8192}){0,16}`;

const TOKEN_RULES: readonly Rule[] = [
  shape('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{20,1024}'),
  shape('github-token', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{20,1024}'),
  shape('gitlab-token', ['glpat-'], 'glpat-[A-Za-z0-9_-]{16,1024}'),
  shape('anthropic-key', ['sk-ant-'], `${START}sk-ant-[A-Za-z0-9_-]{16,1024}`),
  shape('openai-key', ['sk-'], `${START}sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,1024}|[A-Za-z0-9]{20,1024})`),
  shape('aws-key', ['AKIA', 'ASIA'], `${START}A[KS]IA[A-Z0-9]{16}(?=$|[^A-Za-z0-9]|${NEXT})`),
  shape('google-key', ['AIza'], `${START}AIza[A-Za-z0-9_-]{35}`),
  shape('slack-token', ['xox'], `${START}xox[abeoprs]-[A-Za-z0-9-]{10,1024}`),
  shape('slack-token', ['xapp-'], `${START}xapp-[A-Za-z0-9-]{10,1024}`),
  shape('npm-token', ['npm_'], `${START}npm_[A-Za-z0-9]{30,1024}`),
  shape('pypi-token', ['pypi-'], `${START}pypi-[A-Za-z0-9_-]{30,1024}`),
  shape('stripe-key', ['_live_', '_test_'], `${START}[rs]k_(?:live|test)_[A-Za-z0-9]{16,1024}`),
  shape(
    'jwt',
    ['eyJ'],
    String.raw`(?<=^|[^\w-]|\\[nrtbf])eyJ[\w-]{8,8192}\.[\w-]{0,8192}\.[\w-]{0,8192}(?:\.[\w-]{1,8192}){0,2}`,
  ),
  keep(
    'slack-webhook',
    ['hooks.slack.com/'],
    String.raw`(hooks\.slack\.com\/(?:services|workflows|triggers)\/)([A-Za-z0-9/_-]{16,1024})`,
  ),
  keep('url-password', ['://'], String.raw`(:\/\/[^\s/:@"'\\<>]{0,256}:)(${VALUE_START}[^\s/@"'\\?#]{0,512})(?=@)`),
];

const AUTHORIZATION = new RegExp(
  String.raw`(authorization${ASSIGN}(?:bearer|basic|token)[ \t]{1,8})(${VALUE_START}[^\s"'\x60\\,]{5,16384})`,
  'gi',
);

const AWS_SECRET = new RegExp(`(secret_?access_?key${ASSIGN})([A-Za-z0-9/+]{40})`, 'gi');

const SECRET_NAME = String.raw`_(?:token|secret|password|passwd|api_?key|access_?key|secret_?key|private_?key|authtoken)`;

/** Groups: name with its sign and quotes, value. What counts as a secret is decided by `isSecretAssignment`. */
const NAMED = new RegExp(String.raw`(${SECRET_NAME}(${ASSIGN}))(${VALUE_START}[^\s"'\x60\\()]{5,16384})`, 'gi');

const BARE_NAMED = new RegExp(
  String.raw`(?<=^|[^A-Za-z0-9_]|\\[nrtbf])((?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY)(=["']?))(${VALUE_START}[^\s"'\x60\\()]{5,16384})`,
  'g',
);

/** Without one of these the pattern above, which has to look back everywhere, finds nothing. */
const BARE_NEEDLES = ['TOKEN=', 'SECRET=', 'PASSWORD=', 'PASSWD=', 'APIKEY=', 'API_KEY='] as const;

export const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----/g;
/** What is left of a key whose end was cut off. */
const KEY_LINES = /(?:(?:(?:\s|\\[nr]){0,4}[A-Za-z0-9+/=]{16,76}){1,400}(?:[\w.]|-(?!--)){0,8192})?/y;

/** Replaces every secret of a known shape. Idempotent: a marker is no secret. */
export function redact(text: string): string {
  let out = text.includes('PRIVATE KEY') ? redactKeyBlocks(text) : text;
  for (const rule of TOKEN_RULES) {
    if (rule.needles.some((needle) => out.includes(needle))) {
      out = out.replace(
        rule.pattern,
        (_match, kept: unknown) => `${typeof kept === 'string' ? kept : ''}[redacted:${rule.kind}]`,
      );
    }
  }
  if (out.includes('uthorization') || out.includes('UTHORIZATION')) {
    out = out.replace(AUTHORIZATION, '$1[redacted:authorization]');
  }
  if (!out.includes('=') && !out.includes(':')) return out;
  out = out.replace(AWS_SECRET, '$1[redacted:aws-secret]');
  out = out.replace(NAMED, redactAssignment);
  return BARE_NEEDLES.some((needle) => out.includes(needle)) ? out.replace(BARE_NAMED, redactAssignment) : out;
}

/** Redacts every string of a JSON value, names of fields included, so that the result is JSON again. As text it holds nothing that `redact` would find. */
export function redactJson(value: Json): Json {
  if (typeof value === 'string') return redact(value);
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map(redactJson);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => redactField(redact(name), redactJson(field))));
}

const SECRET_FIELD = new RegExp(`(?:${SECRET_NAME}|authorization|secret_?access_?key)$`, 'i');

/** Name and value lie apart in data and say together what neither says alone. */
function redactField(name: string, field: Json): [string, Json] {
  if (typeof field !== 'string' || !SECRET_FIELD.test(name)) return [name, field];
  const text = JSON.stringify({ [name]: field });
  return [name, redact(text) === text ? field : '[redacted:assignment]'];
}

export interface StreamRedactor {
  /** Takes the next piece and gives what is final so far. */
  push(chunk: string): string;
  /** Gives the rest. */
  end(): string;
}

/** A line longer than this is not held in memory until its end. */
const MAX_HELD_CHARS = 64 * 1024;
/** Longer than any token that is worth waiting for. */
const TOKEN_WINDOW_CHARS = 8 * 1024;

/** Anything that a pattern could start with, without white space; a forced cut goes before it. */
export const SUSPECT = new RegExp(
  String.raw`${NEXT}|hooks\.slack|:\/\/|authorization|secret_?access|${SECRET_NAME}|TOKEN|SECRET|PASSW|API_?KEY|-----BEGIN`,
  'gi',
);

/**
 * Redacts a text that comes in pieces, with the same result as `redact` of the whole, because it holds back the last line and an open key block.
 * Not promised: a secret of more than 8 Ki characters inside a line of more than 64 Ki; and where a secret's value runs into `-----BEGIN` on one
 * line, the whole may lose more of that line than the pieces do.
 */
export function createRedactor(): StreamRedactor {
  let held = '';
  return {
    push(chunk) {
      held += chunk;
      if (!chunk.includes('\n') && held.length <= MAX_HELD_CHARS) return '';
      const cut = finalUpTo(held);
      const head = held.slice(0, cut);
      held = held.slice(cut);
      return redact(head);
    },
    end() {
      const rest = held;
      held = '';
      return redact(rest);
    },
  };
}

function finalUpTo(held: string): number {
  const newline = held.lastIndexOf('\n') + 1;
  const cut = held.length - newline > MAX_HELD_CHARS ? forcedCut(held) : newline;
  const begin = held.lastIndexOf('-----BEGIN ', cut);
  if (begin < 0 || begin >= cut || held.length - begin > MAX_KEY_BLOCK_CHARS + 64) return cut;
  const end = held.indexOf('-----END ', begin);
  if (end >= 0 && end < cut) return cut;
  // From the start of its line, for the value of an assignment may run into it; but never inside another block.
  const line = held.lastIndexOf('\n', begin) + 1;
  return begin - line > TOKEN_WINDOW_CHARS || held.slice(0, begin).includes('-----') ? begin : line;
}

function forcedCut(held: string): number {
  const latest = held.length - TOKEN_WINDOW_CHARS;
  // A little more than the window, for a prefix may lie across its end.
  const window = held.slice(latest - TOKEN_WINDOW_CHARS, latest + 32);
  const suspect = window.search(SUSPECT);
  const cut = suspect < 0 ? latest : Math.min(latest, latest - TOKEN_WINDOW_CHARS + suspect);
  const before = held.charCodeAt(cut - 1);
  return before >= 0xd800 && before <= 0xdbff ? cut - 1 : cut;
}

function redactKeyBlocks(text: string): string {
  let out = '';
  let done = 0;
  let end: { from: number; to: number } | null = { from: -1, to: -1 };
  const begins = [...text.matchAll(KEY_BEGIN)];
  for (const [n, begin] of begins.entries()) {
    const body = begin.index + begin[0].length;
    // The search for an END only ever moves forward, so that a text full of BEGINs stays linear.
    if (end !== null && end.from < body) end = nextKeyEnd(text, body);
    const limit = Math.min(begin.index + MAX_KEY_BLOCK_CHARS, begins[n + 1]?.index ?? text.length);
    const to = end !== null && end.from <= limit ? end.to : endOfKeyLines(text, body);
    if (to === body) continue;
    out += `${text.slice(done, begin.index)}[redacted:private-key]`;
    done = to;
  }
  return out + text.slice(done);
}

function endOfKeyLines(text: string, from: number): number {
  KEY_LINES.lastIndex = from;
  return from + (KEY_LINES.exec(text)?.[0].length ?? 0);
}

export function nextKeyEnd(text: string, from: number): { from: number; to: number } | null {
  KEY_END.lastIndex = from;
  const match = KEY_END.exec(text);
  return match === null ? null : { from: match.index, to: match.index + match[0].length };
}

/** The arguments of a replacer: match, then the groups of `NAMED`. */
function redactAssignment(...[match = '', kept = '', sign = '', value = '']: readonly string[]): string {
  return isSecretAssignment(sign, value) ? `${kept}[redacted:assignment]` : match;
}

/** A look-up, or a word of the language that stands alone: a password may begin with any of them. */
const CODE =
  /^(?:(?:process|os|env|import|config|secrets)(?:\??\.[a-z_$]|\?\.?\[|\[)|(?:null|undefined|true|false|function|await|new)(?:[,;)\]}{]|$))/i;

/** Source code assigns names and types (`API_TOKEN: string`, `X_TOKEN = next()`); only `NAME=value` and quoted values count without a digit. */
function isSecretAssignment(sign: string, value: string): boolean {
  if (CODE.test(value)) return false;
  const isShellForm = sign === '=' || /["']$/.test(sign);
  return isShellForm || (value.length >= 8 && /[0-9]/.test(value));
}

function shape(kind: string, needles: readonly string[], pattern: string): Rule {
  return { kind, needles, pattern: new RegExp(`()${pattern}${GLUED}`, 'g') };
}

function keep(kind: string, needles: readonly string[], pattern: string): Rule {
  return { kind, needles, pattern: new RegExp(pattern, 'g') };
}
