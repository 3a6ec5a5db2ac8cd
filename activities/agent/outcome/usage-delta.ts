/** The usage of one turn from what a CLI tells of a whole conversation. Pure. A figure that nobody told stays null and is never guessed. */
import type { TurnUsage } from '../contract.js';

export const NO_USAGE: TurnUsage = { tokensIn: null, tokensOut: null, costMicroUsd: null };

const FIGURES = ['tokensIn', 'tokensOut', 'costMicroUsd'] as const;

/** What was added to `before`. Where a figure is smaller than before, the CLI began to count again, and all of it is this turn's. */
export function subtractUsage(before: TurnUsage, told: TurnUsage): TurnUsage {
  const startedAgain = FIGURES.some((figure) => (told[figure] ?? 0) < (before[figure] ?? 0) && told[figure] !== null);
  return startedAgain
    ? told
    : mapped((figure) => (told[figure] === null ? null : told[figure] - (before[figure] ?? 0)));
}

/** The new sum over a conversation, where that is what a CLI tells. */
export function latestOf(before: TurnUsage, told: TurnUsage): TurnUsage {
  return mapped((figure) => told[figure] ?? before[figure]);
}

export function sumOf(one: TurnUsage, other: TurnUsage): TurnUsage {
  return mapped((figure) => totalOf([one[figure], other[figure]]));
}

/** Where one figure is told more than once: what was told is not taken back by a later word. */
export function highestOf(one: TurnUsage, other: TurnUsage): TurnUsage {
  return mapped((figure) => (one[figure] === null ? other[figure] : Math.max(one[figure], other[figure] ?? 0)));
}

/** Null: none of them is told. It stays an exact integer, however much somebody tells. */
export function totalOf(parts: readonly (number | null)[]): number | null {
  const told = parts.filter((part) => part !== null);
  return told.length === 0 ? null : told.reduce((sum, part) => Math.min(sum + part, Number.MAX_SAFE_INTEGER), 0);
}

function mapped(of: (figure: (typeof FIGURES)[number]) => number | null): TurnUsage {
  return { tokensIn: of('tokensIn'), tokensOut: of('tokensOut'), costMicroUsd: of('costMicroUsd') };
}
