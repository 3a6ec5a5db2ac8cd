/**
 * A failpoint that kills nobody: it notes each point with its time, and the activity under way. The notes are written some time later in one
 * piece, so that the writing burdens no span.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const LATER_MS = 100;

/** Appends to `<home>/trace-<role>.jsonl`. `where`: the activity under way, or null. Times: ms since 1970 with fractions, steady within a process. */
export function notePoints(home, role, where = () => null) {
  let lines = '';
  return (name) => {
    if (lines === '') {
      setTimeout(() => {
        appendFileSync(join(home, `trace-${role}.jsonl`), lines);
        lines = '';
      }, LATER_MS);
    }
    lines += `${JSON.stringify({ role, name, where: where(), at: performance.timeOrigin + performance.now() })}\n`;
  };
}
