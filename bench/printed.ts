/** The bench's tables on a terminal: figures beside their budgets, how cost grows, and one run by its spans. */
import { isOver, isWithin, type Judged } from './figures.js';
import type { GrowthPoint } from './growth.js';
import type { BenchResult } from './result.js';
import type { MeasuredSpans } from './spans.js';

const NAME_WIDTH = 46;
const NUMBER_WIDTH = 13;

export function printed({ figures, growth, spans }: BenchResult): string {
  const blocks = [
    [line('figure', 'median', 'budget'), ...figures.map(figureLine)],
    growth.length === 0
      ? []
      : [line('growth', 'measured', 'baseline', 'ratio', 'to smallest'), ...growth.map(growthLine)],
    spans === null ? [] : spanLines(spans),
  ];
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => `${block.join('\n')}\n`)
    .join('\n');
}

function figureLine(figure: Judged): string {
  const { name, measured, budget } = figure;
  const verdict = budget === null ? '' : isWithin(figure) ? 'ok' : isOver(figure) ? 'over' : 'over, within its noise';
  return line(name, String(measured), String(budget ?? ''), verdict);
}

function growthLine({ curve, size, measuredMs, baselineMs, ratio, toSmallest }: GrowthPoint): string {
  return line(`${curve} ${size}`, ...[measuredMs, baselineMs].map(shortly), ratio.toFixed(2), toSmallest.toFixed(2));
}

function spanLines({ totalMs, parts, agentMs, commandMs }: MeasuredSpans): readonly string[] {
  return [
    line('span of one run', 'each', 'all'),
    ...parts.flatMap(({ kind, count, ms, spans }) => [
      line(`${kind} × ${count}`, '', shortly(ms)),
      ...spans.map((span) => `${line(`  → ${span.to}`, shortly(span.ms))}  ${insideOf(span.inside)}`.trimEnd()),
    ]),
    line('start to close', '', shortly(totalMs)),
    line('of it the agent by hand (one turn), the command', shortly(agentMs), shortly(commandMs)),
  ];
}

/** Such as `git status, file × 3`. */
export function insideOf(inside: Readonly<Record<string, number>>): string {
  return Object.entries(inside)
    .map(([name, count]) => (count === 1 ? name : `${name} × ${Math.round(count * 10) / 10}`))
    .join(', ');
}

function shortly(ms: number): string {
  return ms.toFixed(1);
}

function line(name: string, ...cells: readonly string[]): string {
  return `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join('')}`.trimEnd();
}
