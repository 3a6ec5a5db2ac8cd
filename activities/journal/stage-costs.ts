/** The part of report.md that tells what each stage used, where agents told tokens or cost. Pure. */
import type { JournalEvent } from '../../protocol/journal.js';
import { stageUseOf } from '../../protocol/stage-use.js';
import { duration, field, table } from './markdown.js';

/** Empty where no stage knows its tokens or its cost. */
export function stageCosts(events: readonly JournalEvent[]): string {
  const stages = stageUseOf(events);
  if (stages.every(({ tokensIn, tokensOut, costMicroUsd }) => (tokensIn ?? tokensOut ?? costMicroUsd) === null)) return '';
  const told = (value: number | null, show: (value: number) => string) => (value === null ? 'not told' : show(value));
  const rows = stages.map(({ stage, turns, agentMs, tokensIn, tokensOut, costMicroUsd }) => [
    field(stage),
    String(turns),
    duration(agentMs),
    told(tokensIn, String),
    told(tokensOut, String),
    told(costMicroUsd, (micro) => (micro / 1_000_000).toFixed(4)),
  ]);
  return table(['Stage', 'Turns', 'Time', 'Tokens in', 'Tokens out', 'USD'], rows);
}
