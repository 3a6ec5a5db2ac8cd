import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Boundary, Gate } from '../../../protocol/run/gate.js';
import { STAGES, type Stage } from '../../../protocol/run/stages.js';
import { type AttendedRun, attendedRun } from '../../support/attended-run.js';
import { CLI } from '../../support/cli-world.js';
import type { RunCase } from '../../support/ended-run.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { msFromMessageToEnd } from '../../support/message-to-end.js';
import { detailsOf } from '../../support/run-steps.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;

const JUDGED = 'stageList: [planning, executing, verifying]\n';
const CHECK =
  'validation:\n  commands: ["touch $HOME/checked-$(git rev-parse --short HEAD)", "grep -q changed a.txt"]\n';

const FROM_EXECUTING = `stageList: [executing, validating, reviewing, fixing, verifying]\n${CHECK}`;
const HELD = 'stageList: [executing, verifying]\n';
const TEXT = 'Keep it to one file, please.';

/** One fix round, so that validating and reviewing are entered twice. */
const ONE_FIX = {
  reviewing: [
    { text: 'Not yet.', decision: 'CHANGES_REQUESTED' },
    { text: 'Right.', decision: 'APPROVED' },
  ],
  fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.' },
} satisfies RunCase['stages'];

const gatesOf = async ({ run }: AttendedRun) => (await detailsOf(run.handle)).gates;
const statuses = ({ run }: AttendedRun) => run.statuses().join(' ');
const written = ({ run }: AttendedRun) => JSON.parse(run.read('approvals.json')) as Gate[];

