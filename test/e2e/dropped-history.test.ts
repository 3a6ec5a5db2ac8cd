/** A run whose history the server has dropped (retention, or an operator who deleted it) is still found by its files: real engine, real tool. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { temporalTool } from '../support/temporal-tool.js';
import { until } from '../support/until.js';

let world: CliWorld;
let repository: CliRepository;
let runId: string;

const sluice = (...args: readonly string[]) => world.sluice(args, { cwd: repository.path });

beforeAll(async () => {
  world = openCliWorld();
  const agent = world.script('agent', GOOD_AGENT);
  repository = world.repository('dropped');
  await sluice('init', '--agent', 'command', '--', agent);
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  const run = await sluice('run', 'a change', '--json');
  runId = String(jsonLines(run.stdout)[0]?.['runId']);
  const [engine] = jsonLines((await sluice('up', '--json')).stdout);
  const temporal = temporalTool({ ...world.env, TEMPORAL_ADDRESS: String(engine?.['address']) });
  const deleted = await temporal.workflow('delete', '--workflow-id', runId, '--yes');
  expect([run.code, deleted.code]).toEqual([0, 0]);
  // The server takes half a minute to delete one.
  await until(async () => (await temporal.workflow('describe', '--workflow-id', runId)).code !== 0);
  await until(async () => ((await temporal.json('list')) as unknown[]).length === 0); // A list of executions.
}, 300_000);
afterAll(() => world.close(), 120_000);

describe('a run whose history the server dropped', () => {
  it('is listed with what it last wrote', async () => {
    const { stdout } = await sluice('list', '--json');

    expect(jsonLines(stdout)).toMatchObject([
      { runId, status: 'merge_ready', execution: 'UNKNOWN', title: 'a change' },
    ]);
  });

  it.each([
    ['status', 'merge_ready'],
    ['watch', 'merge_ready'],
    ['logs', 'executing'],
    ['diff', 'diff --git'],
    ['path', 'worktrees'],
    ['replay', 'executing'],
    ['audit', 'decision'],
  ])('is told by `sluice %s`', async (command, text) => {
    const { code, stdout } = await sluice(command, runId);

    expect(stdout).toContain(text);
    expect(code).toBe(0);
  });

  it('takes no message, and is never meant by one without a name', async () => {
    const named = await sluice('steer', runId, 'be quick');
    const unnamed = await sluice('steer', 'be quick');

    expect(named).toMatchObject({ code: 1, stderr: expect.stringContaining(`the server knows no run ${runId}`) });
    expect(unnamed).toMatchObject({ code: 1, stderr: expect.stringContaining('is open') });
  });

  it('is where `sluice rewind` starts from', async () => {
    const { code, stdout } = await sluice('rewind', runId, '--stage', 'reviewing', '--json');

    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ outcome: 'merge_ready' });
  }, 300_000);

  it('is cleaned', async () => {
    const { code } = await sluice('clean', runId, '--give-up', '--yes');

    expect(code).toBe(0);
    expect(repository.traces().branches).not.toContain(`sluice/${runId}`);
  }, 300_000);
});
