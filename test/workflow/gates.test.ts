import { describe, expect, it } from '@jest/globals';
import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import type { RunInput, RunResult, RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import { STAGE_LISTS, STAGES, type Stage } from '../../protocol/run/stages.js';
import { openedOnce } from '../support/opened.js';
import { detailsOf, eventsOf, pathOf, typesOf, untilStatus, untilView } from '../support/run-steps.js';
import { GATES, openStubWorkers, type StubHost, stubOpen, stubTurn } from '../support/stub-host.js';

const INPUT: RunInput = { task: 'do it', repo: '/repository' };
const DAY_MS = 86_400_000;

describe('gates', () => {
  let host: StubHost;

  const workers = openedOnce(openStubWorkers);

  interface Setup {
    readonly policy?: Partial<RunPolicy>;
    readonly turn?: (input: RunTurnInput) => Partial<RunTurnResult>;
    readonly input?: Partial<RunInput>;
  }

  async function start({ policy = {}, turn = () => ({}), input = {} }: Setup): Promise<WorkflowHandle> {
    host = workers.open({
      openRun: async (opening) => stubOpen(opening, STAGE_LISTS.full, policy),
      runTurn: async (asked) => stubTurn(asked, turn(asked)),
    });
    return host.start({ ...INPUT, ...input });
  }

  const gatesAt = (...stages: Stage[]): Setup => ({ policy: { gates: { ...GATES, stages } } });
  const send = (handle: WorkflowHandle, name: string, argument: unknown = {}) =>
    handle.executeUpdate<MessageAnswer, [unknown]>(name, { args: [argument] });
  const stages = () => host.turns.map((turn) => turn.stage);

  async function openGate(handle: WorkflowHandle, id?: string): Promise<Gate> {
    await untilView(
      handle,
      (view) => view.pendingApprovalId !== null && (id === undefined || view.pendingApprovalId === id),
    );
    const gate = (await detailsOf(handle)).gates.find((one) => one.status === 'pending');
    if (gate === undefined) throw new Error('no gate is open');
    return gate;
  }

  it.each(STAGES.filter((stage) => stage !== 'fixing'))(
    'opens before the first turn of %s and goes on when approved',
    async (stage) => {
      const handle = await start(gatesAt(stage));
      const gate = await openGate(handle);
      expect(gate).toMatchObject({
        id: 'gate-1',
        stage,
        source: 'policy',
        alsoRequiredByPolicy: false,
        expiresAt: null,
      });
      expect(stages()).not.toContain(stage);
      await send(handle, 'approve', { by: 'ada', note: 'fine', commit: gate.commit });

      expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(pathOf(host).join(' ')).toContain(`${stage} waiting_for_approval ${stage} `);
      expect(pathOf(host).filter((status) => status === 'waiting_for_approval')).toHaveLength(1);
      expect(host.batches.at(-1)?.gates ?? host.batches.findLast((batch) => batch.gates)?.gates).toMatchObject([
        { status: 'approved', resolvedBy: 'ada', decisionNote: 'fine', commit: gate.commit },
      ]);
    },
  );

  it('has no timer where nothing expires, and one of 30 days where it does', async () => {
    const timers = async (handle: WorkflowHandle) =>
      ((await handle.fetchHistory()).events ?? []).flatMap(
        (event) => event.timerStartedEventAttributes?.startToFireTimeout?.seconds ?? [],
      );
    const plain = await start(gatesAt('executing'));
    await openGate(plain);
    expect(await timers(plain)).toEqual([]);

    const expiring = await start({ policy: { gates: { ...GATES, stages: ['executing'], expireMs: 30 * DAY_MS } } });
    const gate = await openGate(expiring);
    expect((await timers(expiring)).map(Number)).toEqual([(30 * DAY_MS) / 1000]);
    expect(Date.parse(gate.expiresAt ?? '') - Date.parse(gate.createdAt)).toBe(30 * DAY_MS);
  });

  it('reminds, escalates and expires by durable timers', async () => {
    const gates = { ...GATES, stages: ['planning'] as const, remindMs: 150, escalateMs: 400, expireMs: 700 };
    const handle = await start({ policy: { gates } });

    expect(await handle.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_expired' });
    const types = typesOf(host).filter((type) => type.startsWith('approval.'));
    expect(types[0]).toBe('approval.requested');
    expect(types.filter((type) => type === 'approval.reminded').length).toBeGreaterThanOrEqual(1);
    expect(types.filter((type) => type === 'approval.escalated')).toHaveLength(1);
    expect(types.at(-1)).toBe('approval.expired');
    expect(pathOf(host).slice(-2)).toEqual(['waiting_for_approval', 'blocked']);
  });

  it('expires at once where nobody attends the run', async () => {
    const handle = await start({ ...gatesAt('executing'), input: { attended: false } });

    expect(await handle.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_expired' });
  });

  it('ends blocked when rejected, with the journal closed', async () => {
    const handle = await start(gatesAt('executing'));
    await openGate(handle);
    await send(handle, 'approve', { decision: 'reject', by: 'ada', note: 'too risky' });

    expect(await handle.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rejected' });
    expect(typesOf(host).slice(-3)).toEqual(['approval.rejected', 'state.changed', 'run.completed']);
    expect(stages()).toEqual(['planning', 'architecting']);
  });

  it.each([
    ['architecting', ['planning', 'planning', 'architecting']],
    ['executing', ['planning', 'architecting', 'architecting', 'executing']],
    ['validating', ['planning', 'architecting', 'executing', 'fixing']],
    ['verifying', ['planning', 'architecting', 'executing', 'reviewing', 'fixing', 'reviewing', 'verifying']],
  ] as const)('takes the work before %s again with the requested changes, and asks again', async (stage, expected) => {
    const handle = await start({
      ...gatesAt(stage),
      turn: ({ stage: turned }) => (turned === 'fixing' ? { head: '9'.repeat(40) } : {}),
    });
    await openGate(handle);
    await send(handle, 'approve', { decision: 'request_changes', note: 'keep the old name', by: 'ada' });
    await openGate(handle, 'gate-2');
    await send(handle, 'approve');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(stages().slice(0, expected.length)).toEqual(expected);
    const noted = host.turns.filter((turn) =>
      turn.notes?.some((note) => note.kind === 'changes' && note.text === 'keep the old name'),
    );
    expect(noted).toHaveLength(1);
  });

  it('allows three rounds of requested changes, and offers none before planning', async () => {
    const first = await start(gatesAt('planning'));
    expect((await openGate(first)).changesGoTo).toBeNull();
    const refused = await send(first, 'approve', { decision: 'request_changes', note: 'x' }).catch(
      (err: unknown) => err,
    );
    expect(refused).toBeInstanceOf(WorkflowUpdateFailedError);

    const handle = await start(gatesAt('architecting'));
    for (const id of ['gate-1', 'gate-2', 'gate-3', 'gate-4']) {
      await openGate(handle, id);
      await send(handle, 'approve', { decision: 'request_changes', note: id });
    }
    expect(await handle.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rounds_exhausted' });
    expect(stages()).toEqual(['planning', 'planning', 'planning', 'planning']);
  });

  it('V-47: opens a gate into fixing once for a run, and adds the requested changes to the fix', async () => {
    const handle = await start({
      ...gatesAt('fixing'),
      turn: ({ stage, round }) =>
        stage === 'reviewing' && round < 2 ? { decision: { kind: 'review', value: 'CHANGES_REQUESTED' } } : {},
    });
    await openGate(handle);
    await send(handle, 'approve', { decision: 'request_changes', note: 'and a test' });
    await openGate(handle, 'gate-2');
    await send(handle, 'approve');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(stages().filter((stage) => stage === 'fixing')).toHaveLength(2);
    expect(host.turns.find((turn) => turn.stage === 'fixing')).toMatchObject({
      round: 1,
      notes: [{ text: 'and a test' }],
    });
    expect(typesOf(host).filter((type) => type === 'approval.requested')).toHaveLength(2);
  });

  it('makes one gate where policy and turn ask at one boundary', async () => {
    const request = { kind: 'approval', reason: 'drops a table', risk: 'high', action: 'look at the plan' } as const;
    const handle = await start({
      ...gatesAt('architecting'),
      turn: ({ stage }) => (stage === 'planning' ? { request } : {}),
    });
    const gate = await openGate(handle);
    expect(gate).toMatchObject({
      source: 'agent',
      alsoRequiredByPolicy: true,
      riskLevel: 'high',
      requestedAction: 'look at the plan',
    });
    await handle.signal('approve');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(typesOf(host).filter((type) => type === 'approval.requested')).toHaveLength(1);
  });

  it('waits for the answer to a question and takes the turn again with it', async () => {
    const request = { kind: 'question', reason: 'which database?', risk: 'low', action: null } as const;
    const handle = await start({
      turn: ({ stage, notes }) => (stage === 'planning' && notes.length === 0 ? { request } : {}),
    });
    const gate = await openGate(handle);
    expect(gate).toMatchObject({ question: true, source: 'agent' });
    const bare = await send(handle, 'approve').catch((err: unknown) => err);
    expect(bare).toBeInstanceOf(WorkflowUpdateFailedError);
    await send(handle, 'answer', { promptId: gate.id, text: 'sqlite', by: 'ada' });

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(host.turns[1]).toMatchObject({
      stage: 'planning',
      notes: [{ kind: 'answer', text: expect.stringContaining('sqlite') }],
    });
  });

  it.each([
    ['a hold at completion', { holdAtCompletion: true }, 'completion'],
    ['permission mode accept-edits', { permissions: 'accept-edits' }, 'completion'],
    ['permission mode ask', { permissions: 'ask' }, 'diff'],
  ] as const)('opens a gate by %s', async (_name, policy, source) => {
    const committed = {
      timestamp: new Date().toISOString(),
      type: 'git.committed',
      message: 'committed',
      data: {},
    } as const;
    const handle = await start({
      policy,
      turn: ({ stage }) => (stage === 'executing' ? { observations: [committed] } : {}),
    });
    expect(await openGate(handle)).toMatchObject({ source });
    await handle.signal('approve');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
  });

  it('lets a person look at guarded paths before the next turn', async () => {
    const outcome = { kind: 'guarded_paths', why: 'touches AGENTS.md', paths: ['AGENTS.md'] } as const;
    const handle = await start({ turn: ({ stage }) => (stage === 'executing' ? { outcome } : {}) });
    expect(await openGate(handle)).toMatchObject({ source: 'diff', files: ['AGENTS.md'], riskLevel: 'high' });
    expect(stages().at(-1)).toBe('executing');
    await handle.signal('approve');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
  });

  it('goes on from a branch that a person moved, with evidence of the new tree', async () => {
    const outcome = { kind: 'repository_changed', why: 'the branch stands elsewhere' } as const;
    let moved = false;
    const handle = await start({
      turn: ({ stage }) => {
        if (stage !== 'verifying' || moved) return {};
        moved = true;
        return { outcome, head: '7'.repeat(40), decision: null };
      },
    });
    await openGate(handle);
    await handle.signal('approve');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready', headSha: '7'.repeat(40) });
    expect(stages().slice(-4)).toEqual(['reviewing', 'verifying', 'reviewing', 'verifying']);
  });

  describe('once a person agreed to what changed around a turn', () => {
    const CHANGED = { kind: 'repository_changed', why: 'a hook changed' } as const;
    /** The first planning turn. */
    const firstOf = (part: Partial<RunTurnResult>) => {
      let isFirst = true;
      return ({ stage }: RunTurnInput) => {
        const isIt = isFirst && stage === 'planning';
        if (isIt) isFirst = false;
        return isIt ? { outcome: CHANGED, ...part } : {};
      };
    };

    it('a turn that failed is taken again: what it printed is no answer', async () => {
      const handle = await start({ turn: firstOf({ said: { kind: 'hard', why: 'it exited with 1' }, exitCode: 1 }) });
      await openGate(handle);
      await send(handle, 'approve');

      expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(stages().slice(0, 3)).toEqual(['planning', 'planning', 'architecting']);
    });

    it('its question is asked', async () => {
      const request = { kind: 'question', reason: 'which database?', action: null, risk: 'low' } as const;
      const handle = await start({ turn: firstOf({ request }) });
      expect(await openGate(handle)).toMatchObject({ source: 'policy' });
      await send(handle, 'approve');
      expect(await openGate(handle, 'gate-2')).toMatchObject({
        source: 'agent',
        reason: 'the agent asks: which database?',
      });
      await send(handle, 'answer', { text: 'sqlite' });

      expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(host.turns[1]).toMatchObject({ stage: 'planning', notes: [{ kind: 'answer' }] });
    });

    it('what a person chooses of its permission counts', async () => {
      const once = { id: 'once', name: 'Allow once', kind: 'allow_once' } as const;
      const permission = { key: 'rm', options: [once] };
      const handle = await start({
        turn: firstOf({ said: { kind: 'needs_input', why: 'may it remove?', permission } }),
      });
      await openGate(handle);
      await send(handle, 'approve');
      expect(await openGate(handle, 'gate-2')).toMatchObject({ options: ['Allow once'] });
      await send(handle, 'answer', { text: 'Allow once' });

      expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(host.turns[1]).toMatchObject({ stage: 'planning', permissions: [{ key: 'rm', option: once }] });
    });
  });

  it('asks the person whom a review demanded, also where its decision had to be asked for again (V-48)', async () => {
    const request = { kind: 'approval', reason: 'drops a table', action: 'look', risk: 'high' } as const;
    const handle = await start({
      turn: ({ stage, ask }) => {
        if (stage !== 'reviewing') return {};
        return ask === 'work' ? { decision: { kind: 'unreadable' }, request } : {};
      },
    });
    expect(await openGate(handle)).toMatchObject({ reason: expect.stringContaining('drops a table') });
    await send(handle, 'approve');

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
  });

  it('stops at the budget, or asks for more', async () => {
    const budget = { turns: 2, minutes: null, microUsd: null, tokens: null, day: null } as const;
    const stopped = await start({ policy: { budget: { ...budget, onLimit: 'stop' } } });
    expect(await stopped.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'budget' });
    expect(host.turns).toHaveLength(2);

    const asking = await start({ policy: { budget: { ...budget, onLimit: 'pause' } } });
    expect(await openGate(asking)).toMatchObject({ source: 'budget' });
    await send(asking, 'approve');
    await openGate(asking, 'gate-2');
    await send(asking, 'approve');
    expect(await asking.result()).toMatchObject({ outcome: 'merge_ready' });
  });

  it('refuses decisions that are late, for another gate or about another commit, and keeps the gate', async () => {
    const handle = await start(gatesAt('executing'));
    const gate = await openGate(handle);
    for (const argument of [{ gate: 'gate-7' }, { commit: '0'.repeat(40) }]) {
      expect(await send(handle, 'approve', argument).catch((err: unknown) => err)).toBeInstanceOf(
        WorkflowUpdateFailedError,
      );
    }
    expect(await send(handle, 'pause').catch((err: unknown) => err)).toBeInstanceOf(WorkflowUpdateFailedError);
    expect((await openGate(handle)).id).toBe(gate.id);
    await send(handle, 'approve', { gate: gate.id });
    const late = await send(handle, 'approve', { gate: gate.id }).catch((err: unknown) => err);
    expect(['WorkflowUpdateFailedError', 'WorkflowNotFoundError']).toContain(late instanceof Error ? late.name : late);
    expect(((await handle.result()) as RunResult).outcome).toBe('merge_ready');
  });

  it('aborts at an open gate', async () => {
    const handle = await start(gatesAt('planning'));
    await untilStatus(handle, 'waiting_for_approval');
    await handle.signal('abort', { by: 'ada' });

    expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
    expect(host.batches.findLast((batch) => batch.gates)?.gates?.[0]).toMatchObject({
      status: 'expired',
      decisionNote: expect.any(String),
    });
    expect(eventsOf(host).at(-1)?.type).toBe('run.aborted');
  });
});
