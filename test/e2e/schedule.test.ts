/** A nightly list, with nothing but Temporal's own tool: a schedule of the workflow `batch`, as docs/batches.md shows it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BatchView } from '../../protocol/actors/batch.js';
import { type OwnServer, openOwnServer } from '../support/own-server.js';
import { openStubHost, type StubHost } from '../support/stub-host.js';
import { until } from '../support/until.js';

const SCHEDULE = 'nightly';
const FIRED = /^batch:nightly-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

interface Listed {
  readonly execution: { readonly workflowId: string; readonly runId: string };
  readonly status: string;
}

let server: OwnServer;
let host: StubHost;

beforeAll(async () => {
  // The shared one serves no schedules.
  server = await openOwnServer();
  process.env['SLUICE_TEST_ADDRESS'] = server.address;
  host = await openStubHost();
}, 300_000);

afterAll(async () => {
  await host.close();
  await server.close();
});

/** The real tool. Errors: its exit code and what it printed. */
async function temporal(...args: readonly string[]): Promise<string> {
  const program = process.env['SLUICE_TEMPORAL_CLI'] ?? 'temporal';
  const server = ['--address', process.env['SLUICE_TEST_ADDRESS'] ?? '', '--namespace', host.client.options.namespace];
  return (await promisify(execFile)(program, [...args, ...server], { timeout: 100_000 })).stdout;
}

async function list(query: string): Promise<readonly Listed[]> {
  return JSON.parse(await temporal('workflow', 'list', '--query', query, '-o', 'json')) as Listed[];
}

const batches = () => list("WorkflowType = 'batch' AND ExecutionStatus = 'Completed'");

async function tableOf(workflowId: string): Promise<BatchView> {
  const answer = await temporal('workflow', 'query', '--workflow-id', workflowId, '--type', 'status', '-o', 'json');
  return (JSON.parse(answer) as { queryResult: [BatchView] }).queryResult[0];
}

describe('a schedule of the workflow batch', () => {
  beforeAll(async () => {
    await temporal('operator', 'search-attribute', 'create', '--name', 'SluiceStatus', '--type', 'Keyword');
    const input = {
      defaults: { repo: '/repository' },
      concurrency: 2,
      tasks: ['one', 'two', 'three'].map((task) => ({ task })),
    };
    await temporal(
      'schedule',
      'create',
      '--schedule-id',
      SCHEDULE,
      '--interval',
      '24h',
      '--type',
      'batch',
      '--task-queue',
      'sluice',
      '--workflow-id',
      'batch:nightly',
      '--input',
      JSON.stringify(input),
      '--search-attribute',
      'SluiceStatus="running"',
    );
  }, 300_000);

  it('runs its three tasks when it fires, under ids with the time, and their results are in the list', async () => {
    await temporal('schedule', 'trigger', '--schedule-id', SCHEDULE);
    await until(async () => (await batches()).length === 1);

    const workflowId = (await batches())[0]?.execution.workflowId ?? '';
    const { rows, batchId } = await tableOf(workflowId);
    const runs = await list(`ParentWorkflowId = '${workflowId}'`);

    expect(workflowId).toMatch(FIRED);
    expect(batchId).toBe(workflowId.replaceAll(':', '-'));
    expect(rows.map(({ title, outcome }) => `${title} ${outcome}`)).toEqual([
      'one merge_ready',
      'two merge_ready',
      'three merge_ready',
    ]);
    expect(runs.map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'WORKFLOW_EXECUTION_STATUS_COMPLETED'),
    );
    expect(new Set(runs.map(({ execution }) => execution.workflowId))).toEqual(new Set(rows.map(({ runId }) => runId)));
  }, 300_000);

  it('runs everything again at its next firing, and asks nobody', async () => {
    await temporal('schedule', 'trigger', '--schedule-id', SCHEDULE);
    await until(async () => (await batches()).length === 2);

    const tables = await Promise.all((await batches()).map(({ execution }) => tableOf(execution.workflowId)));

    expect(tables.flatMap(({ rows }) => rows.map(({ outcome }) => outcome))).toEqual(
      Array.from({ length: 6 }, () => 'merge_ready'),
    );
    expect(new Set(tables.flatMap(({ rows }) => rows.map(({ runId }) => runId))).size).toBe(6);
  }, 300_000);

  it('can be listed by its status, since it was started with one', async () => {
    await until(async () => (await list("WorkflowType = 'batch' AND SluiceStatus = 'ended'")).length === 2);

    expect(await list("WorkflowType = 'batch' AND SluiceStatus = 'running'")).toEqual([]);
  });

  it('fills the backlog where it says so, each firing anew', async () => {
    const input = { defaults: { repo: '/shop' }, to: 'backlog', tasks: [{ task: 'update dependencies' }] };
    await temporal(
      'schedule',
      'create',
      '--schedule-id',
      'filling',
      '--interval',
      '24h',
      '--type',
      'batch',
      '--task-queue',
      'sluice',
      '--workflow-id',
      'batch:filling',
      '--input',
      JSON.stringify(input),
    );
    const filled = async () => (await batches()).filter(({ execution }) => execution.workflowId.includes('filling'));
    for (const firings of [1, 2]) {
      const second = Math.floor(Date.now() / 1_000);
      await temporal('schedule', 'trigger', '--schedule-id', 'filling');
      await until(async () => (await filled()).length === firings);
      // Temporal names a firing by its second, and two of one second are one.
      await until(() => Math.floor(Date.now() / 1_000) > second + 1);
    }

    const tables = await Promise.all((await filled()).map(({ execution }) => tableOf(execution.workflowId)));

    expect(tables.flatMap(({ rows }) => rows.map(({ runId, state }) => `${runId} ${state}`)).toSorted()).toEqual([
      'shop-1 handed_in',
      'shop-2 handed_in',
    ]);
  }, 300_000);

  it('is paused, shown and described by the same tool', async () => {
    await temporal('schedule', 'toggle', '--schedule-id', SCHEDULE, '--pause', '--reason', 'holiday');

    expect(await temporal('schedule', 'describe', '--schedule-id', SCHEDULE)).toContain('holiday');
  });
});
