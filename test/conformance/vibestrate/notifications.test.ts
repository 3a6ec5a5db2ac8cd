import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Notification, NotificationKind } from '../../../protocol/messages/notification.js';
import { decideGates, openGate } from '../../support/decide-gates.js';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { openTestHost, type TestHost, type TestRun } from '../../support/test-host.js';
import { until } from '../../support/until.js';
import { openWebhook, type Webhook } from '../../support/webhook.js';

const LIMITED = `echo "sluice-outcome: usage_limit until=$(node -p 'new Date(Date.now() + 4000).toISOString()')" >&2`;
const WORKS = { text: 'Added a line.', append: { 'a.txt': 'changed\n' } };
const ONE = 'stageList: [executing]\n';
/** Red until the fixer has been there. */
const CHECKED =
  'stageList: [executing, validating, reviewing, fixing, verifying]\nrounds: 1\nvalidation:\n  commands: ["grep -q fixed a.txt"]\n';

const CASES = {
  mergeReady: { config: ONE },
  noChanges: { config: ONE, stages: { executing: { text: 'Nothing to do.' } } },
  blocked: {
    config: 'stageList: [executing, reviewing]\n',
    stages: { reviewing: { text: 'Never.', decision: 'BLOCKED' } },
  },
  failed: { config: ONE, stages: { executing: { text: 'Broke.', exit: 1 } } },
  aborted: { config: `gates: [executing]\n${ONE}`, meanwhile: abortAtGate },
  gate: { config: `gates: [executing]\n${ONE}`, meanwhile: approve },
  redChecks: { config: CHECKED, stages: { fixing: { text: 'Fixed.', append: { 'a.txt': 'fixed\n' } } } },
  pastRetries: {
    // Waited out, twice; on a busy machine an agent needs more than a second to note its start.
    config: `${ONE}stages:\n  executing:\n    timeout: 5s\nlimits:\n  killGrace: 200ms\n`,
    stages: { executing: { hang: true } },
  },
  budget: { config: 'stageList: [planning, executing]\nbudget:\n  run:\n    turns: 1\n' },
  usageLimit: { config: ONE, stages: { executing: { text: 'Later.', run: LIMITED, exit: 1, again: WORKS } } },
} satisfies Record<string, RunCase>;

type Name = keyof typeof CASES;

