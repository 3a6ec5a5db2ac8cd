/** The table of an attack for people: what was tried, and what it came to in each setting. */
import Table from 'cli-table3';
import type { Judged } from './run-tries.js';
import type { Setting, Try } from './try.js';

export function printTable(tries: readonly Try[], judged: readonly Judged[], fell: number): void {
  const table = new Table({
    head: ['try', 'the agent', 'inside', 'outside'],
    style: { head: [], border: [] },
    chars: BARE,
  });
  for (const one of tries)
    table.push([one.id, one.what, cellOf(one, 'inside', judged), cellOf(one, 'outside', judged)]);
  console.log(table.toString());
  const counts = (['held', 'refused', 'documented'] as const).map(
    (word) => `${judged.filter(({ came, isAsExpected }) => isAsExpected && came === word).length} ${word}`,
  );
  console.log(`${tries.length} tries, ${judged.length} times: ${counts.join(', ')}, ${fell} fell`);
}

const BARE = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);

function cellOf(one: Try, setting: Setting, judged: readonly Judged[]): string {
  if (one[setting] === null) return '';
  const found = judged.find((each) => each.id === one.id && each.setting === setting);
  if (found === undefined) return 'not run';
  return found.isAsExpected ? found.came : `FELL (${found.came})`;
}
