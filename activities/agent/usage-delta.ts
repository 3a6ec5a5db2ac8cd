/** The usage of one turn from what a CLI tells of a whole conversation. Pure. A figure that nobody told stays null and is never guessed. */
import type { TurnUsage } from './contract.js';

export const NO_USAGE: TurnUsage = { tokensIn: null, tokensOut: null, costMicroUsd: null };

const FIGURES = ['tokensIn', 'tokensOut', 'costMicroUsd'] as const;

/** What was added to `before`. Where a figure is smaller than before, the CLI began to count again, and all of it is this turn's. */
export function addedSince(before: TurnUsage, told: TurnUsage): TurnUsage {
  const startedAgain = FIGURES.some((figure) => (told[figure] ?? 0) < (before[figure] ?? 0) && told[figure] !== null);
  return startedAgain ? told : mapped((figure) => (told[figure] === null ? null : told[figure] - (before[figure] ?? 0)));
}

/** The new sum over a conversation, where that is what a CLI tells. */
export function latestOf(before: TurnUsage, told: TurnUsage): TurnUsage {
  return mapped((figure) => told[figure] ?? before[figure]);
}

export function sumOf(one: TurnUsage, other: TurnUsage): TurnUsage {
  return mapped((figure) => (one[figure] === null && other[figure] === null ? null : (one[figure] ?? 0) + (other[figure] ?? 0)));
}

function mapped(of: (figure: (typeof FIGURES)[number]) => number | null): TurnUsage {
  return { tokensIn: of('tokensIn'), tokensOut: of('tokensOut'), costMicroUsd: of('costMicroUsd') };
}
