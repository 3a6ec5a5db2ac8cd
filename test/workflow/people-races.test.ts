import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import { STAGE_LISTS, type Stage } from '../../protocol/run/stages.js';
import { detailsOf, eventsOf, typesOf, untilView } from '../support/run-steps.js';
import {
  GATES,
  openStubWorkers,
  type StubHost,
  type StubWorkers,
  stubAgent,
  stubOpen,
  stubTurn,
  stubValidation,
} from '../support/stub-host.js';
import { until } from '../support/until.js';

const INPUT = { task: 'do it', repo: '/repository' };
const QUESTION = { kind: 'question', reason: 'which one?', risk: 'low', action: null } as const;
const GUARDED = { kind: 'guarded_paths', why: 'touches AGENTS.md', paths: ['AGENTS.md'] } as const;

/** A message that shares a task with the cancellation comes first, and is taken. */
function hasSeenCancel({ events }: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>): boolean {
  const at = events?.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes) ?? -1;
  return at !== -1 && (events ?? []).slice(at).some((event) => event.workflowTaskCompletedEventAttributes);
}

async function historyOf(handle: WorkflowHandle) {
  return (await handle.fetchHistory()).events ?? [];
}

/** What the first flush asked of the server. */
async function flushOf(handle: WorkflowHandle) {
  const asked = (await historyOf(handle)).map(({ activityTaskScheduledEventAttributes: activity }) => activity);
  return asked.find((activity) => activity?.activityType?.name === 'flushJournal') ?? null;
}

