/** What each stage used, for `sluice status` and `sluice budget`: only where agents tell tokens or cost. Pure. */
import type { StageUse } from '../../../protocol/messages/stage-use.js';

/** `planning $0.30 (1200 tokens in, 80 out)`; one a stage. */
export function stageCostLines(stages: readonly StageUse[]): readonly string[] {
  return stages.flatMap(({ stage, turns, tokensIn, tokensOut, costMicroUsd }) => {
    const money = costMicroUsd === null ? null : `$${(costMicroUsd / 1_000_000).toFixed(2)}`;
    const tokens = tokensIn === null || tokensOut === null ? null : `${tokensIn} tokens in, ${tokensOut} out`;
    if (money === null && tokens === null) return [];
    const count = turns === 1 ? '' : `, ${turns} turns`;
    return [
      `${stage} ${[money, tokens === null ? null : `(${tokens})`].filter((part) => part !== null).join(' ')}${count}`,
    ];
  });
}
