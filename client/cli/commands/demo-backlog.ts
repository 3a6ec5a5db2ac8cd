/**
 * `sluice demo --backlog`: four tasks for one real package, whose main is checked out and half edited. Two at once, one behind another, one by a schedule; a worker killed in mid-turn, a task stopped
 * and taken up again; and in the end one command that takes all four, and a look at main with plain git and node.
 */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OpenedDemo, openDemo } from '../demo/demo-frame.js';
import { demoTasks } from '../demo/demo-tasks.js';
import { takeReady } from '../demo/follow-tasks.js';
import { startsOf } from '../demo/kill-worker.js';
import type { DemoWorld } from '../demo/make-demo.js';
import { IDS, runTasks } from '../demo/run-tasks.js';
import { DASH, ledgerOf } from '../demo/tasks.js';
import { connectToRun } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';

export async function demoBacklog(outer: Context): Promise<ExitCode> {
  const opened = await openDemo(outer, { kind: 'backlog' });
  const { world, say } = opened;
  say(
    'The package is minimist 1.2.7, with four bugs to mend. Its main is checked out, with a change that nobody has committed.',
  );
  say('The agents are scripted: each does what a file says, so no key is needed. Everything else is real.');
  const kept = await editByHand(world);
  return demoTasks(opened, {
    status: EDITED,
    steps: [],
    tell: () => tell(opened),
    async isKept() {
      const isAsItWas = await isAsEdited(world, kept);
      if (isAsItWas) say('What was edited by hand is as it was, to the byte.');
      return isAsItWas;
    },
  });
}

async function tell(opened: OpenedDemo): Promise<readonly string[] | null> {
  const { world, context, say } = opened;
  await using connected = await connectToRun(context, { local: true });
  if (!(await runTasks(opened, connected))) return null;
  const starts = await startsOf({ ledger: join(world.folder, ledgerOf(DASH)) }, 'executing');
  say('');
  say(
    `All four are ready: checked as merged, one behind the other. The agent whose worker was killed was started ${starts === 1 ? 'once' : `${starts} times`}, by its own ledger.`,
  );
  return await takeReady(opened, connected.sluice, IDS);
}

const NOTES = 'notes.txt';
const README = 'README.md';

/** What git says of the two. */
const EDITED = ` M ${README}\n?? ${NOTES}`;

/** Answers what is in each. */
async function editByHand(world: DemoWorld): Promise<readonly string[]> {
  await appendFile(join(world.repo, README), '\nHalf a sentence that nobody has');
  await writeFile(join(world.repo, NOTES), 'not committed\n');
  return readEdited(world);
}

function readEdited({ repo }: DemoWorld): Promise<readonly string[]> {
  return Promise.all([README, NOTES].map((name) => readFile(join(repo, name), 'utf8')));
}

async function isAsEdited(world: DemoWorld, kept: readonly string[]): Promise<boolean> {
  const now = await readEdited(world);
  return now.every((text, at) => text === kept[at]);
}
