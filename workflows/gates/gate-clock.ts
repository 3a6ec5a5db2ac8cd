/** When an open gate is told again, is escalated or expires. Pure. Source: V-49. */
import { MAX_REMINDERS } from '../../protocol/limits.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { RunPolicy } from '../../protocol/run/policy.js';

export type GateTimes = Pick<RunPolicy['gates'], 'remindMs' | 'escalateMs'>;

/** What rang at one gate by now. */
export interface Rung {
  readonly escalated: boolean;
  readonly reminders: number;
  /** Those of reminders that are over: what was missed while nobody worked is told once. */
  readonly intervals: number;
}

export const NOT_RUNG: Rung = { escalated: false, reminders: 0, intervals: 0 };

export interface Ring {
  readonly kind: 'expire' | 'escalate' | 'remind';
  /** Unit: ms since 1970. */
  readonly at: number;
  /** What rang by then, where it rings `now`. */
  after(now: number): Rung;
}

const NEVER = Number.POSITIVE_INFINITY;

/** Null: nothing rings any more. */
export function nextRing(
  { remindMs, escalateMs }: GateTimes,
  { createdAt, expiresAt }: Pick<Gate, 'createdAt' | 'expiresAt'>,
  rung: Rung,
): Ring | null {
  const opened = Date.parse(createdAt);
  const every = rung.reminders < MAX_REMINDERS ? (remindMs ?? NEVER) : NEVER;
  const due: readonly Ring[] = [
    { kind: 'expire', at: expiresAt === null ? NEVER : Date.parse(expiresAt), after: () => rung },
    {
      kind: 'escalate',
      at: escalateMs === null || rung.escalated ? NEVER : opened + escalateMs,
      after: () => ({ ...rung, escalated: true }),
    },
    {
      kind: 'remind',
      at: opened + every * (rung.intervals + 1),
      after: (now) => ({
        ...rung,
        reminders: rung.reminders + 1,
        intervals: Math.max(rung.intervals + 1, Math.floor((now - opened) / every)),
      }),
    },
  ];
  const next = due.reduce((first, one) => (one.at < first.at ? one : first));
  return next.at === NEVER ? null : next;
}
