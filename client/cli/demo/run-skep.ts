/**
 * What `demo --skep` does with its tasks: four are handed in, of which one is there already; a person reads a plan and approves it, answers a question in its file, and the worker is killed in the
 * second step of a plan. Answers once all three are ready in the chain of main.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { clarifyFileOf } from '../../../protocol/admission/clarify-file.js';
import type { Sluice } from '../../sluice.js';
import { clarifyTask } from '../commands/clarify-task.js';
import { showTask } from '../commands/show-task.js';
import { decideTask } from '../commands/task.js';
import { EXIT } from '../terminal/exit-codes.js';
import type { OpenedDemo } from './demo-frame.js';
import { create, followToReady, LOOK_MS, PROJECT, reaches } from './follow-tasks.js';
import { killWorkerInMidTurn } from './kill-worker.js';
import { ANSWER, DASH_AGAIN, HARD_STEP, LANDING_IDS, SKEP_IDS } from './skep-tasks.js';
import { ALIAS, DASH, EQUALS, ledgerOf } from './tasks.js';

/** False: one of them came to rest otherwise, or the person stopped the demo. */
export async function runSkep(opened: OpenedDemo, sluice: Sluice): Promise<boolean> {
  const { world, say } = opened;
  if (!(await handIn(opened)) || !(await decide(opened, sluice))) return false;
  say('');
  const ledger = join(world.folder, ledgerOf(ALIAS));
  return await followToReady(opened, sluice, {
    ids: LANDING_IDS,
    async act(ended) {
      await killWorkerInMidTurn({ ...world, ledger, step: HARD_STEP }, say, ended);
    },
  });
}

/** False: the person stopped it, or what came of one is not what was expected. */
async function handIn({ context, say }: OpenedDemo): Promise<boolean> {
  say('');
  say(
    'Four tasks are handed in, as by "sluice task create". Each is compared with those that are there: by its words, and what these let through by an agent.',
  );
  if ((await create(context, DASH)) !== EXIT.done) return false;
  say('The second says the same in other words, and is refused:');
  const again = await create(context, DASH_AGAIN);
  if (again !== EXIT.needsPerson) return false;
  say(`That was exit code ${again}, and no agent was asked.`);
  for (const task of [EQUALS, ALIAS]) if ((await create(context, task)) !== EXIT.done) return false;
  return !context.io.stop.aborted;
}

/** False: as of `handIn`. */
async function decide(opened: OpenedDemo, sluice: Sluice): Promise<boolean> {
  const { context, say } = opened;
  const ended = context.io.stop;
  say('');
  say('Each is judged and planned by an agent. Nothing works at it until a person has read its plan:');
  if (!(await reaches(sluice, { id: SKEP_IDS.small, state: 'gated', ended }))) return false;
  await approve(opened, SKEP_IDS.small);
  if (!(await reaches(sluice, { id: SKEP_IDS.asked, state: 'clarifying', ended }))) return false;
  if (!(await answerInFile(opened, ended))) return false;
  if (!(await reaches(sluice, { id: SKEP_IDS.asked, state: 'gated', ended }))) return false;
  await approve(opened, SKEP_IDS.asked);
  if (!(await reaches(sluice, { id: SKEP_IDS.steps, state: 'gated', ended }))) return false;
  say(
    `${PROJECT}-${SKEP_IDS.steps} is large, and has a plan of three steps. As by "sluice task show ${SKEP_IDS.steps}":`,
  );
  say('');
  await showTask(context, { asked: SKEP_IDS.steps });
  say('');
  await approve(opened, SKEP_IDS.steps);
  return !ended.aborted;
}

/** Of the plan that there is. */
async function approve({ context }: OpenedDemo, asked: string): Promise<void> {
  await decideTask(context, { name: 'approve', asked });
}

/** False: `ended` says so. */
async function answerInFile({ context, world, say }: OpenedDemo, ended: AbortSignal): Promise<boolean> {
  const file = clarifyFileOf(SKEP_IDS.asked, null);
  say(`${PROJECT}-${SKEP_IDS.asked} is asked about. A person answers below the question, in ${file}:`);
  const path = join(world.repo, file);
  const asked = await readOnceThere(path, ended);
  if (asked === null) return false;
  const answered = asked.replace('## A1\n', `## A1\n${ANSWER}\n`);
  await writeFile(path, answered);
  const from = answered.indexOf('## Q1');
  say('');
  for (const line of answered.slice(from).split('\n')) if (line !== '') say(`  ${line}`);
  say('');
  say(`Then: sluice task clarify ${SKEP_IDS.asked}`);
  await clarifyTask(context, { asked: SKEP_IDS.asked, answers: [] });
  return true;
}

/** The host writes it a moment after the task tells that it is asked about. Null: `ended` says so. */
async function readOnceThere(path: string, ended: AbortSignal): Promise<string | null> {
  while (!ended.aborted) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null) return text;
    await delay(LOOK_MS);
  }
  return null;
}
