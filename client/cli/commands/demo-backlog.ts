/**
 * `sluice demo --backlog`: four tasks for one real package, whose main is checked out and half edited. Two at once, one behind another, one by a schedule; a worker killed in mid-turn, a task stopped
 * and taken up again; and in the end one command that takes all four, and a look at main with plain git and node.
 */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitOf } from '../../repository.js';
import { checkMain, cleanUp, type OpenedDemo, openDemo, tellPlaces } from '../demo/demo-frame.js';
import { startsOf } from '../demo/kill-worker.js';
import type { DemoWorld } from '../demo/make-demo.js';
import { branchesOf, followToMerged, runTasks } from '../demo/run-tasks.js';
import { DASH, ledgerOf } from '../demo/tasks.js';
import { connectToRun } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { land } from './land.js';

export async function demoBacklog(outer: Context): Promise<ExitCode> {
  const opened = await openDemo(outer, { kind: 'backlog' });
  const { world, context, say } = opened;
  say(
    'The package is minimist 1.2.7, with four bugs to mend. Its main is checked out, with a change that nobody has committed.',
  );
  say('The agents are scripted: each does what a file says, so no key is needed. Everything else is real.');
  const kept = await editByHand(world);
  const baseSha = (await commitOf(world.repo, 'refs/heads/main')) ?? '';
  let branches: readonly string[] | null = null;
  try {
    branches = await tell(opened);
  } finally {
    await cleanUp(opened);
  }
  const isRight =
    branches !== null &&
    (await checkMain(context, world, { baseSha, branches, status: EDITED })) &&
    (await isAsEdited(world, kept));
  if (isRight) say('What was edited by hand is as it was, to the byte.');
  tellPlaces(opened);
  if (branches === null) return context.io.stop.aborted ? EXIT.detached : EXIT.needsPerson;
  return isRight ? EXIT.done : EXIT.failed;
}

/** Answers the branches that are to be on main; null: it did not come so far. */
async function tell(opened: OpenedDemo): Promise<readonly string[] | null> {
  const { world, context, say } = opened;
  await using connected = await connectToRun(context, { local: true });
  const { sluice } = connected;
  if (!(await runTasks(opened, connected))) return null;
  const starts = await startsOf({ ...world, ledger: join(world.folder, ledgerOf(DASH)) }, 'executing');
  say('');
  say(
    `All four are ready: checked as merged, one behind the other. The agent whose worker was killed was started ${starts === 1 ? 'once' : `${starts} times`}, by its own ledger.`,
  );
  say('main is checked out, so nothing moved it. One command takes all of them: sluice land --update-checkout');
  const taken = await land(context, { runs: [], updateCheckout: true, wait: true });
  if (taken !== EXIT.done || !(await followToMerged(sluice, opened))) return null;
  return await branchesOf(sluice);
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
