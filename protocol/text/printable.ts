/**
 * Makes untrusted text safe to show: whatever could steer a terminal, reorder a line or hide itself is taken out or made visible. Emoji stay.
 * Pure and linear. It does not look for secrets (redact.ts does) and does not escape Markdown or HTML.
 */

/**
 * CSI, then the string sequences (OSC, DCS, SOS, PM, APC) with their end, then two-character sequences; each as ESC form and as C1 form. None is looked for past the beginning of
 * another one: of many that have no end each would be read to the end of the text.
 */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]{0,4}[0-Z\\^-~]`,
  ].join('|'),
  'g',
);

/** Controls, format characters (bidi, zero width, tags), lone surrogates, separators, variation selectors and fillers that look like nothing. */
const UNSAFE_CHARS = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]`;
const UNSAFE = new RegExp(UNSAFE_CHARS, 'gu');

const HAS_UNSAFE = new RegExp(UNSAFE_CHARS, 'u');

const PICTURE = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\u20e3]$/u;
const PRESENTABLE = /^[\p{Emoji}]$/u;
const ZERO_WIDTH_JOINER = 0x200d;
const EMOJI_PRESENTATION = 0xfe0f;
const BLACK_FLAG = 0x1f3f4;

/** Text of one or more lines: only newline and tab are left of the control characters. Idempotent. */
export function printable(text: string): string {
  if (!HAS_UNSAFE.test(text)) return text;
  const stripped = withoutSequences(text).replaceAll('\r\n', '\n');
  return stripped.replace(UNSAFE, (char, offset: number) =>
    isHarmless(char, offset, stripped) ? char : visible(char),
  );
}

/** Without what steers a terminal by more than one character; other control characters stay. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCES, '');
}

/** Text that must stay on one line: newlines become visible and tabs become spaces. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

function isHarmless(char: string, offset: number, text: string): boolean {
  if (char === '\n' || char === '\t') return true;
  const code = char.codePointAt(0) ?? 0;
  if (code === EMOJI_PRESENTATION) return PRESENTABLE.test(before(text, offset));
  if (code === ZERO_WIDTH_JOINER) return isJoinable(before(text, offset)) && PICTURE.test(after(text, offset + 1));
  return code >= 0xe0020 && code <= 0xe007f && isInFlag(text, offset);
}

/** An emoji may be joined after its presentation selector or skin tone too. */
function isJoinable(char: string): boolean {
  return PICTURE.test(char) || char.codePointAt(0) === EMOJI_PRESENTATION;
}

/** Regional flags are a black flag and up to six tags; tags anywhere else smuggle text. */
function isInFlag(text: string, offset: number): boolean {
  for (let at = offset - 2, tags = 0; at >= 0 && tags <= 6; at -= 2, tags += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (code === BLACK_FLAG) return true;
    if (code < 0xe0020 || code > 0xe007e) return false;
  }
  return false;
}

function before(text: string, offset: number): string {
  const pair = offset >= 2 ? text.codePointAt(offset - 2) : undefined;
  if (pair !== undefined && pair > 0xffff) return String.fromCodePoint(pair);
  return text.charAt(offset - 1);
}

function after(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** C0 and DEL have pictures in Unicode; the others are named by their number. */
function visible(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
