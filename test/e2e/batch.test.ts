/** Lists of tasks, and what runs left, through the built command line: batch, replay, audit, policies, budget, rewind, clean. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';

let world: CliWorld;
let repository: CliRepository;

/** No two runs make the same change. The agent holds its turn where the task says so, until the file `go` is there. */
const AGENT = `${GOOD_AGENT}
[ $SLUICE_STAGE = executing ] && basename "$PWD" > own.txt
case $prompt in *"hold on"*) while [ ! -e "$HOME/go" ]; do sleep 0.1; done ;; esac`;

beforeAll(async () => {
  world = openCliWorld();
  const agent = world.script('agent', AGENT);
  repository = world.repository('lists');
  await world.sluice(['init', '--agent', 'command', '--', agent], { cwd: repository.path });
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
}, 300_000);
afterAll(() => world.close(), 120_000);

const sluice = (args: readonly string[], input?: string) =>
  world.sluice(args, { cwd: repository.path, ...(input === undefined ? {} : { input }) });
const lines = (...tasks: string[]) => tasks.map((task) => `${JSON.stringify({ task })}\n`).join('');

describe('sluice batch', () => {
  it('runs the lines of a file and shows one table; started again it skips what it ran, with the outcome that is known', async () => {
    repository.write('tasks.jsonl', lines('one', 'two'));
    const first = await sluice(['batch', 'tasks.jsonl', '--json', '--concurrency', '2']);
    repository.write('tasks.jsonl', lines('one', 'two', 'three'));
    const second = await sluice(['batch', 'tasks.jsonl']);

    const ended = jsonLines(first.stdout).at(-1);
    expect(first.code).toBe(0);
    expect(jsonLines(first.stdout)[0]).toMatchObject({
      kind: 'started',
      name: 'tasks',
      workflowId: 'batch:tasks',
      tasks: 2,
    });
    expect(ended).toMatchObject({ kind: 'ended', how: 'closed', batchId: 'batch-tasks', aborted: false });
    expect(ended?.['rows']).toMatchObject([{ outcome: 'merge_ready' }, { outcome: 'merge_ready' }]);
    expect(second.stdout).toContain('3 tasks: 2 skipped, merge_ready, 1 merge_ready');
    expect(second.code).toBe(0);
    expect(readFileSync(join(world.person, 'agent.txt'), 'utf8').match(/executing/g)).toHaveLength(3);
  }, 300_000);

  it('refuses a wrong line by file, line and column, and starts nothing', async () => {
    const before = repository.traces();
    const { code, stderr } = await sluice(['batch', '-', '--name', 'wrong'], `${lines('one')}{"task":"two",\n`);

    expect(code).toBe(1);
    expect(stderr).toContain('<stdin>:2:15: the line is no JSON');
    expect(stderr).toContain('Nothing was started.');
    expect(repository.traces()).toEqual(before);
  });

  it.each([
    [['batch', '-'], 'the batch has no name'],
    [['batch', 'tasks.jsonl', '--name', 'a b'], 'the name of the batch is "a b"'],
    [['batch', 'tasks.jsonl', '--concurrency', '0'], '--concurrency is "0"'],
    [['batch', 'missing.jsonl'], 'cannot be read (ENOENT)'],
    [['batch', '--name', 'unheard-of'], 'the server knows no batch unheard-of'],
  ])('refuses %j', async (args, text) => {
    const { code, stderr } = await sluice(args, '');

    expect(stderr).toContain(text);
    expect(code).toBe(1);
  });

  it('goes on when its watcher is gone; another start watches it; an abort ends its runs and starts no other', async () => {
    const file = lines('hold on, one', 'hold on, two');
    const detached = await sluice(['batch', '-', '--name', 'held', '--concurrency', '1', '--detach'], file);
    const watching = world.start(['batch', '-', '--name', 'held', '--json'], { cwd: repository.path, input: file });
    await watching.prints('"state":"running"');
    const notTaken = await sluice(
      ['batch', '-', '--name', 'held', '--detach', '--json'],
      lines('another', 'and one', 'and one more'),
    );
    const abort = await sluice(['batch', '--name', 'held', '--abort']);
    const { code, stdout } = await watching.done;

    expect(detached.code).toBe(0);
    expect(jsonLines(notTaken.stdout)).toMatchObject([{ kind: 'running', tasks: 2 }]);
    expect(notTaken.code).toBe(3);
    expect(jsonLines(stdout)[0]).toMatchObject({ kind: 'running', workflowId: 'batch:held' });
    expect(abort.stdout).toContain('abort accepted by the batch held');
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      aborted: true,
      rows: [{ outcome: 'aborted' }, { state: 'not_started' }],
    });
    expect(code).toBe(3);
    const agentSees = await world.sluice(['batch', '--name', 'held', '--abort'], { env: { SLUICE_TURN: 'x' } });
    expect(agentSees).toMatchObject({ code: 1, stderr: expect.stringContaining('inside a turn') });
  }, 300_000);
});

