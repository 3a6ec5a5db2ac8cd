/**
 * What a run is at just now, for whoever watches: `live.json` in its folder while a command of it works, written by its host about once a second and
 * gone at its end. Nothing is decided by it.
 */
import { parseRecord } from '../text/json.js';

export const LIVE_FILE = 'live.json';

export const LIVE_KINDS = ['agent', 'setup', 'checks'] as const;

export type LiveWork = {
  readonly kind: (typeof LIVE_KINDS)[number];
  /** A line for a shell: of set-up and checks what runs, of an agent what it started; null: it started nothing that is still at work. */
  readonly command: string | null;
  /** When that, or the agent, began. ISO 8601. */
  readonly since: string;
  /** The last whole lines that it said, oldest first; redacted and printable. */
  readonly lines: readonly string[];
};

/** Of what is shown. Unit: lines; characters of one. */
export const MAX_LIVE_LINES = 40;
export const MAX_LIVE_CHARS = 500;

/** Null for a text that holds none. Anybody may have written it. */
export function parseLiveWork(text: string | null): LiveWork | null {
  const value = parseRecord(text);
  return value !== null && isLiveWork(value) ? value : null;
}

function isLiveWork(value: Readonly<Record<string, unknown>>): value is LiveWork {
  const { kind, command, since, lines } = value;
  return (
    LIVE_KINDS.some((known) => known === kind) &&
    (command === null || typeof command === 'string') &&
    typeof since === 'string' &&
    !Number.isNaN(Date.parse(since)) &&
    Array.isArray(lines) &&
    lines.every((line) => typeof line === 'string')
  );
}