describe('gates', () => {
  let host: TestHost;
  const open = (gates: readonly Stage[], options: RunCase = {}) =>
    attendedRun(host, { ...options, config: `gates: [${gates.join(', ')}]\n${options.config ?? CHECK}` });

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  describe('at every stage of one run with a fix round', () => {
    let own: TestHost;
    let all: AttendedRun;
    const seen: { gate: Gate; turns: readonly string[]; checks: boolean }[] = [];

    beforeAll(async () => {
      own = await openTestHost();
      const worker = await own.startWorker();
      all = await attendedRun(own, { config: `gates: [${STAGES.join(', ')}]\n${CHECK}`, stages: ONE_FIX });
      for (const [index] of STAGES.entries()) {
        const gate = await all.gate(`gate-${index + 1}`);
        const checks = all.run.events().some(({ type }) => type === 'validation.started');
        seen.push({ gate, turns: all.turns(), checks });
        if (gate.stage === 'fixing') {
          await worker.kill();
          await own.startWorker();
        }
        await all.approve(index + 1);
      }
      await all.result();
    }, LIMIT_MS * 2);

    afterAll(() => own.close(), LIMIT_MS);

    it('V-41, V-42: each listed stage opens its gate after its status and before its first turn, and goes back to it', () => {
      // `fixing` is entered before verifying.
      const inOrder = seen.map(({ gate }) => gate.stage);

      expect([...inOrder].sort()).toEqual([...STAGES].sort());
      for (const { gate, turns } of seen) {
        expect(turns).not.toContain(gate.stage);
        expect(gate).toMatchObject({ source: 'policy', status: 'pending', requestedAction: null });
        expect(statuses(all)).toContain(`${gate.stage} waiting_for_approval ${gate.stage}`);
      }
      const types = all.run.events().map(({ type, data }) => `${type}: ${JSON.stringify(data['stage'] ?? data['to'])}`);
      const into = types.indexOf('state.changed: "executing"');
      expect(types.slice(into, into + 5).filter((line) => !line.startsWith('notification'))).toEqual([
        'state.changed: "executing"',
        'state.changed: "waiting_for_approval"',
        'approval.requested: "executing"',
        'approval.approved: "executing"',
        'state.changed: "executing"',
      ]);
    });

    it('V-43: a gate on validating opens before the first command', () => {
      const at = seen.find(({ gate }) => gate.stage === 'validating');

      expect(at).toMatchObject({ checks: false, turns: ['planning', 'architecting', 'executing'] });
      expect(existsSync(join(own.env['HOME'] ?? '', `checked-${at?.gate.commit?.slice(0, 7) ?? ''}`))).toBe(true);
    });

    it('V-44: a listed stage is gated once although the run enters it twice, with a restart of the worker between', async () => {
      expect(all.run.statuses().filter((status) => status === 'validating').length).toBeGreaterThanOrEqual(3);
      expect((await gatesOf(all)).map(({ stage }) => stage).sort()).toEqual([...STAGES].sort());
      expect(await all.result()).toMatchObject({ outcome: 'merge_ready' });
    });
  });

  it(
    'V-42: a gate at an unknown stage is an error with file, line and column, and nothing starts',
    async () => {
      const repository = await host.repository({ config: 'gates:\n  stages:\n    - planning\n    - exectuing\n' });
      const line = repository.configText.split('\n').findIndex((text) => text.includes('exectuing')) + 1;

      const told = await sluiceBeside(host, ['run', 'change a.txt'], { cwd: repository.path });

      expect(told.code).toBe(1);
      expect(told.stderr).toContain(`.sluice/config.yaml:${line}:7: gates.stages.1 is exectuing`);
      expect(told.stderr).toContain('did you mean executing?');
      expect(repository.git('branch', '--list', 'sluice/*')).toBe('');
    },
    LIMIT_MS,
  );

  it(
    'V-45: approvals list, show and decide in each form; the gate may be left out',
    async () => {
      const [changed, rejected] = await Promise.all([
        open(['architecting'], { config: 'stageList: [planning, architecting, executing]\n' }),
        open(['executing'], { config: JUDGED }),
      ]);
      const { commit } = await changed.gate('gate-1');
      await rejected.gate();
      const [id, other] = [changed.run.runId, rejected.run.runId];
      const approvals = (...args: string[]) =>
        sluiceBeside(host, ['approvals', ...args], { env: { SLUICE_BY: 'grace' } });

      const list = await approvals('list');
      const show = await approvals('show', id);
      const inTurn = await sluiceBeside(host, ['approvals', 'decide', id, '--approve'], {
        env: { SLUICE_TURN: 'a-turn' },
      });
      const changes = await approvals('decide', id, '--request-changes', 'use one file');
      await changed.gate('gate-2');
      const late = await approvals('decide', id, 'gate-1', '--approve');
      const named = await approvals('decide', id, 'gate-2', '--approve', '--note', 'fine now');
      const reject = await approvals('decide', other, '--reject');

      expect(list).toMatchObject({ code: 0 });
      for (const run of [id, other]) expect(list.stdout).toContain(run);
      expect(show.stdout).toContain('gate-1');
      expect(show.stdout).toContain(commit?.slice(0, 7));
      expect(inTurn).toMatchObject({ code: 1, stdout: '' });
      expect(inTurn.stderr).toContain('not sent from inside a turn');
      expect([changes, named, reject].map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(named.stdout).toContain(`approve accepted by ${id}`);
      expect(late).toMatchObject({ code: 3 });
      expect(late.stderr).toContain('changes requested already by grace');
      expect(await changed.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(await rejected.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rejected' });
      expect(
        written(changed).map(({ status, decisionNote, resolvedBy }) => [status, decisionNote, resolvedBy]),
      ).toEqual([
        ['changes_requested', 'use one file', 'grace'],
        ['approved', 'fine now', 'grace'],
      ]);
    },
    LIMIT_MS,
  );

  it(
    'V-46: approve goes on in the stage; reject ends blocked, closes the journal and tells a person',
    async () => {
      const sink = join(host.folder, 'told.jsonl');
      const notify = `notify:\n  - command: ["sh", "-c", "cat >> ${sink}; echo >> ${sink}"]\n`;
      const [approved, rejected] = await Promise.all([
        open(['executing'], { config: JUDGED }),
        open(['executing'], { config: `${JUDGED}${notify}` }),
      ]);
      await approved.approve(1);
      await rejected.gate();
      await rejected.send('approve', { decision: 'reject', note: 'too risky' });

      expect(await approved.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(statuses(approved)).toContain('waiting_for_approval executing verifying');
      expect(await rejected.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rejected' });
      const types = rejected.run.events().map(({ type }) => type);
      expect(
        types.slice(types.indexOf('approval.rejected')).filter((type) => !type.startsWith('notification')),
      ).toEqual(['approval.rejected', 'state.changed', 'run.completed']);
      const told = () => readFileSync(sink, 'utf8').split(/\n+/).slice(0, -1);
      await until(() => told().length >= 2);
      expect(told().map((line) => JSON.parse(line) as object)).toMatchObject([
        { kind: 'gate_opened', gate: 'gate-1' },
        { kind: 'run_closed', status: 'blocked', blockedReason: 'approval_rejected' },
      ]);
    },
    LIMIT_MS,
  );

  const WAYS: readonly (RunCase & { gate: Boundary; goTo: Stage; turns: readonly Stage[] })[] = [
    {
      gate: 'architecting',
      goTo: 'planning',
      turns: ['planning', 'planning', 'architecting'],
      config: 'stageList: [planning, architecting]\n',
    },
    {
      gate: 'executing',
      goTo: 'architecting',
      config: 'stageList: [planning, architecting, executing]\n',
      turns: ['planning', 'architecting', 'architecting', 'executing'],
    },
    { gate: 'executing', goTo: 'planning', turns: ['planning', 'planning', 'executing', 'verifying'], config: JUDGED },
    {
      gate: 'validating',
      goTo: 'fixing',
      turns: ['executing', 'fixing', 'reviewing', 'verifying'],
      config: FROM_EXECUTING,
    },
    {
      gate: 'reviewing',
      goTo: 'fixing',
      turns: ['executing', 'fixing', 'reviewing', 'verifying'],
      config: FROM_EXECUTING,
    },
    {
      gate: 'fixing',
      goTo: 'fixing',
      turns: ['executing', 'reviewing', 'fixing', 'reviewing', 'verifying'],
      config: FROM_EXECUTING,
    },
    {
      gate: 'verifying',
      goTo: 'fixing',
      turns: ['executing', 'reviewing', 'fixing', 'reviewing', 'verifying'],
      config: FROM_EXECUTING,
    },
    {
      gate: 'completion',
      goTo: 'fixing',
      config: `holdAtCompletion: true\n${FROM_EXECUTING}`,
      turns: ['executing', 'reviewing', 'verifying', 'fixing', 'reviewing', 'verifying'],
    },
  ];

  it.each(WAYS)(
    'V-47: changes requested at the gate into $gate run $goTo with the text, and the gate opens again',
    async ({ gate, goTo, turns, config = '' }) => {
      const stages = gate === 'fixing' ? ONE_FIX : { fixing: ONE_FIX.fixing };
      const person = await open(gate === 'completion' ? [] : [gate], { config, stages });
      expect(await person.gate('gate-1')).toMatchObject({ stage: gate, changesGoTo: goTo });
      await person.send('approve', { decision: 'request_changes', note: TEXT });
      expect(await person.gate('gate-2')).toMatchObject({ stage: gate });
      await person.approve(2);

      expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(person.turns()).toEqual(turns);
      expect(person.prompt(goTo)).toContain(TEXT);
      // The same fix, with the text added to it.
      if (gate === 'fixing') expect(person.prompt('fixing')).toContain('Not yet.');
      expect(await person.run.view()).toMatchObject({ reviewLoopCount: turns.includes('fixing') ? 1 : 0 });
      expect(written(person)).toMatchObject([{ status: 'changes_requested', guidance: TEXT }, { status: 'approved' }]);
    },
    LIMIT_MS,
  );

  it(
    'V-47: what a person asks for is fixed where the loop has no round left, as often as the policy says, then the run ends blocked',
    async () => {
      const person = await attendedRun(host, {
        config: `policies: {requireApprovalAtStages: [verifying], approvalMaxChangeRounds: 2}\nrounds: 0\n${FROM_EXECUTING}`,
        stages: { fixing: ONE_FIX.fixing },
      });
      for (const number of [1, 2, 3]) {
        expect(await person.gate(`gate-${number}`)).toMatchObject({ stage: 'verifying', changesGoTo: 'fixing' });
        await person.send('approve', { decision: 'request_changes', note: `round ${number} of a person` });
      }

      expect(await person.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rounds_exhausted' });
      const round = ['fixing', 'reviewing'];
      expect(person.turns()).toEqual(['executing', 'reviewing', ...round, ...round]);
      expect(person.prompt('fixing')).toContain('round 2 of a person');
    },
    LIMIT_MS,
  );

  it(
    'V-47: three rounds of changes, then the run ends blocked; none is offered before planning',
    async () => {
      const [person, early] = await Promise.all([
        open(['architecting'], { config: 'stageList: [planning, architecting]\n' }),
        open(['planning'], { config: 'stageList: plan-only\n' }),
      ]);
      for (const number of [1, 2, 3, 4]) {
        await person.gate(`gate-${number}`);
        await person.send('approve', { decision: 'request_changes', note: `round ${number}` });
      }
      expect(await person.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rounds_exhausted' });
      expect(person.turns()).toEqual(['planning', 'planning', 'planning', 'planning']);
      expect(person.prompt('planning')).toContain('round 3');

      expect(await early.gate()).toMatchObject({ stage: 'planning', changesGoTo: null });
      expect(await early.refusal('approve', { decision: 'request_changes', note: TEXT })).toBe(
        'changes cannot be requested at the gate into planning',
      );
      await early.approve(1);
      expect(await early.result()).toMatchObject({ outcome: 'merge_ready' });
    },
    LIMIT_MS,
  );

  it.each<[string, RunCase, Partial<Gate>]>([
    [
      'a turn that asks where the policy asks too',
      {
        config: `gates: [verifying]\n${HELD}`,
        stages: {
          executing: {
            append: { 'a.txt': 'x\n' },
            text: 'Done.',
            humanApproval: { reason: 'it touches money', risk: 'high', action: 'read it' },
          },
        },
      },
      {
        stage: 'verifying',
        source: 'agent',
        alsoRequiredByPolicy: true,
        riskLevel: 'high',
        requestedAction: 'read it',
      },
    ],
    [
      'a turn that asks alone, of medium risk unless it says another',
      {
        config: HELD,
        stages: {
          executing: { append: { 'a.txt': 'x\n' }, text: 'Done.', humanApproval: { reason: 'it touches money' } },
        },
      },
      { stage: 'verifying', source: 'agent', alsoRequiredByPolicy: false, riskLevel: 'medium', requestedAction: null },
    ],
    [
      'a used-up budget',
      { config: `budget: {run: {turns: 1}, onLimit: pause}\n${HELD}` },
      { stage: 'verifying', source: 'budget' },
    ],
    [
      'a hold at completion',
      { config: `holdAtCompletion: true\n${HELD}` },
      { stage: 'completion', source: 'completion' },
    ],
  ])(
    'V-48: %s opens one gate',
    async (_, options, expected) => {
      const person = await attendedRun(host, options);
      expect(await person.gate()).toMatchObject(expected);
      await person.approve(1);

      expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(written(person)).toMatchObject([{ ...expected, status: 'approved' }]);
      expect(person.run.statuses().filter((status) => status === 'waiting_for_approval')).toHaveLength(1);
      if (expected.source === 'agent') expect(written(person)[0]?.reason).toContain('it touches money');
    },
    LIMIT_MS,
  );

  it(
    'V-51, V-53: a second decision, one on a closed gate or run and one about another commit are refused and leave no trace',
    async () => {
      const person = await open(['executing', 'verifying'], {
        config: JUDGED,
        stages: { executing: { append: { 'a.txt': 'changed\n' }, text: 'Done.', waitFor: 'go' } },
      });
      const refused = (argument: object) => person.refusal('approve', argument);
      const first = await person.gate('gate-1');
      const stale = await refused({ commit: 'f'.repeat(40) });
      await person.approve(1);
      await person.started('executing');
      const second = await refused({ gate: 'gate-1' });
      person.repository.release('go');
      const last = await person.gate('gate-2');
      const closedGate = await refused({ gate: 'gate-1' });
      const old = await refused({ commit: first.commit });
      await person.send('approve', { gate: last.id, commit: last.commit, note: 'read it', by: 'grace' });
      await person.result();
      const closedRun = await person.send('approve', { gate: 'gate-2' }).catch((error: unknown) => error);

      expect(stale).toContain('the decision is about ffffffffffff, but the branch stands at');
      expect(second).toBe('no gate is open');
      expect(closedGate).toBe('gate-1 is not open; gate-2 is');
      expect(old).toContain(`the decision is about ${first.commit?.slice(0, 12) ?? ''}`);
      expect(closedRun).toMatchObject({ name: 'WorkflowNotFoundError' });
      // Of all the decisions that were sent, the two that were taken are in the history.
      const { events } = await person.run.handle.fetchHistory();
      expect((events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toHaveLength(2);
      const tip = person.repository.git('rev-parse', `sluice/${person.run.runId}`).trim();
      expect(written(person)).toMatchObject([
        {
          id: 'gate-1',
          resolvedBy: 'ada',
          decisionNote: null,
          commit: person.repository.git('rev-parse', 'main').trim(),
        },
        {
          id: 'gate-2',
          resolvedBy: 'grace',
          decisionNote: 'read it',
          commit: tip,
          resolvedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ]);
    },
    LIMIT_MS,
  );

  it(
    "V-52: an abort is not held by an open gate, by message and by cancellation: aborted within 2 s by the server's times",
    async () => {
      const [told, cancelled] = await Promise.all([
        open(['executing'], { config: JUDGED }),
        open(['executing'], { config: JUDGED }),
      ]);
      await Promise.all([told.gate(), cancelled.gate()]);
      await told.send('abort', { reason: 'wrong task' });
      await cancelled.run.handle.cancel();

      for (const person of [told, cancelled]) {
        expect(await person.result()).toMatchObject({ outcome: 'aborted' });
        expect(person.turns()).toEqual(['planning']);
        expect(person.run.statuses().slice(-2)).toEqual(['waiting_for_approval', 'aborted']);
        expect(written(person)).toMatchObject([{ id: 'gate-1', status: 'expired' }]);
        expect(await msFromMessageToEnd(person.run.handle)).toBeLessThanOrEqual(2_000);
      }
    },
    LIMIT_MS,
  );

  it(
    'V-45: an agent that sends a decision in its turn is refused, whatever the form, and the gate stays open',
    async () => {
      const waiting = await open(['executing'], { config: JUDGED });
      await waiting.gate();
      const id = waiting.run.runId;
      const forms = [
        `approve ${id}`,
        `reject ${id}`,
        `approvals decide ${id} --approve`,
        `answer ${id} yes`,
        `abort ${id}`,
      ];
      const server = `TEMPORAL_ADDRESS=${host.address} TEMPORAL_NAMESPACE=${host.namespace} SLUICE_HOME=${host.home}`;
      const lines = forms.map((form) => `${server} ${process.execPath} ${CLI} ${form}; echo "exit $?"`);
      const run = `{ ${lines.join('; ')}; } > "$HOME/agent-decides.txt" 2>&1`;
      const agent = await attendedRun(host, {
        config: 'stageList: plan-only\n',
        stages: { planning: { run, text: 'Plan.' } },
      });
      await agent.result();

      const told = readFileSync(join(host.env['HOME'] ?? '', 'agent-decides.txt'), 'utf8');
      expect(told.match(/this command runs inside a turn \(SLUICE_TURN is set\)/g)).toHaveLength(forms.length);
      expect(told.match(/^exit .*$/gm)).toEqual(forms.map(() => 'exit 1'));
      expect(await waiting.gate()).toMatchObject({ id: 'gate-1', status: 'pending' });
      await waiting.send('abort');
      await waiting.result();
    },
    LIMIT_MS,
  );
});
