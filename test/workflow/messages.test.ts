import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import { STAGE_LISTS, type Stage } from '../../protocol/run/stages.js';
import { eventsOf, pathOf, typesOf, untilStatus, untilView, viewOf } from '../support/run-steps.js';
import { openStubWorkers, type StubHost, type StubWorkers, stubOpen, stubTurn } from '../support/stub-host.js';

const { EventType } = temporal.api.enums.v1;

const INPUT = { task: 'do it', repo: '/repository' };

describe('messages of a run', () => {
  let host: StubHost;
  let release: () => void = () => {};

  let workers: StubWorkers;

  beforeAll(async () => {
    workers = await openStubWorkers();
  });
  // A turn that a failed test left held would hold the workers too.
  afterEach(() => release());
  afterAll(() => workers.close());

  /** The turn of this stage waits for `release`. */
  async function startHeldIn(stage: Stage, policy: Partial<RunPolicy> = {}): Promise<WorkflowHandle> {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    host = workers.open({
      openRun: async (input) => stubOpen(input, STAGE_LISTS.full, policy),
      runTurn: async (input) => {
        if (input.stage === stage) await held;
        return stubTurn(input);
      },
    });
    const handle = await host.start(INPUT);
    await untilView(handle, (view) => view.stage === stage && view.agent !== null);
    return handle;
  }

  const send = (handle: WorkflowHandle, name: string, argument?: unknown) =>
    handle.executeUpdate<MessageAnswer, [unknown]>(name, { args: [argument] });
  const refusal = async (sending: Promise<unknown>) => {
    const error = await sending.catch((err: unknown) => err);
    expect(error).toBeInstanceOf(WorkflowUpdateFailedError);
    return (error as WorkflowUpdateFailedError).cause;
  };

  it('pauses at the end of the running stage and goes on where it stood', async () => {
    const handle = await startHeldIn('executing');

    expect(await send(handle, 'pause', { by: 'ada' })).toMatchObject({ changed: true, status: 'executing' });
    expect(await refusal(send(handle, 'pause'))).toMatchObject({
      type: 'MessageUnchanged',
      message: 'a pause is pending already',
      details: ['executing'],
    });
    expect((await viewOf(handle)).pauseRequested).toBe(true);
    release();
    const paused = await untilStatus(handle, 'paused');
    expect(paused.pausedAtStatus).toBe('executing');
    expect(await refusal(send(handle, 'pause'))).toMatchObject({ type: 'MessageRefused' });
    await send(handle, 'resume', { by: 'ada' });

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(pathOf(host).join(' ')).toContain('executing paused executing validating');
    expect(host.turns.filter((turn) => turn.stage === 'executing')).toHaveLength(1);
  });

  it('never pauses after a resume that came before the boundary', async () => {
    const handle = await startHeldIn('planning');
    await send(handle, 'pause');
    await send(handle, 'resume');
    release();

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(typesOf(host)).not.toContain('run.paused');
    expect(pathOf(host)).not.toContain('paused');
  });

  it('pauses at the end of the last stage too', async () => {
    const handle = await startHeldIn('verifying');
    await handle.signal('pause');
    await untilView(handle, (view) => view.pauseRequested);
    release();
    await untilStatus(handle, 'paused');
    await handle.signal('resume');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(pathOf(host).slice(-4)).toEqual(['verifying', 'paused', 'verifying', 'merge_ready']);
  });

  it('puts a steer into the next prompt, once, and keeps the new title', async () => {
    const handle = await startHeldIn('planning');
    await send(handle, 'steer', { text: 'use the standard library', by: 'ada' });
    await send(handle, 'rename', 'another title');
    release();
    await handle.result();

    const notes = host.turns.map((turn) => turn.notes?.map((note) => `${note.kind} ${note.by}: ${note.text}`) ?? []);
    expect(notes).toEqual([[], ['steer ada: use the standard library'], [], [], []]);
    expect(host.batches.at(-1)?.view.title).toBe('another title');
  });

  it('applies what has one request id once, as Update and as Signal', async () => {
    const handle = await startHeldIn('planning');
    const steer = { text: 'once', requestId: 'r-1' };
    await send(handle, 'steer', steer);
    await send(handle, 'steer', steer);
    await handle.signal('steer', steer);
    release();
    await handle.result();

    expect(host.turns[1]?.notes).toHaveLength(1);
    expect(typesOf(host).filter((type) => type === 'run.steered')).toHaveLength(1);
  });

  it('refuses wrong Updates without a trace', async () => {
    const handle = await startHeldIn('planning');
    // A refused Update may cost a workflow task, which a busy server keeps; nothing of it is an event of its own.
    const eventsNow = async () => {
      const types = ((await handle.fetchHistory()).events ?? []).map(({ eventType }) => EventType[eventType ?? 0]);
      return types.filter((type) => type?.startsWith('EVENT_TYPE_WORKFLOW_TASK_') !== true);
    };
    const before = await eventsNow();
    const wrong: [string, unknown][] = [
      ['approve', undefined],
      ['approve', 7],
      ['approve', { decision: 'maybe' }],
      ['resume', {}],
      ['steer', {}],
      ['steer', { text: 'x'.repeat(1_000_000) }],
      ['steer', { text: 'x', color: 'red' }],
      ['rename', { title: '  ' }],
      ['answer', { text: 'yes' }],
      ['abort', []],
    ];
    for (const [name, argument] of wrong) {
      expect(await refusal(send(handle, name, argument))).toMatchObject({ type: 'MessageRefused' });
    }

    expect(before).toContain('EVENT_TYPE_ACTIVITY_TASK_SCHEDULED');
    expect(await eventsNow()).toEqual(before);
    release();
    await handle.result();
    expect(typesOf(host)).not.toContain('message.refused');
  });

  it('leaves one line for each refused or unknown Signal, at most 100', async () => {
    const handle = await startHeldIn('planning');
    await handle.signal('approve');
    await handle.signal('make_coffee', { strong: true });
    for (let n = 0; n < 120; n += 1) await handle.signal('resume');
    release();
    await handle.result();

    const refused = eventsOf(host).filter((event) => event.type === 'message.refused');
    expect(refused.slice(0, 2).map((event) => event.data['name'])).toEqual(['approve', 'make_coffee']);
    expect(refused).toHaveLength(100);
  });

  it('aborts in mid-turn, by message, and says by whom', async () => {
    host = workers.open({
      runTurn: async () => {
        const { Context } = await import('@temporalio/activity');
        const beat = setInterval(() => Context.current().heartbeat(), 20);
        return Context.current().cancelled.finally(() => clearInterval(beat));
      },
    });
    const handle = await host.start(INPUT);
    await untilView(handle, (view) => view.agent !== null);
    expect(await send(handle, 'abort', { by: 'ada', reason: 'wrong task' })).toMatchObject({ changed: true });

    expect(await handle.result()).toMatchObject({
      outcome: 'aborted',
      error: 'aborted by ada: wrong task',
      report: '/runs/report.md',
    });
    expect(typesOf(host)).toContain('run.abort_requested');
  });

  it('aborts while it is paused', async () => {
    const handle = await startHeldIn('planning');
    await send(handle, 'pause');
    release();
    await untilStatus(handle, 'paused');
    await handle.signal('abort');

    expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
    expect(pathOf(host).slice(-2)).toEqual(['paused', 'aborted']);
  });
});
