/**
 * Cuts the middle out of long text: the head says what it is, the tail holds the error or the decision line.
 * Sizes are bytes of UTF-8 and no character is ever split. It does not promise whole lines.
 */

/** Stands where text was left out; at most `MARKER_BYTES` long. */
export function cutMarker(leftOutBytes: number): string {
  return `\n[… ${leftOutBytes} bytes left out …]\n`;
}

const MARKER_BYTES = 64;

/** Shape: the answer is at most `maxBytes` long, marker included, and the text itself where it fits. Unit: bytes. */
export function cutMiddle(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  const kept = Math.max(0, maxBytes - MARKER_BYTES);
  const head = wholeHead(bytes.subarray(0, Math.floor(kept / 2)));
  const tail = wholeTail(bytes.subarray(bytes.length - Math.ceil(kept / 2)));
  return `${head}${cutMarker(bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail))}${tail}`;
}

/** Decodes the beginning of a longer text without its split last character. */
export function wholeHead(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** Decodes the end of a longer text without its split first character. */
export function wholeTail(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start).toString('utf8');
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
