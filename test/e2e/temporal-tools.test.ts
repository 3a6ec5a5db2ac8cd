/**
 * A run's whole life with Temporal's own command line and nothing else: no client of ours, no SDK, only the `temporal` binary that `sluice up` names
 * and what stands in the run's files. `sluice` itself only brings the engine up.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Fixture } from '../../activities/agent/scripted/fixture.js';
import { addRepository } from '../../config/home/host-list.js';
import { trustConfig } from '../../config/home/trust.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import type { RunDetails, RunView } from '../../protocol/messages/run-view.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { startsOf } from '../support/run-traces.js';
import { type TemporalTool, temporalTool, turnEventId } from '../support/temporal-tool.js';
import { fixtureWith, makeRepository, PLAIN_FIXTURE, type TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

let world: CliWorld;
let tool: TemporalTool;

beforeAll(async () => {
  world = openCliWorld();
  const { stdout } = await world.sluice(['up', '--json']);
  const { address, binary } = JSON.parse(stdout) as { address: string; binary: string }; // Documented in docs/cli.md.
  tool = temporalTool({ ...world.env, TEMPORAL_ADDRESS: address }, binary);
}, LIMIT_MS);
afterAll(() => world.close(), LIMIT_MS);

async function repositoryOf(id: string, stages: Fixture['stages'] = {}): Promise<TestRepository> {
  const folder = join(world.folder, `of-${id}`);
  mkdirSync(folder);
  const repository = makeRepository(folder, { fixture: fixtureWith(stages) });
  await addRepository(world.home, repository.path);
  await trustConfig(world.home, repository.path, repository.configText);
  return repository;
}

async function start(id: string, repo: string, policy: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const input = JSON.stringify({ task: 'change a.txt', repo, policy });
  const started = await tool.workflow(
    'start',
    '--type',
    'run',
    '--task-queue',
    'sluice',
    '--workflow-id',
    id,
    '--input',
    input,
  );
  expect(started).toMatchObject({ code: 0 });
}

const message = (argument: unknown) => (argument === undefined ? [] : ['--input', JSON.stringify(argument)]);

async function signal(id: string, name: string, argument?: unknown): Promise<void> {
  expect(await tool.workflow('signal', '--workflow-id', id, '--name', name, ...message(argument))).toMatchObject({
    code: 0,
  });
}

const update = (id: string, name: string, argument?: unknown) =>
  tool.workflow('update', 'execute', '--workflow-id', id, '--name', name, ...message(argument));

async function query<T>(id: string, type: string): Promise<T> {
  const { queryResult } = (await tool.json('query', '--workflow-id', id, '--type', type)) as { queryResult: [T] };
  return queryResult[0];
}

async function untilRun(id: string, holds: (view: RunView) => boolean): Promise<RunView> {
  let view = await query<RunView>(id, 'status');
  await until(async () => {
    view = await query<RunView>(id, 'status');
    return holds(view);
  });
  return view;
}

async function resultOf(id: string): Promise<unknown> {
  return ((await tool.json('result', '--workflow-id', id)) as { result: unknown }).result;
}

async function listed(condition: string): Promise<string[]> {
  const runs = (await tool.json('list', '--query', condition)) as { execution: { workflowId: string } }[];
  return runs.map(({ execution }) => execution.workflowId);
}

const runFile = (repository: TestRepository, id: string, ...names: string[]) =>
  readFileSync(join(repository.path, '.sluice/runs', id, ...names), 'utf8');

function journalOf(repository: TestRepository, id: string): JournalEvent[] {
  const lines = runFile(repository, id, 'events.jsonl').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as JournalEvent);
}

/** An agent that is at work until it is told. */
const held = (stage: 'planning' | 'executing') => ({ [stage]: { ...PLAIN_FIXTURE.stages[stage], waitFor: 'go' } });

