/** A usage limit and a rate limit that a hundred runs of one account meet, and what runs of other accounts do meanwhile. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { RunTurnInput } from '../../../protocol/messages/messages.js';
import { attendedRun } from '../../support/attended-run.js';
import { type HistoryTimer, timersOf } from '../../support/history-timers.js';
import { limitedRuns, limitedUntil } from '../../support/limited-runs.js';
import { openedOnce } from '../../support/opened.js';
import { viewOf } from '../../support/run-steps.js';
import { openStubWorkers } from '../../support/stub-host.js';
import { openTestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const transcript = (path: string) =>
  readFileSync(new URL(`../../unit/agent/transcripts/${path}.stdout`, import.meta.url), 'utf8');

/** What the real CLIs once printed: the one met the limit of its plan, which ends in an hour, the other did not. */
const PROVIDERS = {
  'limit.txt': transcript('claude-code/usage-limit'),
  'claude.sh': 'cat > /dev/null; sed "s/1795311373/$(($(date +%s) + 3600))/" limit.txt; exit 1\n',
  'answer.txt': transcript('codex/success'),
  'codex.sh': 'cat > /dev/null; cat answer.txt\n',
};
const plannedBy = (adapter: 'claude-code' | 'codex', script: string) => ({
  files: PROVIDERS,
  config: `  one: {adapter: ${adapter}, command: [sh, ${script}]}\nstageList: plan-only\nstages: { planning: { agent: one } }\n`,
});

const HOUR_MS = 3_600_000;
const LIMIT_MS = 300_000;
const RUNS = 100;
const RATED = 12;

const rateLimitedFor = (afterMs: number) => ({ outcome: { kind: 'rate_limited', why: '429', afterMs } }) as const;

