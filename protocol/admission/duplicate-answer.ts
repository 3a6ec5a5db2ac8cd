/** What an agent says of a task that was compared with a few others: which of them it is, or none. Read by hand from its answer. Pure. Source: S-17, docs/requirements/skep.md "Formats". */
import { isRecord } from '../text/json.js';
import { quoteValue, readText } from './agent-text.js';
import { NOT_MEANT } from './find-json.js';

export interface Resemblance {
  /** Id of a candidate; null: it is none of them. */
  readonly of: string | null;
  readonly reason: string;
}

/** Unit: UTF-16 code units. Longer reasons are cut. */
const MAX_REASON_CHARS = 500;

/** A text says why it is refused. `candidates`: the ids that the agent was shown; it may name no other. */
export function readResemblance(value: unknown, candidates: readonly string[]): Resemblance | string {
  if (!isRecord(value) || !('duplicate' in value)) return NOT_MEANT;
  const { duplicate: isDuplicate, duplicate_of: of } = value;
  if (typeof isDuplicate !== 'boolean') return `duplicate is ${quoteValue(isDuplicate)}; it must be true or false`;
  const reason = readText(value['reason'], MAX_REASON_CHARS);
  if (reason === null) return 'reason is missing; it must be a text';
  if (!isDuplicate) return { of: null, reason };
  const named = typeof of === 'string' || typeof of === 'number' ? `${of}` : null;
  const id = candidates.find((one) => one === named);
  if (id === undefined)
    return `duplicate_of is ${quoteValue(of)}; it must be the number of a task that was shown: ${candidates.join(', ')}`;
  return { of: id, reason };
}
