/**
 * `npm run faults -- landing`: a night of 200 landings on three bases, 30 % of which cannot land beside the others, while processes are killed and a person commits and keeps dirty checkouts.
 * `--seed <n>` is one night again; `--count <n>` a shorter one; `--json`: one object a line. A whole night in which nothing was counted is noted in docs/campaigns.json.
 * Exit codes: 0 nothing lost, doubled, red or changed, and all met who were to die, 130 and 143 ended by a signal, 1 else.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { beginCampaign } from '../../../tools/campaigns.js';
import { runCampaign } from '../../support/close-at-end.js';
import { wholeNumber } from '../../support/whole-number.js';
import { isCleanNight, NIGHT_COUNTS } from './judge.js';
import { type NightResult, runNight } from './night.js';
import { planNight } from './plan.js';

const COUNT = 200;

const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const seed = wholeNumber('seed', values.seed) ?? randomInt(2 ** 31);
const count = wholeNumber('count', values.count) ?? COUNT;
const passed = beginCampaign('faults -- landing');
const note = (text: string) => {
  if (!values.json) console.log(text);
};

note(
  `seed ${seed}: the same night is npm run faults -- landing --seed ${seed}${count === COUNT ? '' : ` --count ${count}`}`,
);
await runCampaign(async () => {
  const began = performance.now();
  const result = await runNight(planNight(seed, count), note);
  const seconds = Math.round((performance.now() - began) / 1_000);
  if (values.json) console.log(JSON.stringify({ seed, count, seconds, ...result }));
  else for (const [name, value] of tableOf(result, seconds)) console.log(`${name.padEnd(34)} ${value}`);
  const isClean = isCleanNight(result) && result.neverMet.length === 0;
  if (isClean && count === COUNT) passed();
  return isClean;
});

function tableOf(
  { counts, merged, gates, firstParents, strikes, ownCommits, neverMet }: NightResult,
  took: number,
): readonly (readonly [string, string | number])[] {
  const words: Readonly<Record<(typeof NIGHT_COUNTS)[number], string>> = {
    lost: 'lost',
    twice: 'landed twice',
    foreign: 'commits of nobody',
    untrue: 'told otherwise than git',
    red: 'red first-parent commits',
    trees: 'bases unlike the serial model',
    commits: "person's commits gone",
    bytes: 'bytes of dirty checkouts changed',
  };
  const listed = (of: Readonly<Record<string, number>>) =>
    Object.entries(of)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ');
  return [
    ['branches', count],
    ['merged', merged],
    ['at a gate', listed(gates)],
    ['first-parent commits checked', firstParents],
    ['killed', listed(strikes)],
    ['never there to be killed', neverMet.join(', ') || 'nobody'],
    ["person's commits", ownCommits],
    ...NIGHT_COUNTS.map((name) => [words[name], counts[name]] as const),
    ['seconds', took],
  ];
}
