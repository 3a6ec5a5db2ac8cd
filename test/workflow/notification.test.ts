import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { DeliverInput, NotificationInput, NotificationResult } from '../../protocol/messages/messages.js';
import { DELIVERY_FAILED, type Notification } from '../../protocol/messages/notification.js';
import { NOTIFICATION_WORKFLOW, TASK_QUEUE } from '../../protocol/names.js';
import { openStubHost, type StubHost } from '../support/stub-host.js';

const NOTIFICATION: Notification = {
  id: 'run-1:1',
  kind: 'gate_opened',
  message: 'a gate is open',
  runId: 'run-1',
  title: 'fix it',
  repo: '/repository',
  branch: null,
  status: 'waiting_for_approval',
  stage: 'executing',
  outcome: null,
  blockedReason: null,
  gate: 'gate-1',
  command: 'sluice approve run-1',
  at: '2026-01-01T00:00:00.000Z',
};

describe('the workflow notification', () => {
  let host: StubHost;

  afterEach(() => host.close());

  async function start(sinks: NotificationInput['sinks']) {
    const input: NotificationInput = {
      hostId: 'stub',
      run: { runId: 'run-1', repoKey: '0123456789abcdef' },
      sinks,
      notification: NOTIFICATION,
    };
    const workflowId = `notification:run-1:${randomUUID().slice(0, 8)}`;
    return host.client.workflow.start(NOTIFICATION_WORKFLOW, { workflowId, taskQueue: TASK_QUEUE, args: [input] });
  }

  it('tells every sink once, the same notification, by its place in the policy', async () => {
    const told: DeliverInput[] = [];
    host = await openStubHost({
      deliver: async (input) => {
        told.push(input);
        return { target: `sink ${input.sink}` };
      },
    });

    const result = (await (await start(['command', 'webhook'])).result()) as NotificationResult;

    expect(result).toEqual([
      { sink: 'command', target: 'sink 0', error: null },
      { sink: 'webhook', target: 'sink 1', error: null },
    ]);
    expect(new Set(told.map(({ sink }) => sink))).toEqual(new Set([0, 1]));
    expect(told).toHaveLength(2);
    expect(told.every(({ notification }) => notification.id === 'run-1:1')).toBe(true);
  });

  it('tries a sink that fails again, while the others were told long ago', async () => {
    const attempts: number[] = [];
    let other = 0;
    let toldBefore = 0;
    host = await openStubHost({
      deliver: async ({ sink }) => {
        if (sink === 1) other += 1;
        else attempts.push(Context.current().info.attempt);
        if (sink === 0 && attempts.length === 1)
          throw ApplicationFailure.create({ message: 'HTTP 500', type: DELIVERY_FAILED });
        if (sink === 0) toldBefore = other;
        return { target: 'it' };
      },
    });
    const handle = await start(['webhook', 'command']);

    const result = (await handle.result()) as NotificationResult;

    expect(attempts).toEqual([1, 2]);
    expect([toldBefore, other]).toEqual([1, 1]);
    expect(result.map(({ error }) => error)).toEqual([null, null]);
  });

  it('completes with the reason where a sink can never take it, after one attempt', async () => {
    let attempts = 0;
    host = await openStubHost({
      deliver: async ({ sink }) => {
        if (sink === 1) return { target: 'it' };
        attempts += 1;
        throw ApplicationFailure.create({
          message: 'hooks.example.com: it answered HTTP 404',
          type: DELIVERY_FAILED,
          nonRetryable: true,
        });
      },
    });

    const result = (await (await start(['webhook', 'command'])).result()) as NotificationResult;

    expect(attempts).toBe(1);
    expect(result).toEqual([
      { sink: 'webhook', target: null, error: 'hooks.example.com: it answered HTTP 404' },
      { sink: 'command', target: 'it', error: null },
    ]);
  });

  it('gives up after five attempts, by a policy that history records', async () => {
    host = await openStubHost();
    const handle = await start(['command']);
    await handle.result();

    const { events } = await handle.fetchHistory();
    const retry = events?.flatMap((event) => event.activityTaskScheduledEventAttributes?.retryPolicy ?? [])[0];

    expect(retry).toMatchObject({ maximumAttempts: 5, backoffCoefficient: 4 });
    expect(Number(retry?.initialInterval?.seconds)).toBe(2);
    expect(Number(retry?.maximumInterval?.seconds)).toBe(300);
  });
});
