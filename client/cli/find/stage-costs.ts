/** What each stage used, wherever stages are listed: only where agents tell tokens or cost. Pure. */
import type { StageUse } from '../../../protocol/messages/stage-use.js';

/** `planning $0.30 (1200 tokens in, 80 out)`; one a stage. */
export function stageCostLines(stages: readonly StageUse[]): readonly string[] {
  return stages.flatMap((use) => {
    const cost = costText(use);
    return cost === null ? [] : [`${use.stage} ${cost}`];
  });
}

/** `$0.30 (1200 tokens in, 80 out), 2 turns`. */
export function costText({ turns, tokensIn, tokensOut, costMicroUsd }: StageUse): string | null {
  const money = costMicroUsd === null ? null : `$${(costMicroUsd / 1_000_000).toFixed(2)}`;
  const tokens = tokensIn === null || tokensOut === null ? null : `${tokensIn} tokens in, ${tokensOut} out`;
  if (money === null && tokens === null) return null;
  const told = [money, tokens === null ? null : `(${tokens})`].filter((part) => part !== null).join(' ');
  return `${told}${turns === 1 ? '' : `, ${turns} turns`}`;
}