describe('people and turns that meet', () => {
  const held: (() => void)[] = [];
  let host: StubHost;

  let workers: StubWorkers;

  beforeAll(async () => {
    workers = await openStubWorkers();
  });
  // A turn that a failed test left held would hold the workers too.
  afterEach(() => {
    for (const release of held.splice(0)) release();
  });
  afterAll(() => workers.close());

  interface Setup {
    readonly policy?: Partial<RunPolicy>;
    readonly turn?: (input: RunTurnInput) => Promise<Partial<RunTurnResult>> | Partial<RunTurnResult>;
  }

  async function start({ policy = {}, turn = () => ({}) }: Setup): Promise<WorkflowHandle> {
    host = workers.open({
      openRun: async (opening) => stubOpen(opening, STAGE_LISTS.full, policy),
      runTurn: async (asked) => stubTurn(asked, await turn(asked)),
    });
    return host.start(INPUT);
  }

  /** The turn of this stage goes on when told, whatever the run was told meanwhile. */
  function heldIn(stage: Stage): { readonly setup: Setup; readonly release: () => void } {
    let release = () => {};
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    held.push(() => release());
    return {
      setup: { turn: async (input) => (input.stage === stage ? waits.then(() => ({})) : {}) },
      release: () => release(),
    };
  }

  const send = (handle: WorkflowHandle, name: string, argument: unknown = {}) =>
    handle.executeUpdate<MessageAnswer, [unknown]>(name, { args: [argument] });
  const refused = async (sending: Promise<unknown>) => {
    expect(await sending.catch((err: unknown) => err)).toBeInstanceOf(WorkflowUpdateFailedError);
  };
  const gatesOf = async (handle: WorkflowHandle) => (await detailsOf(handle)).gates;
  const untilGate = (handle: WorkflowHandle, id: string) => untilView(handle, (view) => view.pendingApprovalId === id);

  it('keeps an abort that was accepted while the last turn came to its end', async () => {
    const { setup, release } = heldIn('verifying');
    const handle = await start(setup);
    await until(() => host.turns.at(-1)?.stage === 'verifying');
    await send(handle, 'abort', { by: 'ada' });
    release();

    expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
    expect(typesOf(host)).not.toContain('run.completed');
  });

  it('refuses what comes after a native cancellation', async () => {
    const { setup, release } = heldIn('planning');
    const handle = await start(setup);
    await until(() => host.turns.length === 1);
    await handle.cancel();
    await until(async () => hasSeenCancel(await handle.fetchHistory()));
    await refused(send(handle, 'steer', { text: 'too late' }));
    release();

    expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
  });

  it('shows guarded paths before a question of the same turn is answered and the turn goes on', async () => {
    const handle = await start({
      turn: ({ stage, notes }) => {
        if (stage !== 'executing') return {};
        return notes.length === 0
          ? { outcome: GUARDED, request: QUESTION }
          : { outcome: { kind: 'no_change' }, head: 'c'.repeat(40) };
      },
    });
    await untilGate(handle, 'gate-1');
    expect((await gatesOf(handle))[0]).toMatchObject({ source: 'diff', files: ['AGENTS.md'], question: false });
    expect(host.turns).toHaveLength(3);
    await send(handle, 'approve');
    await untilGate(handle, 'gate-2');
    expect((await gatesOf(handle))[1]).toMatchObject({ question: true });
    await send(handle, 'answer', 'the first');

    // The commit of the first attempt is the change; that the second one added nothing is no "nothing changed".
    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
  });

  it('shows guarded paths of a change that came with a changed repository', async () => {
    const committed = {
      timestamp: new Date().toISOString(),
      type: 'git.committed',
      message: 'committed',
      data: {},
    } as const;
    const handle = await start({
      turn: ({ stage }) =>
        stage === 'executing'
          ? {
              outcome: { kind: 'repository_changed', why: 'a hook' },
              guarded: ['AGENTS.md'],
              observations: [committed],
            }
          : {},
    });
    await untilGate(handle, 'gate-1');
    await send(handle, 'approve');
    await untilGate(handle, 'gate-2');

    expect((await gatesOf(handle))[1]).toMatchObject({ source: 'diff', files: ['AGENTS.md'] });
    await send(handle, 'approve');
    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
  });

  it('grants as much of a budget as one turn used, by one approval', async () => {
    const budget = { turns: null, minutes: 1, microUsd: null, tokens: null, onLimit: 'pause', day: null } as const;
    const handle = await start({
      policy: { budget },
      turn: ({ stage }) => (stage === 'planning' ? { durationMs: 300_000 } : {}),
    });
    await untilGate(handle, 'gate-1');
    await send(handle, 'approve');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(typesOf(host).filter((type) => type === 'approval.requested')).toHaveLength(1);
  });

  it('refuses a request id that named another message, as Update and as Signal', async () => {
    const { setup, release } = heldIn('planning');
    const handle = await start(setup);
    await until(() => host.turns.length === 1);
    await send(handle, 'steer', { text: 'x', requestId: 'r1' });
    await refused(send(handle, 'abort', { requestId: 'r1' }));
    await handle.signal('abort', { requestId: 'r1' });
    release();

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(eventsOf(host).find((event) => event.type === 'message.refused')?.data).toMatchObject({ name: 'abort' });
  });

  it('pauses after a gate that was approved in the same breath, and hears Signals in the order in which they were sent', async () => {
    const handle = await start({ policy: { gates: { ...GATES, stages: ['executing'] } } });
    await untilGate(handle, 'gate-1');
    await handle.signal('approve');
    await handle.signal('pause');
    await untilView(handle, (view) => view.status === 'paused');
    await handle.signal('resume');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
  });

  it.each([{ decision: '' }, { decision: ' ', commit: '' }, { gate: '' }, { commit: '\u200b' }])(
    'approves nothing by %j',
    async (argument) => {
      const handle = await start({ policy: { gates: { ...GATES, stages: ['planning'] } } });
      await untilGate(handle, 'gate-1');

      await refused(send(handle, 'approve', argument));
      expect((await gatesOf(handle))[0]?.status).toBe('pending');
    },
  );

  it('asks the fallback agent for its own decision, and keeps the review that it gave first', async () => {
    const own = stubAgent({ fallback: 'other', fallbackAdapter: 'scripted' });
    const agentOf = { planning: own, architecting: own, executing: own, reviewing: own, fixing: own, verifying: own };
    const review = { sha256: '1'.repeat(64), bytes: 9, mediaType: 'text/markdown' } as const;
    const handle = await start({
      policy: { agentOf },
      turn: ({ stage, agent, ask }) => {
        if (stage !== 'reviewing') return {};
        if (agent === null) return { outcome: { kind: 'hard', why: 'exit 1' } };
        return ask === 'work' ? { decision: { kind: 'unreadable' }, output: review } : {};
      },
    });

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(host.turns.filter((turn) => turn.stage === 'reviewing').map((turn) => [turn.ask, turn.agent])).toEqual([
      ['work', null],
      ['work', 'other'],
      ['decision', 'other'],
    ]);
    expect(host.turns.at(-1)?.context.review).toEqual(review);
  });

  it('hands a journal of more than a payload to its host in parts, when no flush came through for long', async () => {
    let flushes = 0;
    const waits = new Promise<void>((resolve) => {
      held.push(resolve);
    });
    host = workers.open({
      runTurn: async (asked) => {
        if (asked.stage === 'planning') await waits;
        return stubTurn(asked, { journalSeq: asked.journal.events.at(-1)?.seq ?? asked.journal.view.seq });
      },
      validate: async (asked) => ({
        ...stubValidation(),
        journalSeq: asked.journal.events.at(-1)?.seq ?? asked.journal.view.seq,
      }),
      closeRun: async (asked) => ({
        report: '/r',
        journalSeq: asked.journal.events.at(-1)?.seq ?? asked.journal.view.seq,
        observations: [],
      }),
      flushJournal: async () => {
        flushes += 1;
        throw ApplicationFailure.nonRetryable('no room on the disk', 'NoRoom');
      },
    });
    const handle = await host.start(INPUT);
    await until(() => host.turns.length === 1);
    const note = 'x'.repeat(4000);
    for (let pair = 0; pair < 300; pair += 1) {
      await handle.signal('pause', { note });
      await handle.signal('resume', { note });
    }
    for (const release of held.splice(0)) release();

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    const seqs = eventsOf(host).map((event) => event.seq);
    // None is tried again before an activity came through, of which there are eight.
    expect(flushes).toBeLessThan(10);
    expect(seqs.length).toBeGreaterThan(600);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(Math.max(...host.batches.map((batch) => JSON.stringify(batch.events).length))).toBeLessThan(450_000);
  }, 300_000);

  it('sends the lines of a run that rests until its host can write them', async () => {
    let tries = 0;
    host = workers.open({
      flushJournal: async ({ journal }) => {
        tries += 1;
        if (tries < 5) throw new Error('no room on the disk');
        return { journalSeq: journal.view.seq };
      },
    });
    const handle = await host.start(INPUT);
    await handle.executeUpdate('pause', { args: [{ by: 'ada' }] });
    await until(() => tries >= 5);

    expect(tries).toBeGreaterThanOrEqual(5);
    await handle.terminate();
  });

  it('leaves the lines of a run that rests to its host, however long that is away, and takes them back for an abort', async () => {
    host = workers.open({ openRun: async (opening) => ({ ...stubOpen(opening), hostId: 'away' }) });
    const handle = await host.start(INPUT);
    await handle.executeUpdate('pause', { args: [{ by: 'ada' }] });
    await until(async () => (await flushOf(handle)) !== null);

    expect(Number((await flushOf(handle))?.scheduleToStartTimeout?.seconds ?? 0)).toBe(0);
    await handle.executeUpdate('abort', { args: [{ by: 'ada' }] });
    await until(async () => (await historyOf(handle)).some(({ activityTaskCanceledEventAttributes: end }) => end));
    expect((await untilView(handle, ({ status }) => status === 'aborted')).outcome).toBe('aborted');
    await handle.terminate();
  });
});
