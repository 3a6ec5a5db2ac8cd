import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { makeAgent, VALIDATION_COMMAND } from '../../../bench/bench-agent.js';
import { NO_STUBS } from '../../../bench/cli-stubs.js';
import { figuresOf, findFaults, type Samples } from '../../../bench/figures.js';
import { measurePlainRuns } from '../../../bench/plain-run.js';
import { type AttendedRun, attendedRun } from '../../support/attended-run.js';
import { CLI, type CliResult, jsonLines } from '../../support/cli-world.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { detailsOf } from '../../support/run-steps.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import type { TestRepository } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

/** That V-135 names. */
const COMMANDS =
  'init doctor run status pause resume abort approvals steer rename logs replay audit path rewind land queue tasks policies budget config'.split(
    ' ',
  );

const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

describe('command line and bench', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('V-135: help lists every command, queue and tasks among them', () => {
    const help = execFileSync(process.execPath, [CLI, '--help'], { encoding: 'utf8', env: { ...host.env } });
    const listed = [...help.matchAll(/^ {2}([a-z]+)(?= )/gm)].map(([, name = '']) => name);

    expect(listed).toEqual(expect.arrayContaining(COMMANDS));
  });

  it('V-135: status --json of 400 kB is complete through a pipe to a slow reader', async () => {
    const task = `change a.txt\n${'"\n'.repeat(120_000)}end`;
    const repository = await host.repository({ config: 'stageList: plan-only\n' });
    const run = await host.startRun(repository, { task });
    await run.result();

    const line = `"$0" "$1" status ${run.runId} --json | { sleep 0.5; cat; }`;
    const printed = execFileSync('/bin/sh', ['-c', line, process.execPath, CLI], {
      encoding: 'utf8',
      env: { ...host.env },
      cwd: repository.path,
      maxBuffer: 10_000_000,
    });

    expect(printed.length).toBeGreaterThan(400_000);
    expect(JSON.parse(printed)).toMatchObject({ runId: run.runId, status: 'merge_ready', task });
  });

  it('V-136: the bench reports the engine time of a turn with a zero-latency agent', async () => {
    const { repository, agent } = await benchRepository(host);
    const samples: Samples = {};
    const bench = {
      ...host,
      repository: repository.path,
      agent,
      stubs: NO_STUBS,
      cliMain: CLI,
      workerPid: () => 0,
    };

    await measurePlainRuns(
      { host: bench, empty: { measure: async () => 1, close: async () => undefined }, samples },
      2,
    );
    const figures = figuresOf(samples);

    expect([samples['writeTurnMs']?.length, samples['otherTurnMs']?.length, samples['runMs']?.length]).toEqual([
      2, 8, 2,
    ]);
    expect(
      [figures.writeTurnMs, figures.otherTurnMs, figures.runMs, figures.agentMs].filter((ms) => ms === null || ms <= 0),
    ).toEqual([]);
    expect(figures.historyEvents).toBeLessThanOrEqual(80);
  });

  it('V-136: the bench is red for figures that exceed their budget by more than their noise, and for no other', () => {
    const faultsOf = (runMs: number) =>
      findFaults(figuresOf({ worktreeAddMs: [30], emptyActivityMs: [10], runMs: [runMs] }), { brief: false });

    // 2 × 30 + 9 × 10 + 150
    expect(faultsOf(300)).toEqual([]);
    expect(faultsOf(600)).toEqual(['over its budget by more than its noise: runMs, 600 of 300']);
  });

  it('V-136: the metrics of every run hold the engine time apart from that of agents and commands', async () => {
    const { repository } = await benchRepository(host);
    const run = await host.startRun(repository);
    await run.result();

    const metrics = JSON.parse(run.read('metrics.json')) as Record<
      'turns' | 'wallMs' | 'agentMs' | 'validationMs' | 'engineMs',
      number
    >;

    expect(metrics.turns).toBe(5);
    expect(metrics.engineMs).toBe(metrics.wallMs - metrics.agentMs - metrics.validationMs);
    expect(metrics.engineMs / metrics.turns).toBeGreaterThan(0);
  });
});

