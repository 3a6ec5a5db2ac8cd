/**
 * `sluice demo --skep`: tasks that are compared, judged and planned before they run, under the preset `skep`. One is approved, one is there already, one is asked about, one runs by three steps of which
 * the second fails once while its worker dies; and in the end one command that takes what is ready, and a look at main with plain git and node.
 */
import { join } from 'node:path';
import { type OpenedDemo, openDemo } from '../demo/demo-frame.js';
import { demoTasks } from '../demo/demo-tasks.js';
import { PROJECT, takeReady } from '../demo/follow-tasks.js';
import { startsOf } from '../demo/kill-worker.js';
import { runSkep } from '../demo/run-skep.js';
import { HARD_STEP, LANDING_IDS, namesOfSteps, SKEP_IDS } from '../demo/skep-tasks.js';
import { ALIAS, ledgerOf } from '../demo/tasks.js';
import { connectToRun } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { showTask } from './show-task.js';

export async function demoSkep(outer: Context): Promise<ExitCode> {
  const opened = await openDemo(outer, { kind: 'skep' });
  const { say } = opened;
  say('The package is minimist 1.2.7, its main is checked out, and its config says one thing: preset: skep.');
  say('The agents are scripted: each does what a file says, so no key is needed. Everything else is real.');
  return demoTasks(opened, { status: '', steps: namesOfSteps(PROJECT), tell: () => tell(opened) });
}

async function tell(opened: OpenedDemo): Promise<readonly string[] | null> {
  const { world, context, say } = opened;
  await using connected = await connectToRun(context, { local: true });
  const { sluice } = connected;
  if (!(await runSkep(opened, sluice))) return null;
  const starts = await startsOf({ ledger: join(world.folder, ledgerOf(ALIAS)), step: HARD_STEP }, 'executing');
  say('');
  say(
    `All three are ready. The agent of step ${HARD_STEP}, whose worker was killed, was started ${starts === 2 ? 'twice' : `${starts} times`}, by its own ledger: its test was red, and it was told so and tried once more.`,
  );
  const branches = await takeReady(opened, sluice, LANDING_IDS);
  if (branches === null) return null;
  say('');
  say(`As by "sluice task show ${SKEP_IDS.asked}":`);
  await showTask(context, { asked: SKEP_IDS.asked });
  return branches;
}
