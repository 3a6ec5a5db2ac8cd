/** Shapes of the workflows beside a run: a batch of runs, a notification, a cleaning. */
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import {
  ApplicationFailure,
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common';
import type { CleanRunInput } from '../../protocol/actors/clean.js';
import { FAILURES } from '../../protocol/failures.js';
import type { NotificationInput } from '../../protocol/messages/messages.js';
import { DELIVERY_FAILED } from '../../protocol/messages/notification.js';
import { BATCH_WORKFLOW, CLEAN_WORKFLOW, NOTIFICATION_WORKFLOW, TASK_QUEUE } from '../../protocol/names.js';
import { type StubHost, stubTurn } from '../support/stub-host.js';
import { until } from '../support/until.js';
import type { Shapes } from './shape.js';

const REPO = '/repository';
const RUN = { runId: 'run-1', repoKey: '0123456789abcdef' };
const STATUS = defineSearchAttributeKey('SluiceStatus', SearchAttributeType.KEYWORD);

const startBatch = (
  host: StubHost,
  workflowId: string,
  tasks: readonly unknown[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<WorkflowHandle> =>
  host.client.workflow.start(BATCH_WORKFLOW, {
    workflowId,
    taskQueue: TASK_QUEUE,
    args: [{ defaults: { repo: REPO }, tasks, concurrency: 2, ...more }],
    typedSearchAttributes: new TypedSearchAttributes([{ key: STATUS, value: 'running' }]),
  });

const started = (type: string, input: CleanRunInput | NotificationInput) => (host: StubHost, workflowId: string) =>
  host.client.workflow.start(type, { workflowId, taskQueue: TASK_QUEUE, args: [input] });

const TOLD: NotificationInput = {
  hostId: 'stub',
  run: RUN,
  sinks: ['command', 'webhook'],
  notification: {
    id: 'run-1:1',
    kind: 'gate_opened',
    message: 'a gate is open',
    runId: 'run-1',
    title: 'fix it',
    repo: REPO,
    branch: null,
    status: 'waiting_for_approval',
    stage: 'executing',
    outcome: null,
    blockedReason: null,
    gate: 'gate-1',
    command: 'sluice approve run-1',
    at: '2026-01-01T00:00:00.000Z',
  },
};

export const BESIDE_SHAPES: Shapes = {
  'batch-plain': { start: (host, id) => startBatch(host, id, [{ task: 'one' }, { task: 'two' }, { task: 'three' }]) },
  'batch-to-backlog': {
    activities: { findBacklog: async () => ({ hostId: 'stub', project: `kept-${randomUUID().slice(0, 8)}` }) },
    start: (host, id) => startBatch(host, id, [{ task: 'one' }, { task: 'a'.repeat(5_000) }], { to: 'backlog' }),
  },
  'batch-skipped-and-refused': {
    activities: {
      pickHost: async ({ repo }) => {
        if (repo === '/nowhere')
          throw ApplicationFailure.nonRetryable(`no repository ${repo}`, FAILURES.RepositoryNotServed);
        return { hostId: 'stub' };
      },
      runTurn: async (input) =>
        stubTurn(input, input.journal.view.task === 'fail' ? { outcome: { kind: 'refused', why: 'not that' } } : {}),
    },
    async start(host, id) {
      const before = await startBatch(host, id, [{ task: 'one' }]);
      await before.result();
      return startBatch(host, id, [
        { task: 'one' },
        { task: 'fail' },
        { task: 'fail' },
        { task: 'away', repo: '/nowhere' },
      ]);
    },
  },
  'batch-aborted': {
    activities: {
      runTurn: async () => {
        const beat = setInterval(() => Context.current().heartbeat(), 20);
        return Context.current().cancelled.finally(() => clearInterval(beat));
      },
    },
    start: (host, id) => startBatch(host, id, [{ task: 'one' }, { task: 'two' }, { task: 'three' }]),
    async drive(handle, host) {
      await until(() => host.turns.length === 2);
      await handle.executeUpdate('abort', { args: [{ by: 'ada', reason: 'wrong list' }] });
    },
  },
  'notification-told': { start: started(NOTIFICATION_WORKFLOW, TOLD) },
  'notification-not-told': {
    activities: {
      deliver: async ({ sink }) => {
        if (sink === 0) return { target: 'it' };
        throw ApplicationFailure.create({ message: 'HTTP 404', type: DELIVERY_FAILED, nonRetryable: true });
      },
    },
    start: started(NOTIFICATION_WORKFLOW, TOLD),
  },
  'clean-plain': { start: started(CLEAN_WORKFLOW, { hostId: 'stub', run: RUN, giveUp: false }) },
  // Takes the minute that a host is waited for.
  'clean-away': { start: started(CLEAN_WORKFLOW, { hostId: 'away', run: RUN, giveUp: false }) },
};