describe('with nothing but the temporal binary', () => {
  it(
    'a start that is refused is told as that by every command, and never as one that waits',
    async () => {
      await start('refused-1', '/nonexistent/repository');
      await tool.workflow('result', '--workflow-id', 'refused-1');
      const sluice = (...args: readonly string[]) => world.sluice(args);
      await until(async () => /refused-1\trefused/.test((await sluice('list')).stdout));

      const status = await sluice('status', 'refused-1');
      const [object] = jsonLines((await sluice('status', 'refused-1', '--json')).stdout);
      const [logs, watch] = [await sluice('logs', 'refused-1'), await sluice('watch', 'refused-1')];

      expect(status).toMatchObject({ code: 0, stderr: '' });
      expect(status.stdout).toMatch(/^run +refused-1\nstatus +refused: .*\/nonexistent\/repository/);
      expect(object).toMatchObject({ runId: 'refused-1', refused: true, status: null });
      for (const { code, stderr } of [logs, watch]) {
        expect(code).toBe(1);
        expect(stderr).toContain(String(object?.['what']));
      }
    },
    LIMIT_MS,
  );

  it(
    'a run is started, paused, resumed, steered, renamed, found, looked at and approved, and is then closed to every message',
    async () => {
      const repository = await repositoryOf('life', held('planning'));
      await start('life', repository.path, { gates: ['executing'] });
      await until(() => startsOf(repository, 'planning') === 1);

      await signal('life', 'pause', { by: 'ada' });
      await signal('life', 'steer', { text: 'use the standard library', by: 'ada' });
      await signal('life', 'rename', 'another title');
      await untilRun('life', (view) => view.pauseRequested && view.title === 'another title');
      repository.release('go');
      expect(await untilRun('life', (view) => view.status === 'paused')).toMatchObject({ pausedAtStatus: 'planning' });
      await until(async () => (await listed('SluiceStatus = "paused"')).includes('life'));
      await signal('life', 'resume');

      const view = await untilRun('life', ({ status }) => status === 'waiting_for_approval');
      const { gates } = await query<RunDetails>('life', 'details');
      expect(gates).toMatchObject([
        { id: view.pendingApprovalId, stage: 'executing', status: 'pending', commit: view.headSha },
      ]);
      await until(async () =>
        (await listed('SluiceStatus = "waiting_for_approval" AND SluiceWaiting = "approval"')).includes('life'),
      );
      const shown = (await tool.workflow('metadata', '--workflow-id', 'life')).stdout;
      for (const text of [
        'gate-1',
        'before executing',
        'sluice approve life',
        `--name approve --input '{"gate":"gate-1"}'`,
        'sluice/life',
      ]) {
        expect(shown).toContain(text);
      }

      expect((await tool.workflow('stack', '--workflow-id', 'life')).stdout).toMatch(
        /workflows\/gates\/[\w-]+\.ts:\d+:\d+/,
      );

      const refused = await update('life', 'approve', { gate: 'gate-7' });
      expect(refused.code).not.toBe(0);
      expect(`${refused.stdout}${refused.stderr}`).toContain('gate-7 is not open; gate-1 is');
      const accepted = await update('life', 'approve', { by: 'ada', commit: view.headSha });
      expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('gate-1 is decided: approve') });

      expect(await resultOf('life')).toMatchObject({ outcome: 'merge_ready', branch: 'sluice/life' });
      const turns = readdirSync(join(repository.path, '.sluice/runs/life/turns'));
      const told = turns.filter((turn) =>
        runFile(repository, 'life', 'turns', turn, 'prompt.md').includes('use the standard library'),
      );
      expect(told.map((turn) => turn.replace(/^\d+-/, ''))).toEqual(['architecting']);
      for (const name of ['approve', 'pause', 'resume', 'abort', 'steer', 'rename', 'answer']) {
        expect((await update('life', name)).code).not.toBe(0);
        expect((await tool.workflow('signal', '--workflow-id', 'life', '--name', name)).code).not.toBe(0);
      }
      expect(await query('life', 'status')).toMatchObject({ status: 'merge_ready', title: 'another title' });
    },
    LIMIT_MS,
  );

  it(
    'a question is answered, a gate is rejected, and a run is aborted at its gate',
    async () => {
      const repository = await repositoryOf('asks', {
        planning: { text: 'Hm.', question: 'which database?', again: { text: 'Plan.' } },
      });
      await start('asks', repository.path);
      await start('rejected', (await repositoryOf('rejected')).path, { gates: ['planning'] });
      await start('aborted', (await repositoryOf('aborted')).path, { gates: ['planning'] });

      const { waiting } = await untilRun('asks', ({ status }) => status === 'waiting_for_approval');
      expect(waiting).toMatchObject({ kind: 'answer' });
      await signal('asks', 'answer', { text: 'sqlite', by: 'ada' });
      await untilRun('rejected', ({ status }) => status === 'waiting_for_approval');
      await signal('rejected', 'approve', { decision: 'reject', note: 'not now' });
      await untilRun('aborted', ({ status }) => status === 'waiting_for_approval');
      await signal('aborted', 'abort', { by: 'ada', reason: 'wrong task' });

      expect(await resultOf('asks')).toMatchObject({ outcome: 'merge_ready' });
      expect(await resultOf('rejected')).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rejected' });
      expect(await resultOf('aborted')).toMatchObject({ outcome: 'aborted', error: 'aborted by ada: wrong task' });
      await until(async () => (await listed('SluiceStatus = "blocked"')).includes('rejected'));
    },
    LIMIT_MS,
  );

  it(
    'a run is cancelled, another terminated in mid-turn, and both have an end in their journal',
    async () => {
      const repositories = {
        cancelled: await repositoryOf('cancelled', held('executing')),
        terminated: await repositoryOf('terminated', held('executing')),
      };
      for (const [id, repository] of Object.entries(repositories)) {
        await start(id, repository.path);
        await until(() => startsOf(repository, 'executing') === 1);
      }

      expect(await tool.workflow('cancel', '--workflow-id', 'cancelled')).toMatchObject({ code: 0 });
      expect(await tool.workflow('terminate', '--workflow-id', 'terminated', '--reason', 'a test')).toMatchObject({
        code: 0,
      });

      expect(await resultOf('cancelled')).toMatchObject({ outcome: 'aborted' });
      for (const [id, repository] of Object.entries(repositories)) {
        await until(() => journalOf(repository, id).at(-1)?.type === 'run.aborted');
        await until(() => (JSON.parse(runFile(repository, id, 'state.json')) as RunView).status === 'aborted');
        await until(() => existsSync(join(repository.path, '.sluice/runs', id, 'report.md')));
      }
    },
    LIMIT_MS,
  );

  it(
    'a closed run is reset to its executing turn and ends merge_ready again, with the tail of its journal kept aside',
    async () => {
      const repository = await repositoryOf('reset');
      await start('reset', repository.path);
      expect(await resultOf('reset')).toMatchObject({ outcome: 'merge_ready' });

      const event = await turnEventId(tool, 'reset', 3);
      expect(
        await tool.workflow('reset', '--workflow-id', 'reset', '--event-id', event, '--reason', 'a test'),
      ).toMatchObject({ code: 0 });

      expect(await resultOf('reset')).toMatchObject({ outcome: 'merge_ready' });
      expect(startsOf(repository, 'planning')).toBe(1);
      expect(startsOf(repository, 'executing')).toBe(2);
      expect(journalOf(repository, 'reset').filter(({ type }) => type === 'run.completed')).toHaveLength(1);
      expect(runFile(repository, 'reset', 'events.1.jsonl')).toContain('run.completed');
    },
    LIMIT_MS,
  );
});