describe('what the records of a run show', () => {
  let host: TestHost;
  let run: AttendedRun;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    run = await attendedRun(host, {
      config: `stageList: [executing, reviewing, verifying]\ngates: [executing]\nbudget:\n  run:\n    turns: 10\n`,
      stages: { reviewing: { text: 'Right.', decision: 'APPROVED', files: { 'stray.txt': 'stray\n' } } },
    });
    const { id, commit } = await run.gate();
    await run.send('steer', { text: 'mind the gap' });
    await run.run.handle.signal('pause', { by: 'bob' });
    await run.send('approve', { gate: id, commit, note: 'fine by me' });
    await run.result();
  }, 300_000);

  afterAll(() => host.close());

  const shown = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await sluiceBeside(host, [...args, run.run.runId], { cwd: run.repository.path });
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const objects = async (command: string) => jsonLines(await shown(command, '--json'));

  it('V-135: replay prints the whole journal as a timeline', async () => {
    const events = run.run.events();
    const start = Date.parse(events[0]?.timestamp ?? '');

    const printed = await objects('replay');
    const lines = (await shown('replay')).trim().split('\n');

    expect(printed).toEqual(
      events.map((event) => ({
        kind: 'event',
        sinceStartMs: Math.max(0, Date.parse(event.timestamp) - start),
        ...event,
      })),
    );
    expect(lines).toHaveLength(events.length + 1);
    expect(lines.slice(1).every((line) => /^\+0:\d\d:\d\d\.\d /.test(line))).toBe(true);
  });

  it('V-135: audit prints who decided what about which commit, violations and refused messages', async () => {
    const tip = run.repository.git('rev-parse', `sluice/${run.run.runId}`).trim();
    const base = (await run.run.view()).baseSha;

    const printed = await objects('audit');
    const text = await shown('audit');

    expect(printed.map(({ about, who, commit, note }) => [about, who, commit, note])).toEqual([
      ['decision', 'engine', base, null],
      ['message', 'ada', null, 'mind the gap'],
      ['refused', 'bob', null, expect.stringContaining('gate')],
      ['decision', 'ada', base, 'fine by me'],
      ['violation', 'engine', null, null],
      ['decision', 'agent', tip, null],
      ['decision', 'agent', tip, null],
      ['end', 'engine', null, null],
    ]);
    expect(text).toMatch(/decision +ada .*approved.*fine by me/);
    expect(text).toMatch(/violation .*stray\.txt/);
  });

  it('V-135: policies prints the policy as it was frozen', async () => {
    const { policy, attended } = await detailsOf(run.run.handle);

    const [printed] = await objects('policies');
    const text = await shown('policies');

    expect(printed).toEqual({ runId: run.run.runId, attended, policy: JSON.parse(JSON.stringify(policy)) });
    expect(text).toMatch(/^stages +executing → reviewing → verifying$/m);
    expect(text).toMatch(/^gates before +executing$/m);
  });

  it('V-135: budget prints what is used and what is left', async () => {
    const [printed] = await objects('budget');

    expect(printed).toMatchObject({ onLimit: 'stop', grants: 0, used: { turns: 3 } });
    expect(printed?.['limits']).toContainEqual({ of: 'turns', used: 3, allowed: 10, left: 7 });
    expect(await shown('budget')).toMatch(/^turns +3 used, of 10, 7 left$/m);
  });
});

describe('a command to a run that no worker attends', () => {
  let host: TestHost;
  let run: AttendedRun;
  let renamed: CliResult;
  let paused: CliResult;
  let sentAt: number;

  beforeAll(async () => {
    host = await openTestHost();
    const worker = await host.startWorker();
    run = await attendedRun(host, { config: 'stageList: [executing]\ngates: [executing]\n' });
    await run.gate();
    await run.historyLength();
    await worker.stop();
    const send = (...args: readonly string[]) => sluiceBeside(host, args, { cwd: run.repository.path });
    sentAt = Date.now();
    [renamed, paused] = await Promise.all([
      send('rename', run.run.runId, 'another title'),
      send('pause', run.run.runId, '--json'),
    ]);
  }, 300_000);

  afterAll(() => host.close());

  /** The least of it is the row's; the most tells it from a minute on a slow machine. */
  const isAbout10s = (ms: number) => ms >= 10_000 && ms < 40_000;

  it('V-67: is stored on the server once no worker has taken it for 10 s', async () => {
    const { events } = await run.run.handle.fetchHistory();
    const stored = (events ?? []).flatMap(({ eventTime, workflowExecutionSignaledEventAttributes: signal }) =>
      signal == null ? [] : [[signal.signalName, isAbout10s(tsToMs(eventTime) - sentAt)]],
    );

    expect(Object.fromEntries(stored)).toEqual({ rename: true, pause: true });
  });

  it('V-67: prints queued, and never accepted', () => {
    expect(renamed).toMatchObject({
      code: 0,
      stdout: `rename queued for ${run.run.runId}: no worker took it, or the server takes no more Updates of it; it is checked when a worker is there\n`,
    });
    expect(jsonLines(paused.stdout)).toMatchObject([
      { kind: 'message', name: 'pause', sent: 'queued', requestId: expect.any(String) },
    ]);
    expect(paused.code).toBe(0);
    expect(renamed.stdout + paused.stdout).not.toContain('accepted');
  });

  it('V-67: is checked on arrival: applied once, or refused and journalled; with a worker it prints accepted', async () => {
    await host.startWorker();
    await until(async () => (await run.run.view()).title === 'another title');
    const { code, stdout } = await sluiceBeside(host, ['approve', run.run.runId], { cwd: run.repository.path });
    const { outcome } = await run.result();
    const named = (type: string) => run.run.events().filter((event) => event.type === type);

    expect([code, outcome]).toEqual([0, 'merge_ready']);
    expect(stdout).toContain(`approve accepted by ${run.run.runId}`);
    expect(named('run.renamed').map(({ data }) => data['text'])).toEqual(['another title']);
    expect(named('message.refused').map(({ data }) => [data['name'], data['why']])).toEqual([
      ['pause', expect.stringContaining('gate')],
    ]);
    expect(named('run.pause_requested')).toEqual([]);
  }, 300_000);
});

/** The bench's own agent, a shell script that does its part at once, in every stage. */
async function benchRepository(
  host: TestHost,
): Promise<{ repository: TestRepository; agent: ReturnType<typeof makeAgent> }> {
  const folder = join(host.folder, `bench-${Math.random().toString(36).slice(2)}`);
  mkdirSync(folder);
  const agent = makeAgent(folder, []);
  const program = `  bench:\n    adapter: command\n    command: [/bin/sh]\n    args: ${JSON.stringify([join(folder, 'agent.sh'), folder])}\n`;
  const stages = STAGES.map((stage) => `  ${stage}:\n    agent: bench\n`).join('');
  const config = `${program}stages:\n${stages}validation:\n  commands: [${JSON.stringify(VALIDATION_COMMAND)}]\n`;
  return { repository: await host.repository({ config }), agent };
}
