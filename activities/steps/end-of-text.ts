import { wholeTail } from '../../config/system/cut-middle.js';

/** Shape: at most so many bytes, of whole characters. */
export function endOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= maxBytes ? text : wholeTail(bytes.subarray(bytes.length - maxBytes));
}
