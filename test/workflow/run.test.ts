import { describe, expect, it } from '@jest/globals';
import { Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RunResult } from '../../protocol/messages/messages.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { STATUS_QUERY } from '../../protocol/names.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { openedOnce } from '../support/opened.js';
import {
  type Activities,
  openStubWorkers,
  type StubHost,
  stubOpen,
  stubTurn,
  stubValidation,
} from '../support/stub-host.js';

const INPUT = { task: 'do it', repo: '/repository', attended: false };

describe('the run workflow', () => {
  let host: StubHost;

  const workers = openedOnce(openStubWorkers);

  async function runWith(overrides: Partial<Activities> = {}, input: unknown = INPUT): Promise<RunResult> {
    host = workers.open(overrides);
    const handle = await host.start(input);
    return (await handle.result()) as RunResult;
  }

  const turnIn = (stage: TurnStage, outcome: TurnOutcome): Partial<Activities> => ({
    runTurn: async (input) => stubTurn(input, input.stage === stage ? { outcome } : {}),
  });

  it('goes through every stage of the full list once and hands each event to the host exactly once', async () => {
    const result = await runWith();

    expect(result).toMatchObject({ outcome: 'merge_ready', verdict: 'verified', report: '/runs/report.md' });
    expect(host.turns.map((turn) => turn.stage)).toEqual([
      'planning',
      'architecting',
      'executing',
      'reviewing',
      'verifying',
    ]);
    const seqs = host.batches.flatMap((batch) => batch.events.map((event) => event.seq));
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it.each([
    [{ kind: 'no_change' }, 'no_changes', 'no_changes'],
    [{ kind: 'refused', why: 'no' }, 'blocked', 'agent_refused'],
    [{ kind: 'needs_input', why: 'asks' }, 'blocked', 'needs_input'],
    [{ kind: 'usage_limit', why: 'limit', until: '2100-01-01T00:00:00Z' }, 'blocked', 'usage_limit'],
    [{ kind: 'overflow', why: 'long' }, 'blocked', 'overflow'],
    [{ kind: 'policy_violation', rule: 'block', why: 'rule' }, 'blocked', 'policy_violation'],
    [{ kind: 'repository_changed', why: 'hook' }, 'blocked', 'repository_changed'],
    [{ kind: 'guarded_paths', why: 'guarded', paths: ['AGENTS.md'] }, 'blocked', 'guarded_paths'],
    [{ kind: 'timeout', why: 'late' }, 'failed', null],
    [{ kind: 'crash_loop', why: 'lost' }, 'failed', null],
    [{ kind: 'hard', why: 'exit 1' }, 'failed', null],
  ] as const)('after an executing turn that answers %j ends %s (%s)', async (outcome, ending, reason) => {
    const result = await runWith(turnIn('executing', outcome));

    expect(result).toMatchObject({ outcome: ending, blockedReason: reason });
    expect(host.turns.at(-1)?.stage).toBe('executing');
  });

  it('ends blocked on red validation and runs no reviewer where no round is allowed', async () => {
    const result = await runWith({
      openRun: async (input) => stubOpen(input, STAGE_LISTS.full, { rounds: 0 }),
      validate: async (input) => ({
        ...stubValidation({ outcome: { kind: 'failed', why: 'red' } }),
        journalSeq: input.journal.view.seq,
      }),
    });

    expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(host.turns.map((turn) => turn.stage)).not.toContain('reviewing');
  });

  it('asks once more for an unreadable decision, in the light of the turn before, with a fresh code', async () => {
    const result = await runWith({
      runTurn: async (input) =>
        stubTurn(
          input,
          input.stage === 'reviewing' && input.ask === 'work' ? { decision: { kind: 'unreadable' } } : {},
        ),
    });

    const [first, second] = host.turns.filter((turn) => turn.stage === 'reviewing');
    expect(result.outcome).toBe('merge_ready');
    expect(second?.ask).toBe('decision');
    expect(second?.previousTurn).toEqual(first?.place);
    expect(second?.decisionCode).not.toBe(first?.decisionCode);
  });

  it('sends the whole journal again to a host that lost its file', async () => {
    let turns = 0;
    const result = await runWith({
      runTurn: async (input) => {
        turns += 1;
        return stubTurn(input, turns === 2 ? { journalSeq: 0 } : {});
      },
    });

    expect(result.outcome).toBe('merge_ready');
    expect(host.batches[2]?.events[0]?.seq).toBe(1);
  });

  it('closes twice, with the whole journal, on a host that lost its file in the last stage', async () => {
    const closes: number[] = [];
    const result = await runWith({
      closeRun: async (input) => {
        closes.push(input.journal.events[0]?.seq ?? 0);
        return {
          report: '/runs/report.md',
          journalSeq: closes.length === 1 ? 0 : input.journal.view.seq,
          observations: [],
        };
      },
    });

    expect(result.report).toBe('/runs/report.md');
    expect(closes).toHaveLength(2);
    expect(closes[1]).toBe(1);
  });

  it('tells once, and closes, where each close finds again what cannot be mended', async () => {
    const found = {
      timestamp: new Date().toISOString(),
      type: 'policy.violation',
      message: 'it cannot be put in order',
      data: {},
    } as const;
    const journals: (readonly string[])[] = [];
    const result = await runWith({
      closeRun: async (input) => {
        journals.push(input.journal.events.map(({ message }) => message));
        return { report: '/runs/report.md', journalSeq: input.journal.view.seq, observations: [found] };
      },
    });

    expect(result.report).toBe('/runs/report.md');
    expect(journals.map((messages) => messages.filter((message) => message === found.message).length)).toEqual([0, 1]);
  });

  it('blocks at the second read-only turn that was rolled back', async () => {
    const result = await runWith({
      runTurn: async (input) => stubTurn(input, { rolledBack: input.stage !== 'executing' }),
    });

    expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'policy_violation', verdict: 'unsafe' });
    expect(host.turns.map((turn) => turn.stage)).toEqual(['planning', 'architecting']);
  });

  it.each(['express', 'plan-only'] as const)('enters only the stages of the list %s', async (list) => {
    const result = await runWith({ openRun: async (input) => stubOpen(input, STAGE_LISTS[list]) });

    expect(result.outcome).toBe('merge_ready');
    expect(host.turns.map((turn) => turn.stage)).toEqual(
      STAGE_LISTS[list].filter((stage) => (stage as string) !== 'validating'),
    );
  });

  it('starts no agent after a set-up that failed', async () => {
    const result = await runWith({ openRun: async (input) => ({ ...stubOpen(input), setupError: 'npm ci failed' }) });

    expect(result).toMatchObject({ outcome: 'failed', error: 'npm ci failed; no agent was started' });
    expect(host.turns).toEqual([]);
  });

  it('ends aborted, with a report, when it is cancelled in mid-turn', async () => {
    host = workers.open({
      runTurn: async () => {
        const beat = setInterval(() => Context.current().heartbeat(), 20);
        return Context.current().cancelled.finally(() => clearInterval(beat));
      },
    });
    const handle = await host.start(INPUT);
    while (host.turns.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await handle.cancel();

    expect(await handle.result()).toMatchObject({ outcome: 'aborted', report: '/runs/report.md' });
    expect((await handle.query<RunView>(STATUS_QUERY)).status).toBe('aborted');
  });

  it('fails as not started, with the type and text of the host, when the run cannot be opened', async () => {
    host = workers.open({
      openRun: async () => {
        throw ApplicationFailure.nonRetryable('no such branch', 'BadRepository');
      },
    });
    const handle = await host.start(INPUT);

    const error = await handle.result().catch((err: unknown) => err);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect((error as WorkflowFailedError).cause).toMatchObject({ type: 'BadRepository', message: 'no such branch' });
  });

  it.each([
    ['{}', {}, 'task'],
    ['no repo', { task: 'x' }, 'repo'],
    ['a relative repo', { task: 'x', repo: 'here' }, 'repo'],
    ['1 MB of task text', { task: 'x'.repeat(1_000_000), repo: '/r' }, 'task'],
    ['an unknown field', { task: 'x', repo: '/r', taks: 1 }, 'taks'],
    ['a list', [], 'input'],
  ])('refuses %s and names the field', async (_name, input, field) => {
    host = workers.open();
    const handle = await host.start(input);

    const error = await handle.result().catch((err: unknown) => err);
    expect((error as WorkflowFailedError).cause).toMatchObject({
      type: 'BadInput',
      details: [field, { now: 'Nothing was started.' }],
    });
  });

  it.each(['../x', 'a'.repeat(81), 'x.lock', '-rf'])('refuses the workflow id %s', async (workflowId) => {
    host = workers.open();
    const handle = await host.start(INPUT, workflowId);

    const error = await handle.result().catch((err: unknown) => err);
    expect((error as WorkflowFailedError).cause).toMatchObject({
      type: 'BadInput',
      details: ['workflowId', { now: 'Nothing was started.' }],
    });
  });

  it('replaces colons of a workflow id, as a schedule makes them, in the run id', async () => {
    host = workers.open();
    const handle = await host.start(INPUT, 'nightly-2026-11-21T03:00:00Z');

    expect(await handle.result()).toMatchObject({ runId: 'nightly-2026-11-21T03-00-00Z' });
  });
});
