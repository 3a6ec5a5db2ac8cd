/** `temporal workflow reset` with the real binary, of runs with people in them, to the workflow task that scheduled the executing turn. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunResult } from '../../protocol/messages/messages.js';
import { viewOf } from '../support/run-steps.js';
import { startsOf, tracesOf, turnFolders } from '../support/run-traces.js';
import { type TemporalTool, temporalTool, turnEventId } from '../support/temporal-tool.js';
import { openTestHost, type TestHost, type TestRun } from '../support/test-host.js';
import { PLAIN_VALIDATION, type TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const EXECUTING = 3;

let host: TestHost;
let tool: TemporalTool;
let repository: TestRepository;
let run: TestRun;

beforeEach(async () => {
  host = await openTestHost();
  tool = temporalTool(host.env);
  await host.startWorker();
  await begin('gates:\n  stages: [reviewing]\n');
}, LIMIT_MS);
afterEach(() => host.close(), LIMIT_MS);

const signal = async (name: string, argument: unknown) => {
  const sent = await tool.workflow(
    'signal',
    '--workflow-id',
    run.runId,
    '--name',
    name,
    '--input',
    JSON.stringify(argument),
  );
  expect(sent).toMatchObject({ code: 0 });
};

/** A run that waits at its first gate. */
async function begin(config: string): Promise<void> {
  repository = await host.repository({ config: `${PLAIN_VALIDATION}${config}` });
  run = await host.startRun(repository);
  await atGate();
}

async function atGate(): Promise<void> {
  await until(async () => (await run.view()).status === 'waiting_for_approval');
}

/** From here on `run` is the execution that goes on; the one before is closed. */
async function resetToExecuting(): Promise<void> {
  const event = await turnEventId(tool, run.runId, EXECUTING);
  const args = ['--workflow-id', run.runId, '--event-id', event, '--reason', 'a test'];
  expect(await tool.workflow('reset', ...args)).toMatchObject({ code: 0 });
  const handle = host.client.workflow.getHandle(run.runId);
  run = { ...run, handle, result: () => handle.result() as Promise<RunResult>, view: () => viewOf(handle) };
  await until(() => startsOf(repository, 'executing') === 2);
}

/** What every run here leaves that was reset once and then went through its gate. */
async function expectWhole(): Promise<void> {
  const traces = await tracesOf({ run, repository, home: host.home });
  expect(traces).toMatchObject({ outcome: 'merge_ready', error: null, commits: 1, living: [] });
  expect(traces.change.match(/^\+changed$/gm)).toHaveLength(1);
  expect(traces.journal).not.toBe('damaged');
  expect(run.statuses().filter((status) => ['merge_ready', 'aborted'].includes(String(status)))).toEqual([
    'merge_ready',
  ]);
  expect(startsOf(repository, 'planning')).toBe(1);
  expect(turnFolders(host.home).filter((folder) => /\/4-/.test(folder))).toHaveLength(2);
  const left = readFileSync(join(run.runDir, 'events.1.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(left[0] ?? '')).toMatchObject({ type: expect.any(String), seq: expect.any(Number) });
  expect(existsSync(join(run.runDir, 'events.2.jsonl'))).toBe(false);
}

describe('temporal workflow reset', () => {
  it(
    'of a run at its gate: the turn is taken again at a place of its own, the gate opens again and waits for a decision',
    async () => {
      const oldHead = repository.git('rev-parse', `sluice/${run.runId}`).trim();

      await resetToExecuting();
      await atGate();
      await signal('approve', { by: 'ada' });

      await expectWhole();
      expect(repository.git('rev-parse', `refs/sluice/${run.runId}/reset-1`).trim()).toBe(oldHead);
      expect(run.events().filter((event) => event.type === 'approval.requested')).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it(
    'of a closed run: what people said after that point is heard again by the server, and a decision without its gate decides nothing',
    async () => {
      await signal('steer', { text: 'use tabs', by: 'ada' });
      await signal('approve', { by: 'ada' });
      expect((await run.result()).outcome).toBe('merge_ready');

      await resetToExecuting();
      await atGate();
      expect(run.events().filter((event) => event.type === 'message.refused')).toMatchObject([
        { data: { name: 'approve' } },
      ]);
      await signal('approve', { by: 'ada' });

      await expectWhole();
      expect(run.events().filter((event) => event.type === 'run.steered')).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it(
    'of a closed run whose messages were Updates: they are asked again, and what is refused now leaves no trace',
    async () => {
      await run.handle.executeUpdate('steer', { args: [{ text: 'use tabs' }] });
      await run.handle.executeUpdate('approve', { args: [{}] });
      expect((await run.result()).outcome).toBe('merge_ready');

      await resetToExecuting();
      await atGate();
      await run.handle.executeUpdate('approve', { args: [{}] });

      await expectWhole();
      expect(
        run.events().flatMap(({ type }) => (['run.steered', 'message.refused'].includes(type) ? [type] : [])),
      ).toEqual(['run.steered']);
    },
    LIMIT_MS,
  );

  it(
    'of a run that told people before that point goes on, and what it tells from there is told under an id of its own',
    async () => {
      const told = join(host.folder, 'told.jsonl');
      const sink = JSON.stringify(['sh', '-c', `cat >> ${told}; echo >> ${told}`]);
      await begin(`gates:\n  stages: [planning, reviewing]\nnotify:\n  - command: ${sink}\n`);
      await signal('approve', { by: 'ada' });
      await until(async () => (await run.view()).pendingApprovalId === 'gate-2');

      await resetToExecuting();
      await until(async () => (await run.view()).pendingApprovalId === 'gate-2');
      await signal('approve', { by: 'ada' });
      expect((await run.result()).outcome).toBe('merge_ready');

      const ids = () => {
        const lines = readFileSync(told, 'utf8')
          .split('\n')
          .filter((line) => line !== '');
        return lines.map((line) => String(JSON.parse(line).id));
      };
      // Two gates before, the second once more, and the end.
      await until(() => existsSync(told) && ids().length === 4);
      expect(new Set(ids()).size).toBe(4);
    },
    LIMIT_MS,
  );
});
