/** Closed runs brought to their base through the built command line: a checkout in use, a conflict, another base, a queue that is paused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CliRepository } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

let world: CliWorld;
let agent: string;

/** What stands behind `do:` in its task is done; then a file of the run's own is written. */
const AGENT = `prompt=$(cat); eval "$(printf '%s' "$prompt" | sed -n 's/^do: //p' | head -1)"; echo mine > "$(basename "$PWD").txt"; echo done`;

beforeAll(() => {
  world = openCliWorld();
  agent = world.script('agent', AGENT);
});
afterAll(() => world.close(), 120_000);

async function prepared(name: string): Promise<CliRepository> {
  const repository = world.repository(name);
  repository.write(
    '.sluice/config.yaml',
    `version: 1\nagent: a\nagents: { a: { adapter: command, command: ["${agent}"] } }\nstageList: [executing, validating]\nvalidation: { commands: ["true"] }\n`,
  );
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  await world.sluice(['trust'], { cwd: repository.path });
  return repository;
}

async function closedRun({ path }: CliRepository, task: string): Promise<string> {
  const { stdout, code, stderr } = await world.sluice(['run', task, '--json'], { cwd: path });
  const ended = jsonLines(stdout).at(-1);
  expect({ code, outcome: ended?.['outcome'], stderr }).toMatchObject({ code: 0, outcome: 'merge_ready' });
  return String(ended?.['runId']);
}

/** Lists come from visibility, which is a moment behind. */
function listed({ path }: CliRepository, args: readonly string[], text: RegExp): Promise<void> {
  return until(async () => text.test((await world.sluice(args, { cwd: path })).stdout));
}

