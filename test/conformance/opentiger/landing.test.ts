/** Landing as opentiger asks for it: attempts and their waits belong to the queue, what lands is what was reviewed, and a person's checkout is nobody else's. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MergeQueueView, QueueEntry } from '../../../protocol/actors/merge-queue.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { STATUS_QUERY } from '../../../protocol/names.js';
import { type BaseErrand, EMPTY_QUEUE, type QueueState } from '../../../workflows/merge-queue/queue-state.js';
import { afterEvent, QUEUE_RULES } from '../../../workflows/merge-queue/queue-table.js';
import { armFailpoint, WORKER_WITH_FAILPOINT } from '../../support/failpoint-home.js';
import { land, landingOf, REPAIRED, settledLanding } from '../../support/landed-runs.js';
import { QUEUED_RUNS } from '../../support/queued-repository.js';
import { closedRun, enqueueAll } from '../../support/queued-runs.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;
const MINUTE_MS = 60_000;
const BASE = { at: '0', contains: 0, use: null };

function anEntry(name: string, part: Partial<QueueEntry> = {}): QueueEntry {
  const since = new Date(0).toISOString();
  return {
    id: name,
    owner: 'o',
    runId: name,
    host: 'h',
    repoKey: 'shop',
    pull: null,
    priority: 0,
    since,
    attempts: 3,
    retryWaitMs: 30_000,
    watch: false,
    anyway: false,
    head: null,
    ...part,
  };
}

/** A queue with a clock of its own, whose base nobody moves. */
class Queue {
  state: QueueState = EMPTY_QUEUE;
  now = 0;
  doing: BaseErrand[] = [];

  tell(event: Parameters<typeof afterEvent>[1]): void {
    const step = afterEvent(this.state, event, this.now);
    this.state = step.state;
    this.doing = [...this.doing, ...step.errands.filter((errand) => errand.kind !== 'tell' && errand.kind !== 'watch')];
  }

  /** Who is worked on. */
  get current(): string | undefined {
    return this.doing[0]?.entry.id;
  }

  /** What is at work is red, without the base being it. */
  fail(): void {
    const [errand] = this.doing.splice(0);
    if (errand?.kind === 'look')
      return this.tell({ kind: 'looked', base: BASE, by: errand.entry.id, asked: [], watched: [] });
    if (errand?.kind !== 'land') throw new Error(`nothing is landed but ${errand?.kind ?? 'nothing'} done`);
    const { id } = errand.entry;
    this.tell({ kind: 'landed', id, base: BASE, landed: { kind: 'check', commit: id, on: '0' } });
    this.doing.splice(0);
    const checked = {
      tree: id,
      checks: 'c',
      outcome: 'red',
      at: '',
      why: 'npm test is red',
      isBaseRed: false,
    } as const;
    this.tell({ kind: 'checked', id, on: '0', ...checked });
  }

  /** Until somebody is landed; looks at the base between do not count. */
  wait(): number {
    const from = this.now;
    while (this.doing[0]?.kind !== 'land') {
      if (this.doing.length > 0) this.fail();
      else {
        this.now = QUEUE_RULES[0]?.wakesAt(this.state) ?? Number.NaN;
        this.tell({ kind: 'tick' });
      }
    }
    return this.now - from;
  }
}

describe('attempts', () => {
  it('T-74: three attempts wait 30 and 60 s, more of them at most five minutes', () => {
    const waitsOf = (attempts: number) => {
      const queue = new Queue();
      queue.tell({ kind: 'enqueue', entry: anEntry('a', { attempts }) });
      const waits: number[] = [];
      for (queue.fail(); queue.state.entries.length > 0; queue.fail()) waits.push(queue.wait() / 1_000);
      expect(queue.state.results.at(-1)).toMatchObject({ state: 'exhausted', reason: 'red' });
      return waits;
    };

    expect(waitsOf(3)).toEqual([30, 60]);
    expect(waitsOf(8)).toEqual([30, 60, 120, 240, 300, 300, 300]);
  });

  it('T-74: the order is priority, then the time of the next attempt, then age; the same entry is there once', () => {
    const queue = new Queue();
    const order: (string | undefined)[] = [];
    queue.tell({ kind: 'enqueue', entry: anEntry('failed', { since: new Date(-5 * MINUTE_MS).toISOString() }) });
    queue.fail();
    const aged = (s: number) => ({ since: new Date(s * 1_000).toISOString(), attempts: 1 });
    for (const entry of [
      anEntry('young', aged(20)),
      anEntry('old', aged(10)),
      anEntry('urgent', { ...aged(29), priority: 90 }),
      anEntry('late', aged(40)),
      anEntry('late', aged(40)),
    ])
      queue.tell({ kind: 'enqueue', entry });
    // The first that came was begun before the others were there.
    queue.now = 30_000;
    for (; queue.state.entries.length > 0; queue.fail()) {
      queue.wait();
      order.push(queue.current);
    }

    expect(order).toEqual(['young', 'urgent', 'old', 'failed', 'late', 'failed']);
  });
});

