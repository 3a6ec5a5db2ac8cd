import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAgent, VALIDATION_COMMAND } from '../../../bench/bench-agent.js';
import { figuresOf, type Samples } from '../../../bench/figures.js';
import { measurePlainRuns } from '../../../bench/plain-run.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import type { TestRepository } from '../../support/test-repository.js';

const CLI = fileURLToPath(new URL('../../../dist/client/cli/main.js', import.meta.url));

/** Of the commands that V-135 names, those that exist until gates and queues come. */
const COMMANDS = [
  'init',
  'doctor',
  'run',
  'list',
  'status',
  'watch',
  'logs',
  'diff',
  'path',
  'up',
  'down',
  'worker',
  'config',
  'trust',
  'states',
  'demo',
];

const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

describe('command line and bench', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('V-135: help lists every command', () => {
    const help = execFileSync(process.execPath, [CLI, '--help'], { encoding: 'utf8', env: { ...host.env } });
    const listed = [...help.matchAll(/^ {2}(\w+) (?:\[options\] )?(?:\[\w+\] )? *\S/gm)].map(([, name]) => name);

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
    const bench = { ...host, repository: repository.path, agent, workerPid: async () => 0 };

    await measurePlainRuns({ host: bench, empty: { measure: async () => 1, close: async () => undefined }, samples }, 2);
    const figures = figuresOf(samples);

    expect([samples['writeTurnMs']?.length, samples['otherTurnMs']?.length, samples['runMs']?.length]).toEqual([2, 8, 2]);
    expect([figures.writeTurnMs, figures.otherTurnMs, figures.runMs, figures.agentMs].filter((ms) => ms === null || ms <= 0)).toEqual([]);
    expect(figures.historyEvents).toBeLessThanOrEqual(80);
  });

  it('V-136: the metrics of every run hold the engine time apart from that of agents and commands', async () => {
    const { repository } = await benchRepository(host);
    const run = await host.startRun(repository);
    await run.result();

    const metrics = JSON.parse(run.read('metrics.json')) as Record<'turns' | 'wallMs' | 'agentMs' | 'validationMs' | 'engineMs', number>;

    expect(metrics.turns).toBe(5);
    expect(metrics.engineMs).toBe(metrics.wallMs - metrics.agentMs - metrics.validationMs);
    expect(metrics.engineMs / metrics.turns).toBeGreaterThan(0);
  });
});

/** The bench's own agent, a shell script that does its part at once, in every stage. */
async function benchRepository(host: TestHost): Promise<{ repository: TestRepository; agent: ReturnType<typeof makeAgent> }> {
  const folder = join(host.folder, `bench-${Math.random().toString(36).slice(2)}`);
  mkdirSync(folder);
  const agent = makeAgent(folder);
  const program = `  bench:\n    adapter: command\n    command: [/bin/sh]\n    args: ${JSON.stringify([join(folder, 'agent.sh'), folder])}\n`;
  const stages = STAGES.map((stage) => `  ${stage}:\n    agent: bench\n`).join('');
  const config = `${program}stages:\n${stages}validation:\n  commands: [${JSON.stringify(VALIDATION_COMMAND)}]\n`;
  return { repository: await host.repository({ config }), agent };
}
