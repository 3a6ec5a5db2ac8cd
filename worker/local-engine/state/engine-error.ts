/** What else is known of a failure of the local engine. */
import { fullDiskAt, systemTroubleIn } from '../../../config/system/system-trouble.js';
import type { Refusal } from '../../../protocol/text/refusal.js';

/** Adds what the machine has run out of, by what the log and the error say, or by a look at the disk where nothing could be logged any more. */
export function withTrouble(parts: Refusal, said: string, home: string): Refusal {
  const trouble = systemTroubleIn(said, home) ?? fullDiskAt(home);
  if (trouble === null) return parts;
  return { ...parts, what: `${parts.what} The reason: ${trouble.short}.`, mend: `${trouble.mend}  # then: sluice up` };
}
