/**
 * What `demo --backlog` does with its four tasks: three are handed in, a schedule hands in the fourth, each is let start by a person's word, the worker is killed in mid-turn, one task is stopped
 * in mid-run and taken up again. Answers once all of them are ready in the chain of main.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { batchWorkflowId } from '../../../protocol/actors/batch.js';
import { itemWorkflowId } from '../../../protocol/actors/item.js';
import { TASK_QUEUE } from '../../../protocol/names.js';
import { showBacklog } from '../commands/backlog.js';
import { decideTask } from '../commands/task.js';
import type { Connected } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT } from '../terminal/exit-codes.js';
import type { OpenedDemo, Say } from './demo-frame.js';
import { create, followToReady, LOOK_MS, PROJECT, reaches } from './follow-tasks.js';
import { killWorkerInMidTurn, startsOf } from './kill-worker.js';
import type { DemoWorld } from './make-demo.js';
import { ALIAS, DASH, EQUALS, GO_OF, ledgerOf, NUMBER } from './tasks.js';

/** By the order in which they are handed in. */
const NUMBER_OF = { dash: '1', alias: '2', number: '3', equals: '4' } as const;
export const IDS: readonly string[] = Object.values(NUMBER_OF);

/** False: one of them came to rest otherwise, or the person stopped the demo. */
export async function runTasks(opened: OpenedDemo, connected: Connected): Promise<boolean> {
  const { context, world, say } = opened;
  if (!(await handIn(context, say))) return false;
  const { sluice } = connected;
  return await followToReady(opened, sluice, {
    ids: IDS,
    act: (ended) => act({ context, world, say, connected, ended }),
  });
}

/** False: the person stopped it. */
async function handIn(context: Context, say: Say): Promise<boolean> {
  say('');
  say(
    'Three tasks are handed in, as by "sluice task create". The first two say that they touch index.js; the third depends on the first.',
  );
  const created = [
    () => create(context, DASH, { files: ['index.js'] }),
    () => create(context, ALIAS, { files: ['index.js'] }),
    () => create(context, NUMBER, { after: [NUMBER_OF.dash] }),
  ];
  for (const one of created) if ((await one()) !== EXIT.done) return false;
  say(
    'Nothing starts that nobody has seen (backlog.gate: start). A person approves each, as by "sluice task approve":',
  );
  for (const id of [NUMBER_OF.dash, NUMBER_OF.alias, NUMBER_OF.number])
    await decideTask(context, { name: 'approve', asked: id });
  say('');
  await showBacklog(context);
  say('');
  return !context.io.stop.aborted;
}

interface Acting {
  readonly context: Context;
  readonly world: DemoWorld;
  readonly say: Say;
  readonly connected: Connected;
  readonly ended: AbortSignal;
}

async function act({ context, world, say, connected, ended }: Acting): Promise<void> {
  const { sluice } = connected;
  await killWorkerInMidTurn({ ...world, ledger: join(world.folder, ledgerOf(DASH)) }, say, ended);
  await bySchedule({ world, say, connected, ended });
  const ofAlias = { ...world, ledger: join(world.folder, ledgerOf(ALIAS)) };
  while ((await startsOf(ofAlias, 'executing')) === 0) {
    if (ended.aborted) return;
    await delay(LOOK_MS);
  }
  say(
    `${PROJECT}-${NUMBER_OF.alias} is in mid-turn. A person stops it, and takes it up again: it goes on in its worktree, with a run of its own.`,
  );
  const asked = NUMBER_OF.alias;
  await decideTask(context, { name: 'stop', asked, note: 'not now' });
  await reaches(sluice, { id: asked, state: 'parked', ended });
  await writeFile(join(world.folder, GO_OF[ALIAS.agent] ?? ''), '');
  if (!ended.aborted) await decideTask(context, { name: 'run', asked, note: 'now' });
}

/** With nothing but Temporal's own tool. */
async function bySchedule({ world, say, connected, ended }: Omit<Acting, 'context'>): Promise<void> {
  const { sluice, engine } = connected;
  if (engine === null) throw new Error('the demo has an engine of its own');
  const at = ['--address', engine.address, '--namespace', engine.namespace];
  const temporal = (...args: readonly string[]) => execa(engine.binary, [...args, ...at], { stdin: 'ignore' });
  const { agent, task, title } = EQUALS;
  const input = { to: 'backlog', defaults: { repo: world.repo }, tasks: [{ task, title, policy: { agent } }] };
  say(
    'The fourth comes from a schedule, by "temporal schedule create" and "trigger", and is approved by "temporal workflow signal".',
  );
  await temporal(
    'schedule',
    'create',
    '--schedule-id',
    'nightly',
    '--interval',
    '24h',
    '--type',
    'batch',
    '--task-queue',
    TASK_QUEUE,
    '--workflow-id',
    batchWorkflowId('nightly'),
    '--input',
    JSON.stringify(input),
  );
  await temporal('schedule', 'trigger', '--schedule-id', 'nightly');
  const id = NUMBER_OF.equals;
  await reaches(sluice, { id, state: 'gated', ended });
  if (ended.aborted) return;
  const workflowId = itemWorkflowId({ project: PROJECT, id });
  const by = JSON.stringify({ by: 'sluice demo' });
  await temporal('workflow', 'signal', '--workflow-id', workflowId, '--name', 'approve', '--input', by);
}
