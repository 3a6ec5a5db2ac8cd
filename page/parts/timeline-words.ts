/** A timeline in words, each once for the picture and for the table beside it. Pure; what others wrote leaves printable. */
import type { GateMark, Lane, Span, Timeline, TurnUse } from '../../client/views/timeline.js';
import { printableLine } from '../../protocol/text/printable.js';
import { dollarsOr, lasting } from './amount.js';

export const LANE_WORDS: Readonly<Record<Lane, string>> = {
  agent: 'agents',
  checks: 'checks',
  people: 'people',
  limit: 'limits',
  engine: 'engine',
};

const KIND_WORDS: Readonly<Record<Span['kind'], string>> = {
  turn: 'turn',
  check: 'check',
  gate: 'gate',
  pause: 'pause',
  usage_limit: 'usage limit',
  retry: 'before another try',
  setup: 'set-up',
  engine: 'engine',
};

/** `turn: executing by robot`, `gate: gate-1, still open`. */
export function spanWords({ kind, what, isOpen }: Span): string {
  const named = what === '' ? KIND_WORDS[kind] : `${KIND_WORDS[kind]}: ${printableLine(what)}`;
  return isOpen ? `${named}, still open` : named;
}

/** Since the begin of the run: `+12:30`. */
export function sinceBegin({ from }: Timeline, at: number): string {
  return `+${lasting(at - from)}`;
}

/** `approved by kim@host after 1:02`. */
export function decisionWords({ requestedAt, decided }: GateMark, { to, isOpen }: Timeline): string {
  if (decided === null) {
    const waited = lasting(Math.max(0, to - requestedAt));
    return isOpen ? `open for ${waited}` : `open when the run ended, after ${waited}`;
  }
  const by = decided.by === null ? '' : ` by ${printableLine(decided.by)}`;
  return `${decided.decision.replaceAll('_', ' ')}${by} after ${lasting(Math.max(0, decided.at - requestedAt))}`;
}

/** `gate-1 before executing`. */
export function gateWords({ gate, before }: GateMark): string {
  return printableLine(`${gate} before ${before === 'completion' ? 'the end' : before}`);
}

export function costWords({ stage, agent, costMicroUsd }: TurnUse): string {
  return `${printableLine(`${stage} by ${agent}`)}: ${dollarsOr(costMicroUsd)}`;
}

/** Of all turns; a partial sum would read as the whole. */
export function totalCost(turns: readonly TurnUse[]): number | null {
  return turns.reduce<number | null>(
    (total, { costMicroUsd }) => (total === null || costMicroUsd === null ? null : total + costMicroUsd),
    0,
  );
}

/** Who had how much of it, in one sentence for who does not see the picture. */
export function timelineWords({ totals, turns }: Timeline, lanes: readonly Lane[]): string {
  const parts = lanes.map((lane) => `${LANE_WORDS[lane]} ${lasting(totals[lane])}`);
  const cost = turns.length === 0 ? [] : [`cost ${dollarsOr(totalCost(turns))}`];
  return `Whose time the run took: ${[...parts, ...cost].join(', ')}`;
}
