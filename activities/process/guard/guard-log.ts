/** The guard's log: static sentences with ids, one a line, in `<home>/guard.log`. Never argv, environment or output. A log that cannot be written is no reason to stop. */
import { appendFileSync, renameSync, statSync } from 'node:fs';

export type GuardLog = (sentence: string, fields?: Readonly<Record<string, string | number>>) => void;

const MAX_LOG_BYTES = 1_000_000;

export function createGuardLog(path: string): GuardLog {
  return (sentence, fields = {}) => {
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
      appendFileSync(
        path,
        `${JSON.stringify({ time: new Date().toISOString(), guard: process.pid, sentence, ...fields })}\n`,
        {
          mode: 0o600,
        },
      );
    } catch {
      // A full disk must not end the guard.
    }
  };
}
