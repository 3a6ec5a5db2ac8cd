/** What runs and their quota gate do together, over stub hosts on the real server: probes, refusals, people, runs and gates that go away. */
import { describe, expect, it } from '@jest/globals';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import { timersOf } from '../support/history-timers.js';
import { limitedRuns, limitedUntil } from '../support/limited-runs.js';
import { openedOnce } from '../support/opened.js';
import { eventsOf, untilView, viewOf } from '../support/run-steps.js';
import { openStubWorkers } from '../support/stub-host.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;
const LIMIT_MS = 300_000;

const outcomes = (handles: readonly WorkflowHandle[]) =>
  Promise.all(handles.map(async (handle) => (await handle.result()).outcome));
const runsOf = (calls: readonly { readonly place: { readonly runId: string } }[]) =>
  calls.map(({ place }) => place.runId.split('-').at(-1) ?? '');

describe('a quota gate', () => {
  const workers = openedOnce(openStubWorkers);

  /** A provider that refuses the first `refusals` turns, each with the next of these times; the last one holds on. */
  function refusing(...ms: readonly number[]) {
    let refused = 0;
    return () => {
      refused += 1;
      const wait = ms[refused - 1];
      return wait === undefined ? {} : limitedUntil(wait);
    };
  }

  it(
    'closes again when the probe meets the limit again: nobody else is called, and the next one probes then',
    async () => {
      const runs = limitedRuns(workers, refusing(HOUR_MS, HOUR_MS, 500, 1_000), { name: 'again' });
      const [a, b] = [await runs.start('a'), await runs.start('b')];
      await runs.untilGate((view) => view?.waiting === 2);
      const c = await runs.start('c');

      expect(await outcomes([a, b, c])).toEqual(['merge_ready', 'merge_ready', 'merge_ready']);
      expect(runsOf(runs.calls).slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
      const [first, second] = [runs.calls[3]?.place.runId, runs.calls[4]?.place.runId];
      expect(new Set([first, second])).toEqual(new Set(['again-a', 'again-b']));
      expect(runs.calls).toHaveLength(7);
      expect((await runs.gate().result()) as unknown).toMatchObject({ state: 'open', waiting: 0 });
    },
    LIMIT_MS,
  );

  it(
    'is not opened by a probe whose agent was not started: the next one probes then, alone',
    async () => {
      const noWorktree = { kind: 'hard', why: 'the worktree was made anew, and its set-up failed' } as const;
      const answers = [limitedUntil(HOUR_MS), limitedUntil(HOUR_MS), limitedUntil(500)];
      answers.push({ outcome: noWorktree, started: false }, limitedUntil(HOUR_MS));
      const runs = limitedRuns(workers, () => answers.shift() ?? {}, { name: 'unstarted' });
      const handles = [await runs.start('a'), await runs.start('b')];
      await runs.untilGate((view) => view?.waiting === 2);
      handles.push(await runs.start('c'));
      await until(() => runs.calls.length >= 5);
      await runs.untilGate((view) => runs.calls.length > 5 || (view?.waiting === 2 && view.probe === null));

      expect(runs.calls).toHaveLength(5);
      await runs.gate().executeUpdate<MessageAnswer, [unknown]>('open', { args: [{ by: 'ada' }] });
      expect((await outcomes(handles)).filter((outcome) => outcome === 'merge_ready')).toHaveLength(2);
    },
    LIMIT_MS,
  );

  it(
    'lets a run end that may wait no more often, and goes on with the next',
    async () => {
      const usageLimit = { action: 'wait', maxWaitMs: 24 * HOUR_MS, maxWaits: 1 } as const;
      const runs = limitedRuns(workers, refusing(HOUR_MS, 300, 300), { name: 'often', policy: { usageLimit } });
      const a = await runs.start('a');
      await runs.untilGate((view) => view?.waiting === 1);
      const b = await runs.start('b');

      expect(await a.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'usage_limit' });
      expect(await b.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(runsOf(runs.calls)).toEqual(['a', 'b', 'a', 'b']);
    },
    LIMIT_MS,
  );

  it(
    'ends a run without another turn once the limit is known to outlast what the run may wait',
    async () => {
      const usageLimit = { action: 'wait', maxWaitMs: 2 * HOUR_MS, maxWaits: 9 } as const;
      const runs = limitedRuns(workers, refusing(HOUR_MS, 300, 5 * HOUR_MS), { name: 'long', policy: { usageLimit } });
      const a = await runs.start('a');
      await runs.untilGate((view) => view?.waiting === 1);
      const b = await runs.start('b');

      for (const run of [a, b])
        expect(await run.result()).toMatchObject({
          outcome: 'blocked',
          blockedReason: 'usage_limit',
          error: 'the plan is used up',
        });
      expect(runsOf(runs.calls)).toEqual(['a', 'b', 'a']);
      await runs.gate().cancel();
      await expect(runs.gate().result()).rejects.toMatchObject({ name: 'WorkflowFailedError' });
    },
    LIMIT_MS,
  );

  it(
    'opens for all when a person says that it is over, and tells the hosts by one and the same word',
    async () => {
      const runs = limitedRuns(workers, refusing(HOUR_MS, HOUR_MS), { name: 'person' });
      const handles = [await runs.start('a'), await runs.start('b')];
      await runs.untilGate((view) => view?.waiting === 2);
      const waiting = await viewOf(handles[0] as WorkflowHandle);

      const answer = await runs.gate().executeUpdate<MessageAnswer, [unknown]>('open', { args: [{ by: 'ada' }] });

      expect(waiting.waiting).toMatchObject({ kind: 'usage_limit', account: 'person/default' });
      expect(answer).toEqual({
        message: 'the usage limit counts as over; 2 waiting runs go on',
        status: 'open',
        changed: true,
      });
      expect(await outcomes(handles)).toEqual(['merge_ready', 'merge_ready']);
      const words = runs.calls.map(({ accountOpening }) => accountOpening);
      expect(words.slice(0, 2)).toEqual([null, null]);
      expect(words[2]).toEqual(expect.any(String));
      expect(words[3]).toBe(words[2]);
    },
    LIMIT_MS,
  );

  it(
    'forgets a run that is aborted while it waits, and lets the next probe when the probe is aborted',
    async () => {
      let turns = 0;
      const runs = limitedRuns(
        workers,
        async ({ place }) => {
          turns += 1;
          if (turns <= 3) return limitedUntil(turns === 3 ? 1_500 : HOUR_MS);
          if (place.runId !== 'abort-b') return {};
          const beat = setInterval(() => Context.current().heartbeat(), 20);
          return Context.current().cancelled.finally(() => clearInterval(beat));
        },
        { name: 'abort', policy: { heartbeatMs: 10_000 } },
      );
      const [a, b] = [await runs.start('a'), await runs.start('b')];
      await runs.untilGate((view) => view?.waiting === 2);
      await a.executeUpdate('abort', { args: [{}] });
      expect(await a.result()).toMatchObject({ outcome: 'aborted' });
      await runs.untilGate((view) => view?.waiting === 1);
      const c = await runs.start('c');
      await runs.untilGate((view) => view?.probe === 'abort-b');
      await until(() => runs.calls.length === 4);
      await b.executeUpdate('abort', { args: [{}] });

      expect(await outcomes([b, c])).toEqual(['aborted', 'merge_ready']);
      expect(runsOf(runs.calls.slice(0, 2)).toSorted()).toEqual(['a', 'b']);
      expect(runsOf(runs.calls.slice(2))).toEqual(['c', 'b', 'c']);
    },
    LIMIT_MS,
  );

  it(
    'that is terminated from outside holds nobody: by their own timers the runs start it anew, and one of them probes',
    async () => {
      let isOver = false;
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const runs = limitedRuns(
        workers,
        async () => {
          // Waited out; all three are to wait by then.
          if (!isOver) return limitedUntil(12_000);
          await held;
          return {};
        },
        { name: 'lost' },
      );
      const handles = [await runs.start('a'), await runs.start('b'), await runs.start('c')];
      const lost = await runs.untilGate((view) => view?.waiting === 3);
      await runs.gate().terminate('by a test');
      isOver = true;
      const found = await runs.untilGate((view) => view?.state === 'probing' && view.waiting === 2);
      await until(() => runs.calls.length >= 4);
      const callsThen = runs.calls.length;
      release();

      expect(await outcomes(handles)).toEqual(['merge_ready', 'merge_ready', 'merge_ready']);
      expect(found?.since).not.toBe(lost?.since);
      expect(callsThen).toBe(4);
      expect(runs.calls).toHaveLength(6);
    },
    LIMIT_MS,
  );

  it(
    'whose rate limit lasts longer by now says so where runs are listed, of those that wait already too',
    async () => {
      const met = new Set<string>();
      const provider = ({ place: { runId } }: { readonly place: { readonly runId: string } }) => {
        if (met.has(runId)) return {};
        met.add(runId);
        return {
          outcome: { kind: 'rate_limited', why: '429', afterMs: runId === 'later-a' ? HOUR_MS : 2 * HOUR_MS },
        } as const;
      };
      const runs = limitedRuns(workers, provider, { name: 'later' });
      const a = await runs.start('a');
      await runs.untilGate((view) => view?.waiting === 1);
      const b = await runs.start('b');
      const { until: end = null } = (await runs.untilGate((view) => view?.waiting === 2)) ?? {};

      await untilView(a, ({ waiting }) => waiting?.until === end);
      expect((await a.describe()).memo?.['waiting']).toMatchObject({ kind: 'rate_limited', until: end });
      await runs.gate().signal('open');
      expect(await outcomes([a, b])).toEqual(['merge_ready', 'merge_ready']);
    },
    LIMIT_MS,
  );

  it(
    'does not break by signals that nobody can read, and opens by none of them',
    async () => {
      const runs = limitedRuns(workers, refusing(HOUR_MS), { name: 'signals' });
      const a = await runs.start('a');
      await runs.untilGate((view) => view?.waiting === 1);
      const unreadable: Payload = {
        metadata: { encoding: new TextEncoder().encode('json/plain') },
        data: new TextEncoder().encode('{"by":'),
      };
      const raw = (workflowId: string, signalName: string, payloads: Payload[]) =>
        runs.host.client.workflowService.signalWorkflowExecution({
          namespace: runs.host.client.options.namespace,
          workflowExecution: { workflowId },
          signalName,
          input: { payloads },
          identity: 'test',
        });
      for (const name of ['park', 'probed', 'leave', 'open', 'no-such', '__temporal_x'])
        await raw(runs.gate().workflowId, name, [unreadable]);
      await raw(a.workflowId, 'quota', [unreadable]);
      await a.signal('quota', { wait: 'another', word: 'open', opening: 'x' });

      expect(await runs.view()).toMatchObject({ state: 'closed', waiting: 1 });
      expect(await viewOf(a)).toMatchObject({ waiting: { kind: 'usage_limit' } });
      await runs.gate().signal('open');
      expect(await a.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(eventsOf(runs.host).map(({ type }) => type)).not.toContain('message.refused');
    },
    LIMIT_MS,
  );

  it(
    'T-96: uses no retry, no turn of the budget and no place of a host for a wait, and says in the journal who lets it go on',
    async () => {
      const budget = { turns: 2, minutes: null, microUsd: null, tokens: null, onLimit: 'stop', day: null } as const;
      let turns = 0;
      const notStarted = { started: false as const, ...limitedUntil(HOUR_MS) };
      const runs = limitedRuns(
        workers,
        () => {
          turns += 1;
          return turns <= 2 ? notStarted : {};
        },
        { name: 'free', policy: { budget } },
      );
      const a = await runs.start('a');
      for (const wait of [1, 2]) {
        await untilView(a, ({ waiting }) => waiting !== null && runs.calls.length === wait);
        await runs.untilGate((view) => view?.waiting === 1);
        const { raw } = await a.describe();
        // The waiting is told the host beside it.
        const pending = (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
        expect(pending.filter((name) => name !== 'flushJournal')).toEqual([]);
        await runs.gate().signal('open');
      }

      expect(await a.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(eventsOf(runs.host).filter(({ type }) => type === 'turn.retried')).toEqual([]);
      expect(
        eventsOf(runs.host).flatMap(({ type, message }) => (type === 'usage_limit.cleared' ? [message] : [])),
      ).toEqual(Array.from({ length: 2 }, () => 'the usage limit is over (free/default)'));
      expect((await timersOf(a)).every(({ firedAt }) => firedAt === null)).toBe(true);
    },
    LIMIT_MS,
  );
});
