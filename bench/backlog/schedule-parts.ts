/**
 * Parts of the bench `backlog` whose host answers at once: no agent and no git, so that what is left is the engine, whose worker runs the workflows: a thousand tasks
 * from their numbers to their base, and a backlog that somebody ended while a thousand are open.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { backlogId } from '../../protocol/actors/backlog.js';
import { type ItemView, itemWorkflowId, runIdOfItem } from '../../protocol/actors/item.js';
import { landingId } from '../../protocol/names.js';
import { DEFAULT_LANDING } from '../../protocol/run/landing-policy.js';
import { type BacklogOf, idsOf, openBacklog } from '../../test/support/backlog-client.js';
import { stubAdmit } from '../../test/support/stub-admit.js';
import { openStubWorkers, type StubHost, stubOpen, stubTerms } from '../../test/support/stub-host.js';
import { mostAtOnce, type Span } from '../most-at-once.js';
import { nullIfLate } from '../null-if-late.js';
import type { Few, Parts } from '../parts.js';
import { add, type Measuring, measureBaselines } from '../plain-run.js';
import { until } from '../until.js';

/** Of one create. */
const HANDED_IN = 100;
const SLOTS = 16;
const A_TASK_MS = 5_000;
const LOOK_MS = 500;

export function scheduleParts(few: Few): Parts {
  return {
    schedule: (measuring) => withStubs(measuring, (stubs) => landAll(measuring, stubs, few(1_000, 12))),
    rebuild: (measuring) => withStubs(measuring, (stubs) => buildAnew(measuring, stubs, few(1_000, 12))),
  };
}

interface Stubs {
  /** `gate`: tasks wait to be approved. */
  open(project: string, gate: 'none' | 'start'): Promise<{ readonly host: StubHost; readonly backlog: BacklogOf }>;
}

async function withStubs({ host }: Measuring, measure: (stubs: Stubs) => Promise<void>): Promise<void> {
  process.env['SLUICE_TEST_ADDRESS'] = host.address;
  const workers = await openStubWorkers({ servedIn: host.client.options.namespace });
  try {
    await measure({
      async open(project, gate) {
        const host = workers.open({
          admit: stubAdmit({ maxConcurrent: SLOTS, gate }),
          // One write turn and one set of checks; one queue for all.
          openRun: async (input) => stubOpen(input, ['executing', 'validating'], { landing: 'auto' }),
          findBase: async () => ({
            kind: 'branch',
            branch: 'main',
            head: null,
            terms: stubTerms({ landing: { ...DEFAULT_LANDING, mode: 'auto', needs: 'checked' } }),
          }),
        });
        return { host, backlog: await openBacklog(host.client, { project, repo: `/${project}`, host: 'stub' }) };
      },
    });
  } finally {
    await workers.close();
  }
}

async function handIn(backlog: BacklogOf, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= HANDED_IN) {
    const tasks = Array.from({ length: Math.min(left, HANDED_IN) }, (_, n) => `change ${left} ${n}`);
    ids.push(...(await untilNumbered(backlog, tasks)));
  }
  return ids;
}

/** On a machine that stands still for seconds a host is taken for away, and a create is answered before its tasks have their numbers: it is sent again, as the same. */
async function untilNumbered(backlog: BacklogOf, tasks: readonly string[]): Promise<readonly string[]> {
  const key = randomUUID();
  for (;;) {
    const answer = await backlog.create(tasks, key);
    if (answer.verdicts !== null) return idsOf(answer);
    await delay(LOOK_MS);
  }
}

/** All at once, each to its base. Errors: plain Error for one that was lost, doubled, or started above the limit. */
async function landAll(measuring: Measuring, stubs: Stubs, count: number): Promise<void> {
  const { samples } = measuring;
  const { host, backlog } = await stubs.open('schedule', 'none');
  await measureBaselines(measuring);
  const began = performance.now();
  const ids = await handIn(backlog, count);
  const left = async () => {
    const view = await backlog.status().catch(nullIfLate);
    return view === null ? count : Object.values(view.counts).reduce((sum, one) => sum + one, 0);
  };
  await until('all have landed', async () => delay(LOOK_MS).then(async () => (await left()) === 0), count * A_TASK_MS);
  add(samples, 'schedulePerItemMs', (performance.now() - began) / count);
  // As they closed: a Query would begin each of them again, all at once.
  const { project } = backlog;
  const items: ItemView[] = [];
  for (const id of ids) items.push(await host.client.workflow.getHandle(itemWorkflowId({ project, id })).result());
  const wrong = items.find(({ reason, runs }) => reason !== 'merged' || runs !== 1);
  if (wrong !== undefined)
    throw new Error(`task ${wrong.id} is ${wrong.state} (${wrong.reason}) after ${wrong.runs} run(s)`);
  const most = mostAtOnce(items.map(runningTime));
  if (most > SLOTS) throw new Error(`${most} tasks ran at once; ${SLOTS} may`);
  const one = ids.slice(0, 20).flatMap((id) => {
    const runId = runIdOfItem({ project, id }, 1);
    return [itemWorkflowId({ project, id }), runId, landingId(runId)];
  });
  const events = await Promise.all(one.map((workflowId) => eventsOf(host, workflowId)));
  const perTask = events.reduce((sum, n) => sum + n, 0) / Math.min(20, ids.length);
  add(samples, 'eventsPerLandedTask', perTask + (await eventsOf(host, backlogId(project))) / count);
}

/** Of its first execution too, where it has several. */
async function eventsOf({ client }: StubHost, workflowId: string): Promise<number> {
  let events = 0;
  const query = `WorkflowId = "${workflowId}"`;
  for await (const { historyLength } of client.workflow.list({ query })) events += historyLength;
  return events;
}

function runningTime({ journal }: ItemView): Span {
  const at = (to: string) => Date.parse(journal.find((line) => line.to === to)?.at ?? '');
  return { from: at('running'), to: at('parked') };
}

/** Until the first task after it runs. */
async function buildAnew(measuring: Measuring, stubs: Stubs, count: number): Promise<void> {
  const { samples } = measuring;
  const { host, backlog } = await stubs.open('rebuild', 'start');
  const [first = ''] = await handIn(backlog, count);
  // What visibility does not show yet would not be asked for.
  const { project } = backlog;
  const query = `WorkflowId STARTS_WITH "${itemWorkflowId({ project, id: '' })}"`;
  await until('all are seen', async () => (await host.client.workflow.count(query)).count >= count, 60_000);
  await measureBaselines(measuring);
  await host.client.workflow.getHandle(backlogId(project)).terminate();
  const began = performance.now();
  const anew = await openBacklog(host.client, { project, repo: '/rebuild', host: 'stub' });
  await anew.tell(first, 'approve');
  await until('it runs', async () => (await anew.item(first)).runs === 1, 120_000);
  add(samples, 'rebuildMs', performance.now() - began);
}