describe('sluice land', () => {
  it('leaves a checkout of the base alone until its person takes all that is ready by one fast-forward, their own changes untouched', async () => {
    const repository = await prepared('morning');
    const land = (...args: string[]) => world.sluice(['land', ...args], { cwd: repository.path });
    const runs = [await closedRun(repository, 'one'), await closedRun(repository, 'two')];
    const before = repository.git('rev-parse', 'main');
    repository.write('a.txt', 'dirty\n');

    const waits = await land(...runs);
    const kept = repository.git('rev-parse', 'main');
    const taken = await land('--update-checkout');
    const again = await land(...runs, '--json');

    expect(waits).toMatchObject({ code: 3, stderr: '' });
    for (const run of runs)
      expect(waits.stdout).toContain(`${run} is checked and ready for main, but it is checked out`);
    expect(waits.stdout).toContain('sluice land --update-checkout');
    expect(kept).toBe(before);
    expect(taken).toMatchObject({ code: 0, stderr: '' });
    for (const run of runs) expect(taken.stdout).toContain(`${run} has landed on main: `);
    expect(again.code).toBe(0);
    expect(jsonLines(again.stdout)).toMatchObject(runs.map((runId) => ({ kind: 'landing', runId, merge: 'merged' })));
    for (const run of runs) expect(readFileSync(join(repository.path, `${run}.txt`), 'utf8')).toBe('mine\n');
    expect(repository.git('status', '--porcelain').trim()).toBe('M a.txt');
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('dirty\n');
    expect(repository.git('rev-list', '--count', '--first-parent', `${before.trim()}..main`).trim()).toBe('2');
    for (const run of runs) await listed(repository, ['list'], new RegExp(`${run}\\tmerged`));
  }, 300_000);

  it('changes nothing where a file of the person is in the way, and says what git says', async () => {
    const repository = await prepared('in the way');
    const run = await closedRun(repository, 'write\ndo: echo theirs > a.txt');
    repository.write('a.txt', 'dirty\n');

    const { code, stderr } = await world.sluice(['land', run, '--update-checkout'], { cwd: repository.path });
    repository.git('checkout', '-q', '--', 'a.txt');
    const after = await world.sluice(['land', '--update-checkout'], { cwd: repository.path });

    expect(code).toBe(3);
    expect(stderr).toContain('main was not updated');
    expect(stderr).toContain('a.txt');
    expect(after.code).toBe(0);
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('theirs\n');
  }, 300_000);

  it('leaves a conflict to a person, who gives it up, and lands the rest', async () => {
    const repository = await prepared('conflict');
    const sluice = (...args: string[]) => world.sluice(args, { cwd: repository.path });
    const first = await closedRun(repository, 'change\ndo: echo mine > a.txt');
    const second = await closedRun(repository, 'change\ndo: echo yours > a.txt');
    repository.git('checkout', '-q', '--detach');

    const landed = await sluice('land', first, second);
    await listed(repository, ['landings', 'list'], new RegExp(`${second}  waits for a person: conflict  main`));
    await listed(
      repository,
      ['approvals', 'list'],
      new RegExp(`${second}[^]*gate gate-1 before landing[^]*sluice approve ${second}`),
    );
    const approved = await sluice('approve', second);
    await until(async () => /"gate-2"/.test((await sluice('approvals', 'list', second, '--json')).stdout));
    const dropped = await sluice('landings', 'drop', second, '--reason', 'the other is better');
    await listed(repository, ['landings', 'list', '--json'], /the other is better.*"merge":"abandoned"/);

    expect(landed.code).toBe(3);
    expect(landed.stdout).toContain(`${first} has landed on main`);
    expect(landed.stdout).toContain(`${second} waits for a person (conflict)`);
    expect(landed.stdout).toContain('  a.txt');
    expect(landed.stdout).toContain(`sluice approve ${second}`);
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('gate-1 is decided: approve') });
    expect(dropped.code).toBe(0);
    expect(repository.git('show', 'main:a.txt')).toBe('mine\n');
  }, 300_000);

  it('holds the base whose config nobody trusts, checks by it once somebody does, and names what lands as it says', async () => {
    const repository = await prepared('trust');
    const sluice = (...args: string[]) => world.sluice(args, { cwd: repository.path });
    const run = await closedRun(repository, 'one');
    const config = readFileSync(join(repository.path, '.sluice/config.yaml'), 'utf8');
    repository.write('.sluice/config.yaml', `${config}landing: { required: ["test ! -e checked", "touch checked"] }\n`);
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'more checks');
    repository.git('checkout', '-q', '--detach', 'main~');
    const at = repository.git('rev-parse', '--short=12', 'main').trim();

    expect((await sluice('land', run, '--no-wait')).code).toBe(0);
    await listed(repository, ['landings', 'list'], new RegExp(`queue of main  held \\(.*sluice trust --at ${at}\\)`));
    const kept = repository.git('rev-parse', '--short=12', 'main').trim();
    const trusted = await sluice('trust', '--at', 'main');
    const landed = await sluice('land', run);

    expect(kept).toBe(at);
    expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('The merge queue of main looks again.') });
    expect(landed).toMatchObject({ code: 0, stdout: expect.stringContaining(`${run} has landed on main`) });
    expect(repository.git('log', '-1', '--format=%s', 'main').trim()).toBe(`Merge sluice/${run} into main`);
  }, 300_000);

  it('lands on no tag, no commit and no other spelling, and on the branch that is named', async () => {
    const repository = await prepared('bases');
    const run = await closedRun(repository, 'one');
    repository.git('tag', 'v1');
    repository.git('branch', 'other');
    repository.git('checkout', '-q', '--detach');
    const land = (onto: string) => world.sluice(['land', run, '--onto', onto], { cwd: repository.path });

    for (const [onto, why] of [
      ['v1', 'it is a tag'],
      ['Main', 'the branch is called "main"'],
      ['HEAD', 'no branch'],
      [repository.git('rev-parse', 'main').trim(), 'it is a commit'],
    ] as const) {
      const { code, stdout } = await land(onto);
      expect({ code, stdout }).toMatchObject({ code: 3, stdout: expect.stringContaining(why) });
    }
    const { code } = await land('other');

    expect(code).toBe(0);
    expect(repository.git('ls-tree', '--name-only', 'other')).toContain(`${run}.txt`);
    expect(repository.git('ls-tree', '--name-only', 'main')).not.toContain(`${run}.txt`);
  }, 300_000);

  it('pauses the landing of one run, which its queue gives back, and goes on with it', async () => {
    const repository = await prepared('pause');
    const sluice = (...args: string[]) => world.sluice(args, { cwd: repository.path });
    const [run, other] = [await closedRun(repository, 'one'), await closedRun(repository, 'two')];
    expect((await sluice('land', run, other)).code).toBe(3);

    const watched = await sluice('watch', run);
    const nothing = await sluice('resume', run);
    const paused = await sluice('pause', run, '-m', 'a release');
    await listed(repository, ['landings', 'list'], new RegExp(`${run}  paused  main  paused by .*: a release`));
    await listed(repository, ['list', '--waiting'], new RegExp(`${run}\\tpaused\\tto land`));
    const status = await sluice('status', run);
    const asked = await sluice('land', run);
    const twice = await sluice('landings', 'pause', run);
    const taken = await sluice('land', '--update-checkout');
    const resumed = await sluice('resume');
    const landed = await sluice('land', run, '--update-checkout');
    const late = await sluice('pause', run);

    expect(watched).toMatchObject({ code: 3, stdout: expect.stringContaining(`${run} is checked and ready for main`) });
    expect(nothing).toMatchObject({ code: 3, stderr: expect.stringContaining('nothing is paused') });
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('it is paused, unless it has landed') });
    expect(status.stdout).toMatch(
      new RegExp(`merge +is paused by .*: a release; it goes on with: sluice resume ${run}`),
    );
    expect(asked).toMatchObject({ code: 3, stdout: expect.stringContaining('is paused by') });
    expect(twice).toMatchObject({ code: 3, stderr: expect.stringContaining('it is paused already') });
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining(`${other} has landed`) });
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('it goes on') });
    expect(landed).toMatchObject({ code: 0, stdout: expect.stringContaining(`${run} has landed`) });
    expect(late.code).toBe(3);
  }, 300_000);

  it('has ten runs of a night ready in the morning, all processes killed meanwhile, and one command takes them', async () => {
    const repository = await prepared('night');
    const sluice = (...args: string[]) => world.sluice(args, { cwd: repository.path });
    const before = repository.git('rev-parse', 'main').trim();
    const runs: string[] = [];
    for (let n = 0; n < 5; n += 1)
      runs.push(...(await Promise.all([closedRun(repository, 'one'), closedRun(repository, 'two')])));
    repository.write('a.txt', 'dirty\n');
    expect((await sluice('land', ...runs, '--no-wait')).code).toBe(0);
    await world.killAll();
    expect((await sluice('up')).code).toBe(0);
    const isReady = async () => {
      const landings = jsonLines((await sluice('landings', 'list', '--json')).stdout);
      return landings.filter(({ runId, entry }) => runs.includes(String(runId)) && entry === 'ready').length === 10;
    };
    await until(isReady);

    const taken = await sluice('land', '--update-checkout');

    expect(taken).toMatchObject({ code: 0, stderr: '' });
    for (const run of runs) expect(taken.stdout).toContain(`${run} has landed on main: `);
    const commits = repository.git('rev-list', '--first-parent', '--reverse', `${before}..main`).trim().split('\n');
    const landedIn = (commit: string) =>
      runs.filter((run) => repository.git('ls-tree', '--name-only', commit).includes(`${run}.txt`)).length;
    expect(commits.map(landedIn)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(repository.git('status', '--porcelain').trim()).toBe('M a.txt');
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('dirty\n');
  }, 300_000);
});
