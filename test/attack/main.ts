/**
 * `npm run attack`: one hostile agent, every try, through the real engine with a sandbox and without one. Prints what each came to; exit 1 for a try that was not
 * held, refused or documented as it should be, or that left something behind, and where nothing was tried. `--only <text>`: the tries whose id, or group, holds it; `--short`; `--json`: an object a line.
 */
import { parseArgs } from 'node:util';
import { beginCampaign } from '../../tools/campaigns.js';
import { holdOpen, runCampaign } from '../support/close-at-end.js';
import { openProgramServer } from '../support/own-server.js';
import { attack, SETTINGS, whyNoSandbox } from './attack.js';
import { printTable } from './print-table.js';
import type { Judged } from './run-tries.js';
import { TRIES } from './tries.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    short: { type: 'boolean' },
    json: { type: 'boolean' },
    setting: { type: 'string' },
  },
});
const { only, json = false } = values;
const passed = beginCampaign('attack');
const tries = TRIES.filter(
  ({ id, group, short }) =>
    (values.short !== true || short === true) && (only === undefined || id.includes(only) || group === only),
);
if (tries.length === 0) throw new Error(`no try and no group is called ${only}`);

await runCampaign(async () => {
  const opening = openProgramServer();
  const close = holdOpen(async () => (await opening).close());
  try {
    await opening;
    return await attackAll();
  } finally {
    await close();
  }
});

/** Answers whether something was tried, and nothing fell. */
async function attackAll(): Promise<boolean> {
  const judged: Judged[] = [];
  const left: string[] = [];
  const missing = await whyNoSandbox();
  if (missing !== null) console.error(`skipped: what is tried in a sandbox: ${missing}`);
  for (const setting of SETTINGS.filter(
    (one) => (missing === null || one === 'outside') && (values.setting ?? one) === one,
  )) {
    const done = await attack(tries, setting, (one) => {
      judged.push(one);
      if (json) console.log(JSON.stringify(one));
      else if (!one.isAsExpected)
        console.error(`FELL ${one.setting} ${one.id}: ${one.came}, not ${one.expected}: ${one.note}`);
    });
    left.push(...done.leftBehind.map((what) => `${setting}: ${what}`));
  }
  for (const what of left) console.log(json ? JSON.stringify({ leftBehind: what }) : `FELL ${what}`);
  const fell = judged.filter(({ isAsExpected }) => !isAsExpected).length + left.length;
  if (!json) printTable(tries, judged, fell);
  const whole = missing === null && tries.length === TRIES.length && values.setting === undefined;
  if (judged.length === 0) console.error('nothing was tried');
  const isHeld = judged.length > 0 && fell === 0;
  if (isHeld && whole) passed();
  return isHeld;
}