describe('a usage limit that many runs meet', () => {
  const workers = openedOnce(openStubWorkers);

  it(
    'B-44, T-96: costs one turn of each run, none until the reset, one probe after it, by one timer; then all go on',
    async () => {
      let isOver = false;
      let goOn = () => {};
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const provider = async ({ place }: { readonly place: { readonly runId: string } }) => {
        // The last one is told the true time; the gate takes the earliest.
        if (isOver) {
          await held;
          return {};
        }
        isOver = place.runId === 'many-last';
        return limitedUntil(isOver ? 1_500 : HOUR_MS);
      };
      const runs = limitedRuns(workers, provider, { name: 'many' });
      const first = await Promise.all(Array.from({ length: RUNS - 1 }, (_, n) => runs.start(String(n))));
      await runs.untilGate((view) => view?.waiting === RUNS - 1);
      const before = runs.calls.length;
      const timers = await timersOf(runs.gate());
      const heap = process.memoryUsage().heapUsed;
      const last = await runs.start('last');
      await runs.untilGate((view) => view?.waiting === RUNS || view?.state === 'probing');
      await until(() => runs.calls.length > RUNS);
      await runs.untilGate((view) => view?.state === 'probing' && view.waiting === RUNS - 1);
      const atProbe = runs.calls.length;
      const openedAt = Date.now();
      goOn();
      await until(() => runs.calls.length === 2 * RUNS);
      const resumedMs = Date.now() - openedAt;
      const ended = await Promise.all([...first, last].map(async (handle) => (await handle.result()).outcome));
      const own = await Promise.all(first.map(timersOf));

      expect(before).toBe(RUNS - 1);
      expect(new Set(runs.calls.slice(0, RUNS).map(({ place }) => place.runId)).size).toBe(RUNS);
      expect(atProbe).toBe(RUNS + 1);
      expect(ended).toEqual(ended.map(() => 'merge_ready'));
      expect(runs.calls).toHaveLength(2 * RUNS);
      expect(timers).toMatchObject([{ firedAt: null }]);
      expect(own.flat().filter(({ firedAt }) => firedAt !== null)).toEqual([]);
      // Their own are for a gate that is lost: none would have fired before it.
      const dueOf = (timer: HistoryTimer | undefined) =>
        timer === undefined ? Number.NaN : timer.startedAt + timer.ms;
      expect(own.filter(([shown]) => !(dueOf(shown) >= dueOf(timers[0])))).toEqual([]);
      const grown = Math.round((process.memoryUsage().heapUsed - heap) / 1024);
      console.log(
        `${RUNS} runs: ${before + 1} turns met the limit, 0 until the reset, ${atProbe - RUNS} probe; all had their turn ${resumedMs} ms after the probe ended; heap ${grown} KiB more`,
      );
    },
    LIMIT_MS,
  );

  it(
    'T-29: blocks only runs of that provider and account: those of another go on, and agents of one account share its gate',
    async () => {
      const limited = new Set(['account-a', 'account-b']);
      const runs = limitedRuns(workers, ({ place }) => (limited.delete(place.runId) ? limitedUntil(HOUR_MS) : {}), {
        name: 'account',
      });
      const [a, b] = [await runs.start('a', 'one'), await runs.start('b', 'one')];
      await runs.untilGate((view) => view?.waiting === 2, 'one');

      const other = await runs.start('other', 'two');

      expect(await other.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(await runs.view('two')).toBeNull();
      expect(await runs.view('one')).toMatchObject({ state: 'closed', waiting: 2 });
      await runs.gate('one').signal('open');
      expect([(await a.result()).outcome, (await b.result()).outcome]).toEqual(['merge_ready', 'merge_ready']);
    },
    LIMIT_MS,
  );
});

describe('a rate limit that many runs meet', () => {
  const workers = openedOnce(openStubWorkers);

  it(
    'B-44: costs one turn of each run, none until its end, by one timer that all share; then all go on, without a probe, a round or another retry',
    async () => {
      const met = new Set<string>();
      // The latest end that was told counts for all.
      const provider = ({ place: { runId }, stage }: RunTurnInput) =>
        stage !== 'reviewing' || met.has(runId)
          ? {}
          : met.add(runId) && rateLimitedFor(runId === 'rated-last' ? 2 * HOUR_MS : HOUR_MS);
      const runs = limitedRuns(workers, provider, {
        name: 'rated',
        policy: { stages: ['executing', 'reviewing', 'fixing', 'verifying'] },
      });
      const first = await Promise.all(Array.from({ length: RATED - 1 }, (_, n) => runs.start(String(n))));
      await runs.untilGate((view) => view?.waiting === RATED - 1);
      const all = [...first, await runs.start('last')];
      const closed = await runs.untilGate((view) => view?.waiting === RATED);
      const waits = await Promise.all(all.map(viewOf));
      const before = runs.calls.length;
      const pending = [...(await timersOf(runs.gate())), ...(await Promise.all(all.map(timersOf))).flat()];
      await runs.gate().signal('open');
      const results = await Promise.all(all.map((handle) => handle.result()));
      const told = runs.host.batches.flatMap(({ events }) => events);

      // The work of each, and the review that met the limit.
      expect(before).toBe(2 * RATED);
      expect(closed).toMatchObject({ state: 'closed', limit: 'rate' });
      expect(Date.parse(closed?.until ?? '')).toBeGreaterThan(Date.now() + HOUR_MS);
      expect(waits.map(({ status, waiting }) => [status, waiting?.kind, waiting?.account])).toEqual(
        waits.map(() => ['reviewing', 'rate_limited', 'rated/default']),
      );
      expect(pending.filter(({ firedAt }) => firedAt !== null)).toEqual([]);
      expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'merge_ready'));
      expect(runs.calls).toHaveLength(4 * RATED);
      expect(new Set(told.flatMap(({ type, data }) => (type === 'turn.retried' ? [data['retry']] : [])))).toEqual(
        new Set([1]),
      );
      expect(told.filter(({ data }) => Number(data['round'] ?? 0) > 0)).toEqual([]);
      expect((await Promise.all(all.map(viewOf))).map(({ reviewLoopCount }) => reviewLoopCount)).toEqual(
        all.map(() => 0),
      );
    },
    LIMIT_MS,
  );

  it(
    'B-44: is over for all of them when the timer of the gate fires, without a probe',
    async () => {
      const met = new Set<string>();
      const provider = async ({ place: { runId } }: { readonly place: { readonly runId: string } }) => {
        if (met.has(runId)) return {};
        met.add(runId);
        // One that comes to the limit after its end finds a gate of its own.
        await until(() => met.size === 2);
        return rateLimitedFor(12_000);
      };
      const runs = limitedRuns(workers, provider, { name: 'over' });
      const pair = await Promise.all([runs.start('a'), runs.start('b')]);
      await runs.untilGate((view) => view !== null);
      const { runId } = await runs.gate().describe();
      const outcomes = await Promise.all(pair.map(async (handle) => (await handle.result()).outcome));
      const shared = await timersOf(runs.host.client.workflow.getHandle(runs.gate().workflowId, runId));

      expect(outcomes).toEqual(['merge_ready', 'merge_ready']);
      expect(runs.calls).toHaveLength(4);
      expect(shared.filter(({ firedAt }) => firedAt !== null)).toHaveLength(1);
      expect((await Promise.all(pair.map(timersOf))).flat().filter(({ firedAt }) => firedAt !== null)).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe('a usage limit of one provider', () => {
  const host = openedOnce(openTestHost);

  it(
    'T-29: does not hold a run whose agent is of another provider, with the adapters of both',
    async () => {
      await host.startWorker();
      const limited = await attendedRun(host, plannedBy('claude-code', 'claude.sh'));
      await until(async () => (await limited.run.view()).waiting?.kind === 'usage_limit');

      const other = await attendedRun(host, plannedBy('codex', 'codex.sh'));

      expect(await other.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(await limited.run.view()).toMatchObject({ status: 'planning', waiting: { kind: 'usage_limit' } });
      await limited.send('abort');
      expect(await limited.result()).toMatchObject({ outcome: 'aborted' });
    },
    LIMIT_MS,
  );
});