describe('notifications', () => {
  let host: TestHost;
  let webhook: Webhook;
  let runs: Record<Name, EndedRun>;

  beforeAll(async () => {
    [host, webhook] = await Promise.all([openTestHost(), openWebhook()]);
    await host.startWorker();
    const names = Object.keys(CASES) as Name[];
    const told = (name: Name): RunCase => {
      const { config, ...rest }: RunCase = CASES[name];
      const sinks = [{ command: ['sh', '-c', `cat >> ${fileOf(host, name)}`] }, { webhook: webhook.url(name) }];
      return { ...rest, config: `${config}notify: ${JSON.stringify(sinks)}\n` };
    };
    const cases = Object.fromEntries(names.map((name) => [name, told(name)])) as Record<Name, RunCase>;
    runs = await endedRuns(host, cases);
    await Promise.all(Object.values(runs).map(({ run }) => everyoneTold(host, run)));
  }, 300_000);

  afterAll(async () => {
    webhook.close();
    await host.close();
  });

  /** What came to both sinks, in the order of its making: sinks are told side by side, and apart from the run. */
  const told = (name: Name): readonly (readonly [NotificationKind, Notification])[] => {
    const atProgram = inOrder(linesOf(fileOf(host, name)));
    const atAddress = inOrder(webhook.postedTo(name).map(({ body }) => body));
    expect(atAddress).toEqual(atProgram);
    expect(new Set(atProgram.map(({ id }) => id)).size).toBe(atProgram.length);
    return atProgram.map((notification) => [notification.kind, notification] as const);
  };
  const kinds = (name: Name) => told(name).map(([kind]) => kind);

  it('V-134: a gate that opens tells every sink once, with the command that decides it', () => {
    const [opened] = told('gate');

    expect(kinds('gate')).toEqual(['gate_opened', 'run_closed']);
    expect(opened?.[1]).toMatchObject({
      runId: runs.gate.run.runId,
      gate: 'gate-1',
      stage: 'executing',
      status: 'waiting_for_approval',
    });
    expect(opened?.[1].command).toMatch(new RegExp(`^sluice approve.* ${runs.gate.run.runId}`));
  });

  it.each([
    ['merge_ready', 'mergeReady'],
    ['no_changes', 'noChanges'],
    ['blocked', 'blocked'],
    ['failed', 'failed'],
    ['aborted', 'aborted'],
  ] as const)('V-134: a run that closes %s tells every sink so, last and once', (outcome, name) => {
    const closed = told(name).filter(([kind]) => kind === 'run_closed');
    const { runId, outcome: ended, blockedReason } = runs[name].result;

    expect(ended).toBe(outcome);
    expect(closed).toHaveLength(1);
    expect(kinds(name).at(-1)).toBe('run_closed');
    expect(closed[0]?.[1]).toMatchObject({ runId, outcome, blockedReason, branch: runs[name].result.branch });
  });

  it('V-134: checks that fail tell every sink', () => {
    const [failed] = told('redChecks');

    expect(runs.redChecks.result.outcome).toBe('merge_ready');
    expect(kinds('redChecks')).toEqual(['validation_failed', 'run_closed']);
    expect(failed?.[1]).toMatchObject({ outcome: null, message: expect.stringContaining('grep -q fixed a.txt') });
  });

  it('V-134: an agent that failed past its retries tells every sink once, and not at each retry', () => {
    expect(runs.pastRetries.turns).toEqual(['executing', 'executing']);
    expect(kinds('pastRetries')).toEqual(['agent_failed', 'run_closed']);
    expect(told('pastRetries')[0]?.[1]).toMatchObject({ stage: 'executing', status: 'executing' });
  });

  it('V-134: a budget that is reached tells every sink', () => {
    expect(runs.budget.result).toMatchObject({ outcome: 'blocked', blockedReason: 'budget' });
    expect(kinds('budget')).toEqual(['budget_reached', 'run_closed']);
    expect(told('budget')[0]?.[1].message).toContain('1 of 1 turns');
  });

  it('V-134: a wait for a usage limit tells every sink until when', () => {
    const until = runs.usageLimit.events.find(({ type }) => type === 'usage_limit.waiting')?.data['until'];

    expect(runs.usageLimit.result.outcome).toBe('merge_ready');
    expect(kinds('usageLimit')).toEqual(['usage_limit', 'run_closed']);
    expect(told('usageLimit')[0]?.[1].message).toMatch(new RegExp(`until ${JSON.stringify(until).slice(1, -1)}$`));
  });

  it.each([
    ['merge_ready', 'run.completed', 'mergeReady'],
    ['blocked', 'run.completed', 'blocked'],
    ['failed', 'run.failed', 'failed'],
    ['aborted', 'run.aborted', 'aborted'],
  ] as const)(
    'V-86: the end %s writes one %s as the last event, metrics, and makes one notification of it',
    (status, type, name) => {
      const { run, events, view } = runs[name];
      const ends = events.filter((event) => /^run\.(completed|failed|aborted)$/.test(event.type));

      expect(view.status).toBe(status);
      expect(ends.map((event) => event.type)).toEqual([type]);
      expect(events.at(-1)).toEqual(ends[0]);
      expect(JSON.parse(run.read('metrics.json'))).toMatchObject({
        turns: expect.any(Number),
        wallMs: expect.any(Number),
      });
      expect(kinds(name).filter((kind) => kind === 'run_closed')).toHaveLength(1);
    },
  );
});

