/** What a run used of its budget, in words. Pure. */
import type { RunDetails } from '../../protocol/messages/run-view.js';

/** `turns 3 of 10, minutes 12`; money only where somebody counts it. */
export function budgetText({ policy, used }: RunDetails): string {
  const limits = policy?.budget ?? null;
  const part = (name: string, value: string, limit: string | null) =>
    `${name} ${value}${limit === null ? '' : ` of ${limit}`}`;
  const money = used.microUsd > 0 || (limits?.microUsd ?? null) !== null;
  const dollars = (microUsd: number) => `$${(microUsd / 1_000_000).toFixed(2)}`;
  return [
    part('turns', String(used.turns), textOf(limits?.turns)),
    part('minutes', String(Math.round(used.minutes * 10) / 10), textOf(limits?.minutes)),
    ...(money
      ? [part('money', dollars(used.microUsd), typeof limits?.microUsd === 'number' ? dollars(limits.microUsd) : null)]
      : []),
    ...(typeof limits?.tokens === 'number' ? [part('tokens', String(used.tokens), textOf(limits.tokens))] : []),
    ...(used.grants > 0 ? [`granted again ${used.grants} ${used.grants === 1 ? 'time' : 'times'}`] : []),
  ].join(', ');
}

function textOf(limit: number | null | undefined): string | null {
  return limit === null || limit === undefined ? null : String(limit);
}
