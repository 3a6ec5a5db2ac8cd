/** How much of a turn's context a text may take. Every cut of a prompt is made here, so that one flag tells whether anything is missing. */

import { cutMiddle } from '../../../config/system/cut-middle.js';
import type { AfterOverflow } from '../../../protocol/messages/messages.js';
import type { StagePolicy } from '../../../protocol/run/policy.js';

export interface ContextShare {
  /** Unit: bytes of UTF-8; `part` of the whole, from 0 to 1. */
  bytesOf(part: number): number;
  /** Head and tail of a text that is longer. */
  fit(text: string, maxBytes: number): string;
  isCut(): boolean;
}

/**
 * A quarter and not half: there is one try, and bytes are a poor measure of tokens. What overflowed at 200 kB may do so again at 100 kB,
 * where code or CJK text needs twice the tokens of prose; 50 kB leaves room in every window that an agent has.
 */
const SHORTER = 0.25;

/** Unit: bytes of UTF-8. The larger model gets the whole context: it is there for texts that are too long for the first. */
export function contextBytesOf(
  { contextBytes }: Pick<StagePolicy, 'contextBytes'>,
  after: AfterOverflow | null,
): number {
  return after === 'shorter' ? Math.floor(contextBytes * SHORTER) : contextBytes;
}

export function shareOf(contextBytes: number): ContextShare {
  let cut = false;
  return {
    bytesOf: (part) => Math.floor(contextBytes * part),
    fit(text, maxBytes) {
      const kept = cutMiddle(text, maxBytes);
      cut ||= kept !== text;
      return kept;
    },
    isCut: () => cut,
  };
}
