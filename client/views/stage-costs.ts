/** What each stage used, wherever stages are listed: only where agents tell tokens or cost. Pure. */
import type { StageUse } from '../../protocol/messages/stage-use.js';

/** `planning $0.30 (1200 tokens in, 80 out)`; one a stage. */
export function stageCostLines(stages: readonly StageUse[]): readonly string[] {
  return stages.flatMap((use) => {
    const cost = costText(use);
    return cost === null ? [] : [`${use.stage} ${cost}`];
  });
}

/** Of all stages: `$0.30 (1200 tokens in, 80 out)`. Null where one did not tell. */
export function usedText(stages: readonly StageUse[]): string | null {
  const sum = (field: 'tokensIn' | 'tokensOut' | 'costMicroUsd') =>
    stages.reduce<number | null>(
      (total, { [field]: used }) => (total === null || used === null ? null : total + used),
      0,
    );
  return stages.length === 0
    ? null
    : amountText({ tokensIn: sum('tokensIn'), tokensOut: sum('tokensOut'), costMicroUsd: sum('costMicroUsd') });
}

/** `$0.30 (1200 tokens in, 80 out), 2 turns`. */
export function costText(use: StageUse): string | null {
  const told = amountText(use);
  return told === null ? null : `${told}${use.turns === 1 ? '' : `, ${use.turns} turns`}`;
}

function amountText({
  tokensIn,
  tokensOut,
  costMicroUsd,
}: Omit<StageUse, 'stage' | 'turns' | 'agentMs'>): string | null {
  const money = costMicroUsd === null ? null : `$${(costMicroUsd / 1_000_000).toFixed(2)}`;
  const tokens = tokensIn === null || tokensOut === null ? null : `${tokensIn} tokens in, ${tokensOut} out`;
  if (money === null && tokens === null) return null;
  return [money, tokens === null ? null : `(${tokens})`].filter((part) => part !== null).join(' ');
}