describe('what a run left', () => {
  let runId: string;

  beforeAll(async () => {
    const run = await sluice(['run', 'four', '--json']);
    runId = String(jsonLines(run.stdout)[0]?.['runId']);
    expect(run.code).toBe(0);
  }, 300_000);

  it.each([
    ['replay', (line: Record<string, unknown>) => line['kind'] === 'event' && Number(line['sinceStartMs']) >= 0],
    ['audit', (line: Record<string, unknown>) => line['kind'] === 'audit' && typeof line['who'] === 'string'],
    ['policies', (line: Record<string, unknown>) => typeof line['policy'] === 'object' && line['policy'] !== null],
    ['budget', (line: Record<string, unknown>) => JSON.stringify(line['limits']).includes('"of":"turns","used":5')],
  ])('is told by `sluice %s`, with --json as documented objects', async (command, fits) => {
    const plain = await sluice([command, runId]);
    const json = await sluice([command, runId, '--json']);

    expect([plain.code, json.code]).toEqual([0, 0]);
    expect(plain.stdout).not.toBe('');
    expect(jsonLines(json.stdout).filter((line) => !fits(line))).toEqual([]);
    expect(jsonLines(json.stdout).length).toBeGreaterThan(0);
  });

  it('is where another run starts from by `sluice rewind`, which leaves the first as it was', async () => {
    const state = join(repository.path, '.sluice/runs', runId, 'state.json');
    const before = readFileSync(state, 'utf8');
    const { code, stdout } = await sluice(['rewind', runId, '--stage', 'reviewing', '--json']);
    const [started, ended] = jsonLines(stdout);

    expect(code).toBe(0);
    expect(started).toMatchObject({ kind: 'started', title: 'four' });
    expect(ended).toMatchObject({ outcome: 'merge_ready', how: 'closed' });
    const status = jsonLines((await sluice(['status', String(started?.['runId']), '--json'])).stdout)[0];
    expect(status).toMatchObject({ resumedFrom: { sourceRunId: runId, fromStage: 'reviewing' }, task: 'four' });
    expect(readFileSync(state, 'utf8')).toBe(before);
  }, 300_000);

  it('is no source for a stage that does not exist', async () => {
    expect(await sluice(['rewind', runId, '--stage', 'lunch'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--stage is "lunch"'),
    });
  });

  it('is removed by `sluice clean` once it is merged, or given up by name; never without a yes', async () => {
    const named = await sluice(['clean', runId, '--yes']);
    const unasked = await sluice(['clean', runId, '--give-up']);
    const everything = await sluice(['clean', '--give-up', '--yes']);
    expect(named).toMatchObject({ code: 3, stderr: expect.stringContaining('is not merged into main') });
    expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody said yes') });
    expect(everything).toMatchObject({ code: 1, stderr: expect.stringContaining('no run is named') });
    expect(repository.traces().branches).toContain(`sluice/${runId}`);

    repository.git('merge', '-q', '--no-ff', '-m', 'merge', `sluice/${runId}`);
    const merged = await sluice(['status', runId]);
    const dry = await sluice(['clean', '--dry-run', '--json']);
    const clean = await sluice(['clean', '--yes', '--json']);

    const removable = expect.objectContaining({ kind: 'removable', runId, merged: true, branch: `sluice/${runId}` });
    expect(jsonLines(dry.stdout)).toContainEqual(removable);
    expect(clean.code).toBe(0);
    expect(jsonLines(clean.stdout)).toContainEqual(
      expect.objectContaining({ kind: 'clean', runId, result: 'cleaned' }),
    );
    expect(repository.traces().branches).not.toContain(`sluice/${runId}`);
    expect(existsSync(join(repository.path, '.sluice/runs', runId, 'report.md'))).toBe(true);
    expect(merged.stdout).toMatch(/merge +merged into main/);
    expect((await sluice(['status', runId])).stdout).toMatch(/worktree +cleaned: it was /);
    const path = await sluice(['path', runId]);
    expect(path).toMatchObject({ code: 1, stderr: expect.stringContaining('is gone too.') });
    expect(path.stderr).toContain(`sluice status ${runId}`);
  }, 300_000);

  it('of an unmerged run goes when a person gives it up by name', async () => {
    const list = jsonLines((await sluice(['list', '--json'])).stdout);
    const unmerged = String(
      list.find(({ branch }) => repository.traces().branches.includes(String(branch)))?.['runId'],
    );

    const { code } = await sluice(['clean', unmerged, '--give-up', '--yes']);

    expect(code).toBe(0);
    expect(repository.traces().branches).not.toContain(`sluice/${unmerged}`);
  });
});
