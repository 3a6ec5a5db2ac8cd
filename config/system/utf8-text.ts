/** Bytes that people hand in as text: read as another encoding they would be another text, so nothing of them is replaced. */

/** Null where the bytes are no UTF-8. A byte order mark is left out. */
export function utf8Text(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
