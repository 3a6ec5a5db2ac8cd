/** A run whose agent speaks ACP and asks before it acts: a person chooses one of the agent's own options, and the turn goes on where it stopped. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { DETAILS_QUERY, STATUS_QUERY } from '../../protocol/names.js';
import type { Gate } from '../../protocol/run/gate.js';
import { readLines } from '../support/acp-log.js';
import { openStubHost, stubOpen, stubTurn } from '../support/stub-host.js';
import { openTestHost, type TestHost, type TestRun } from '../support/test-host.js';
import { until } from '../support/until.js';

const AGENT = resolve('test/support/acp-agent.mjs');

const ask = { kind: 'execute', title: 'make the change', rawInput: { command: 'make' } };

describe('a permission that an ACP agent asks for', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });
  afterAll(() => host.close());

  async function start(name: string, over: { readonly attended?: boolean; readonly permissions?: string } = {}) {
    const log = join(host.folder, `${name}.log`);
    const scenario = join(host.folder, `${name}.json`);
    const executing = [
      { say: 'on the way' },
      { ask, allowed: { write: { path: 'a.txt', text: 'changed\n' } } },
      { say: 'Done.' },
    ];
    const stages = {
      executing,
      reviewing: [{ say: 'Fine.\nDECISION {{code}}: APPROVED\n' }],
      verifying: [{ say: 'VERIFICATION {{code}}: PASSED\n' }],
    };
    writeFileSync(
      scenario,
      JSON.stringify({ log, capabilities: { loadSession: true }, stages, steps: [{ say: 'A plan.' }] }),
    );
    const command = JSON.stringify([process.execPath, AGENT, scenario]);
    const agents = ['planning', 'architecting', 'executing', 'reviewing', 'fixing', 'verifying'].map(
      (stage) => `  ${stage}: {agent: talker}\n`,
    );
    const repository = await host.repository({
      config:
        `  talker:\n    adapter: acp\n    command: ${command}\nstages:\n${agents.join('')}` +
        `permissions: ${over.permissions ?? 'accept-edits'}\nvalidation:\n  commands: ["grep -q changed a.txt"]\n`,
    });
    const run = await host.startRun(repository, { attended: over.attended ?? true });
    return { run, log: () => readLines(log) };
  }

  async function openGate(run: TestRun, id: string): Promise<Gate> {
    await until(async () => (await run.view()).pendingApprovalId === id);
    const { gates } = await run.handle.query<{ gates: readonly Gate[] }>(DETAILS_QUERY);
    const gate = gates.find((one) => one.id === id);
    if (gate === undefined) throw new Error(`there is no gate ${id}`);
    return gate;
  }

  const answer = (run: TestRun, text: string) => run.handle.executeUpdate('answer', { args: [{ text, by: 'ada' }] });

  it('opens a gate with its options, refuses another answer, and the turn goes on with the one that is chosen', async () => {
    const { run, log } = await start('allowed');
    const gate = await openGate(run, 'gate-1');
    expect(gate).toMatchObject({
      question: true,
      source: 'agent',
      stage: 'executing',
      options: ['Always allow', 'Allow', 'Reject'],
    });
    expect(gate.requestedAction).toContain('may it execute: make the change');
    const refused: unknown = await answer(run, 'yes').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WorkflowUpdateFailedError);
    expect((refused as WorkflowUpdateFailedError).cause?.message).toContain(
      'must be one of: 1 Always allow, 2 Allow, 3 Reject',
    );
    await answer(run, '2');

    // The gate on the whole change, by the same policy.
    await openGate(run, 'gate-2');
    await run.handle.executeUpdate('approve', { args: [{}] });
    expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });
    const permissions = log().flatMap(({ permission }) => (permission === undefined ? [] : [permission]));
    expect(permissions).toEqual([{ outcome: 'cancelled' }, { outcome: 'selected', optionId: 'once' }]);
    expect(log().filter(({ method }) => method === 'session/load')).toHaveLength(1);
  });

  it('goes on without it where a person rejects it', async () => {
    const { run, log } = await start('rejected');
    await openGate(run, 'gate-1');
    await answer(run, 'reject');

    expect(await run.result()).toMatchObject({ outcome: 'no_changes' });
    expect(log()).toContainEqual({ permission: { outcome: 'selected', optionId: 'no' } });
  });

  it('is refused with the run where nobody attends it', async () => {
    const { run, log } = await start('unattended', { attended: false });

    expect(await run.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'needs_input' });
    expect(log()).toContainEqual({ permission: { outcome: 'cancelled' } });
  });

  it('is asked of nobody in a run with permissions: auto', async () => {
    const { run, log } = await start('auto', { permissions: 'auto' });

    expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(log()).toContainEqual({ permission: { outcome: 'selected', optionId: 'once' } });
  });
});

describe('a permission that is asked for in a conversation that began anew', () => {
  it('is taken back into that one', async () => {
    const permission = { key: 'k', options: [{ id: 'once', name: 'Allow', kind: 'allow_once' }] };
    const ends: Partial<RunTurnResult>[] = [
      { outcome: { kind: 'transient', why: 'the agent does not know the earlier conversation', fresh: true } },
      { outcome: { kind: 'needs_input', why: 'may it', permission } },
      {},
    ];
    const host = await openStubHost({
      openRun: async (input) => stubOpen(input, ['planning']),
      runTurn: async (input) => stubTurn(input, ends.shift() ?? {}),
    });
    const handle = await host.start({ task: 'plan it', repo: '/repository', host: 'stub', attended: true });
    await until(async () => (await handle.query<RunView>(STATUS_QUERY)).pendingApprovalId === 'gate-1');

    await handle.executeUpdate('answer', { args: [{ text: '1', by: 'ada' }] });
    await handle.result();
    await host.close();

    const [first, second, third] = host.turns;
    expect([first?.continues, second?.continues, third?.continues]).toEqual([null, null, second?.place]);
  });
});
