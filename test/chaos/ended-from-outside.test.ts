/** A run that is ended, or set back, by the server's own means while an agent is at work. */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { RunResult } from '../../protocol/messages/messages.js';
import { heldIn, letGo, reached } from '../support/held-stage.js';
import { openedForEach } from '../support/opened.js';
import { livingTurns, startsOf, tracesOf } from '../support/run-traces.js';
import { openTestHost, type TestRun } from '../support/test-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

const host = openedForEach(openTestHost);

describe('a run that is cancelled in mid-turn', () => {
  it(
    'ends aborted although its agent ignores TERM, and nothing of it lives',
    async () => {
      const repository = await host.repository(heldIn(host, 'executing', { ignoreTerm: true }));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      await run.handle.cancel();

      const traces = await tracesOf({ run, repository, home: host.home });
      expect(traces).toMatchObject({ outcome: 'aborted', commits: 0, living: [] });
      expect(traces.agents.at(-1)).toBe('executing START');
      expect(run.events().at(-1)).toMatchObject({ type: 'run.aborted' });
    },
    LIMIT_MS,
  );
});

describe('a run that is terminated in mid-turn', () => {
  it(
    'has its agent ended, and the host that ended it writes the missing end',
    async () => {
      const repository = await host.repository(heldIn(host, 'executing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');
      // The journal is written beside the turn.
      await until(() =>
        run.events().some(({ type, data }) => type === 'turn.started' && data['stage'] === 'executing'),
      );
      const before = run.events().length;

      await run.handle.terminate('by a test');
      await until(() => livingTurns(host.home).length === 0 && existsSync(join(run.runDir, 'report.md')));

      expect(startsOf(repository, 'executing')).toBe(1);
      expect(
        run
          .events()
          .slice(before)
          .map((event) => event.type),
      ).toEqual(['state.changed', 'run.aborted']);
      expect(run.events().map((event) => event.seq)).toEqual(run.events().map((_, index) => index + 1));
      expect(JSON.parse(run.read('state.json'))).toMatchObject({ status: 'aborted', outcome: 'aborted' });
    },
    LIMIT_MS,
  );

  it(
    'while no worker lives: the next one ends the agent and writes the end',
    async () => {
      const repository = await host.repository(heldIn(host, 'executing', { ignoreTerm: true }));
      const worker = await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      await worker.kill();
      await run.handle.terminate('by a test');
      await host.startWorker();
      await until(() => existsSync(join(run.runDir, 'report.md')));

      expect(livingTurns(host.home)).toEqual([]);
      expect(run.events().at(-1)).toMatchObject({ type: 'run.aborted' });
      expect(JSON.parse(run.read('state.json'))).toMatchObject({ status: 'aborted', outcome: 'aborted' });
    },
    LIMIT_MS,
  );
});

describe('a run that is reset to before its executing turn', () => {
  it(
    'after its end: meets no old record, has its branch moved back, and keeps the old head',
    async () => {
      const repository = await host.repository();
      await host.startWorker();
      const run = await host.startRun(repository);
      const old = await run.result();
      const oldLines = linesOf(run, 'events.jsonl');

      const again = await resetBeforeExecuting(run);

      const traces = await tracesOf({ run: again, repository, home: host.home });
      expect(traces).toMatchObject({ outcome: 'merge_ready', error: null, commits: 1, living: [] });
      expect(traces.change.match(/^\+changed$/gm)).toHaveLength(1);
      expect(startsOf(repository, 'planning')).toBe(1);
      expect(startsOf(repository, 'executing')).toBe(2);
      expect(repository.git('rev-parse', `refs/sluice/${run.runId}/reset-1`).trim()).toBe(old.headSha);
      expect(traces.journal).not.toBe('damaged');
      expect(run.statuses().filter((status) => status === 'merge_ready')).toHaveLength(1);
      const kept = linesOf(run, 'events.1.jsonl');
      expect(kept.at(-1)).toContain('"run.completed"');
      expect([...linesOf(run, 'events.jsonl').slice(0, oldLines.length - kept.length), ...kept]).toEqual(oldLines);
    },
    LIMIT_MS,
  );

  it(
    'in mid-turn of a later stage: the later agent is ended, and the branch is moved back',
    async () => {
      const repository = await host.repository(heldIn(host, 'reviewing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'reviewing');
      const oldHead = repository.git('rev-parse', `sluice/${run.runId}`).trim();

      const again = await resetBeforeExecuting(run);
      await until(() => startsOf(repository, 'reviewing') === 2);
      letGo(host);

      const traces = await tracesOf({ run: again, repository, home: host.home });
      expect(traces.agents.filter((line) => line.startsWith('reviewing'))).toEqual([
        'reviewing START',
        'reviewing START',
        'reviewing END',
      ]);
      expect(traces).toMatchObject({ outcome: 'merge_ready', error: null, commits: 1, living: [] });
      expect(repository.git('rev-parse', `refs/sluice/${run.runId}/reset-1`).trim()).toBe(oldHead);
    },
    LIMIT_MS,
  );
});

function linesOf(run: TestRun, name: string): readonly string[] {
  return run.read(name).trimEnd().split('\n');
}

/** Resets to the workflow task that scheduled the executing turn, the third of a plain run. Answers the execution that goes on from there. */
async function resetBeforeExecuting(run: TestRun): Promise<TestRun> {
  const { events } = await run.handle.fetchHistory();
  const turns = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: turn }) =>
    turn?.activityType?.name === 'runTurn' ? [turn] : [],
  );
  const reset = await host.client.workflowService.resetWorkflowExecution({
    namespace: host.namespace,
    workflowExecution: { workflowId: run.runId },
    reason: 'a test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: turns[2]?.workflowTaskCompletedEventId ?? null,
  });
  const handle = host.client.workflow.getHandle(run.runId, reset.runId);
  return { ...run, handle, result: () => handle.result() as Promise<RunResult> };
}