describe('landing', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  const ATTEMPTS = 'landing: { attempts: 2, retryWait: 1s }\n';
  /** Two heads on the same lines; the first has landed, nobody stands on main. */
  const apart = async () => {
    const repository = await host.repository(REPAIRED(ATTEMPTS));
    const runs = [];
    for (const task of ['echo mine >> a.txt', 'echo yours >> a.txt'])
      runs.push(await closedRun(host, repository, { task: `change\ndo: ${task}` }));
    repository.git('checkout', '-q', '--detach');
    const [first = '', second = ''] = runs;
    await (await land(host, first)).result();
    return { repository, second };
  };
  const queueOf = async (runId: string) => {
    const { entry } = await landingOf(host, runId);
    return host.client.workflow.getHandle(entry?.queue ?? '');
  };
  const isOver = (workflowId: string) =>
    host.client.workflow
      .getHandle(workflowId)
      .describe()
      .then(
        () => true,
        () => false,
      );

  it(
    'T-72, T-73, T-75: a merge that fails is tried again by the queue alone, without another review and without a repair, and lands once it merges',
    async () => {
      const { repository, second } = await apart();
      await land(host, second);
      await until(async () => (await landingOf(host, second)).entry?.why?.startsWith('attempt 1 of 2') === true);
      const queue = await queueOf(second);
      expect((await queue.query<MergeQueueView>(STATUS_QUERY)).entries).toMatchObject([{ state: 'waiting', used: 1 }]);
      expect(await isOver(`${second}-l1`)).toBe(false);
      repository.git('update-ref', 'refs/heads/main', 'main~1');

      expect(await settledLanding(host, second)).toMatchObject({ merge: 'merged', gates: [] });
      expect(await isOver(`${second}-l1`)).toBe(false);
      const events = readFileSync(join(repository.path, '.sluice/runs', second, 'events.jsonl'), 'utf8');
      expect(events.match(/"type":"review.decision"/g)).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it(
    'T-73, T-75: one whose attempts are used up has failed, and only then is repaired',
    async () => {
      const { second } = await apart();
      await land(host, second);
      await until(async () => (await landingOf(host, second)).entry?.why?.startsWith('attempt 1 of 2') === true);
      expect(await isOver(`${second}-l1`)).toBe(false);

      expect(await settledLanding(host, second)).toMatchObject({ merge: 'merged' });
      expect(await isOver(`${second}-l1`)).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    'T-78: what lands is the head that the run answered, and not what was pushed to its branch later',
    async () => {
      const repository = await host.repository(QUEUED_RUNS);
      const run = await closedRun(host, repository);
      const { headSha } = (await host.client.workflow.getHandle(run).result()) as RunResult; // Runs answer this.
      const late = repository.git('commit-tree', `${headSha}^{tree}`, '-p', `${headSha}`, '-m', 'late').trim();
      repository.git('update-ref', `refs/heads/sluice/${run}`, late);
      repository.git('checkout', '-q', '--detach');
      await land(host, run);

      expect(await settledLanding(host, run)).toMatchObject({ merge: 'merged' });
      expect(repository.git('rev-parse', 'main').trim()).toBe(headSha);
    },
    LIMIT_MS,
  );

  it(
    'T-79: a dirty checkout is byte for byte the same after a merge, staged changes and untracked files too',
    async () => {
      const repository = await host.repository(QUEUED_RUNS);
      const run = await closedRun(host, repository);
      repository.git('checkout', '-q', '-b', 'elsewhere');
      const dirty = { 'a.txt': 'dirty\n', 'untracked.txt': 'mine\n', 'staged.txt': 'staged\n' };
      for (const [name, text] of Object.entries(dirty)) writeFileSync(join(repository.path, name), text);
      repository.git('add', 'staged.txt');
      const state = () => [repository.git('status', '--porcelain=v2', '--branch'), repository.git('stash', 'list')];
      const before = state();
      await land(host, run);
      await settledLanding(host, run);

      expect(repository.git('ls-tree', '--name-only', 'main')).toContain(`${run}.txt`);
      expect(state()).toEqual(before);
      for (const [name, text] of Object.entries(dirty))
        expect(readFileSync(join(repository.path, name), 'utf8')).toBe(text);
    },
    LIMIT_MS,
  );

  it.each([
    'land.after-candidate',
    'land.before-swap',
    'land.after-swap',
    'land.before-record',
    'land.after-record',
  ] as const)(
    'T-77: a worker that is killed at %s leaves no claim behind: the next one looks, and there is one merge',
    async (point) => {
      const own = await openTestHost();
      try {
        const doomed = await own.startWorker({ main: WORKER_WITH_FAILPOINT });
        const dead = once(doomed.process, 'exit');
        const repository = await own.repository(QUEUED_RUNS);
        const run = await closedRun(own, repository);
        repository.git('checkout', '-q', '--detach');
        armFailpoint(own.home, { name: point, nth: 1 });
        const queue = await enqueueAll(own, [run]);
        await dead;
        await own.startWorker();

        expect((await queue.ended()).results).toMatchObject([{ runId: run, state: 'merged' }]);
        expect(repository.git('rev-list', '--count', '--first-parent', 'main').trim()).toBe('2');
      } finally {
        await own.close();
      }
    },
    LIMIT_MS,
  );
});