describe('sinks that fail', () => {
  let host: TestHost;
  let webhook: Webhook;
  let other: Webhook;
  let runs: Record<'passing' | 'hanging', EndedRun>;

  beforeAll(async () => {
    other = await openWebhook();
    webhook = await openWebhook({
      down: (response, nth) => response.writeHead(nth === 1 ? 500 : 204).end(),
      elsewhere: (response) =>
        response.writeHead(307, { location: other.url('elsewhere').replace('127.0.0.1', 'localhost') }).end(),
      hangs: () => undefined,
    });
    host = await openTestHost();
    await host.startWorker();
    const tellsFile = (name: string) => ({ command: ['sh', '-c', `cat >> ${fileOf(host, name)}`] });
    const passing = [tellsFile('passing'), { webhook: webhook.url('down') }, { webhook: webhook.url('elsewhere') }];
    const hanging = [tellsFile('hanging'), { webhook: webhook.url('hangs') }, { command: ['sh', '-c', 'sleep 30'] }];
    runs = await endedRuns(host, {
      passing: { config: `gates: [executing]\n${ONE}notify: ${JSON.stringify(passing)}\n`, meanwhile: onceRecorded },
      hanging: { config: `${ONE}notify: ${JSON.stringify(hanging)}\n` },
    });
    await Promise.all([
      everyoneTold(host, runs.passing.run),
      until(() => linesOf(fileOf(host, 'hanging')).length > 0 && webhook.postedTo('hangs').length > 0),
    ]);
  }, 300_000);

  afterAll(async () => {
    webhook.close();
    other.close();
    await host.close();
  });

  it('V-134: an address that answers 500 is told again under the same id, and hears nothing twice once it took it', () => {
    const ids = webhook.postedTo('down').map(({ id }) => id);
    const { runId } = runs.passing.run;

    expect(ids.map(countedId).toSorted()).toEqual([`${runId}:1`, `${runId}:1`, `${runId}:2`]);
    expect(new Set(ids).size).toBe(2);
    expect(webhook.postedTo('down').every(({ id, body }) => body.id === id)).toBe(true);
    expect(inOrder(linesOf(fileOf(host, 'passing'))).map(({ kind }) => kind)).toEqual(['gate_opened', 'run_closed']);
  });

  it('V-134: a redirect to another host is not followed, and the journal says who was told and who not', () => {
    const events = runs.passing.events.filter(({ type }) => type.startsWith('notification.'));

    expect(webhook.postedTo('elsewhere')).toHaveLength(2);
    expect(other.postedTo('elsewhere')).toEqual([]);
    expect(events.map(({ type, data }) => [type, data['sink'], data['kind']])).toEqual([
      ['notification.sent', 'command', 'gate_opened'],
      ['notification.sent', 'webhook', 'gate_opened'],
      ['notification.failed', 'webhook', 'gate_opened'],
    ]);
    expect(events[2]?.data['error']).toMatch(/HTTP 307; a redirect is not followed/);
  });

  it('V-134: an address and a program that never answer hold neither the run nor the other sinks', async () => {
    expect(runs.hanging.result.outcome).toBe('merge_ready');
    expect(await notificationsOf(host, runs.hanging.run, 'Running')).toBe(1);
    expect(linesOf(fileOf(host, 'hanging')).map(({ kind }) => kind)).toEqual(['run_closed']);
    const ids = new Set(webhook.postedTo('hangs').map(({ id }) => String(id)));
    expect([...ids].map(countedId)).toEqual([`${runs.hanging.run.runId}:1`]);
  });
});

function fileOf(host: TestHost, name: string): string {
  return join(host.folder, `told-${name}.jsonl`);
}

function linesOf(path: string): readonly Notification[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Notification);
}

/** Without the drawn part. */
function countedId(id: string): string {
  return id.slice(0, id.lastIndexOf(':'));
}

function inOrder(notifications: readonly Notification[]): readonly Notification[] {
  const nth = ({ id }: Notification) => Number(id.split(':')[1]);
  return notifications.toSorted((a, b) => nth(a) - nth(b));
}

async function approve(run: TestRun): Promise<void> {
  await decideGates(run, [{ decision: 'approve' }]);
}

async function abortAtGate(run: TestRun): Promise<void> {
  await openGate(run);
  await run.handle.executeUpdate('abort', { args: [{ by: 'ada' }] });
}

/** Approves when the journal has what came of the first notification. */
async function onceRecorded(run: TestRun): Promise<void> {
  await until(
    () =>
      existsSync(join(run.runDir, 'events.jsonl')) && run.events().some(({ type }) => type === 'notification.failed'),
  );
  await approve(run);
}

async function everyoneTold(host: TestHost, run: TestRun): Promise<void> {
  await until(
    async () =>
      (await notificationsOf(host, run, 'Completed')) > 0 && (await notificationsOf(host, run, 'Running')) === 0,
  );
}

/** How many are in that state: each is a workflow of its own, named after the run. */
async function notificationsOf(host: TestHost, { runId }: TestRun, status: 'Running' | 'Completed'): Promise<number> {
  const mine = `WorkflowType = "notification" AND WorkflowId STARTS_WITH "notification:${runId}:"`;
  return (await host.client.workflow.count(`${mine} AND ExecutionStatus = "${status}"`)).count;
}
