/** What `sluice task list` and `sluice task show` call a state, by the real command line. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CliRepository } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

let world: CliWorld;
let repository: CliRepository;

const sluice = (...args: readonly string[]) => world.sluice(args, { cwd: repository.path });

beforeAll(async () => {
  world = openCliWorld();
  repository = world.repository('shop');
  const agent = world.script('agent', 'cat > /dev/null; echo done');
  repository.write('.sluice/config.yaml', `version: 1\nagents: {main: {command: [${agent}]}}\nagent: main\n`);
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  expect((await sluice('trust')).code).toBe(0);
  expect(await sluice('task', 'create', 'mend it', '--needs-approval')).toMatchObject({ code: 0 });
  await until(async () => (await sluice('task', 'list')).stdout.includes('gated'));
}, 300_000);

afterAll(() => world.close());

describe('the words of Skep', () => {
  it('are said of a task in the list and where it is shown, and go away again', async () => {
    const list = await sluice('task', 'list', '--view', 'skep');
    const short = await sluice('tasks', '--view', 'skep');
    const shown = await sluice('task', 'show', '1', '--view', 'skep');
    const own = await sluice('task', 'show', '1', '--view', 'engine');

    expect(list.stdout).toContain('shop-1\tpending\t');
    expect(short.stdout).toBe(list.stdout);
    expect(shown.stdout).toMatch(/^shop-1 {2}pending\n/);
    expect(shown.stdout).toMatch(/ {2}pending {2}by /);
    expect(own.stdout).toMatch(/^shop-1 {2}gated: start\n/);
  });

  it("stand beside the engine's in JSON", async () => {
    const seen = await sluice('task', 'list', '--view', 'skep', '--json');
    const shown = await sluice('task', 'show', '1', '--view', 'skep', '--json');
    const own = await sluice('task', 'list', '--json');

    const both = { id: '1', state: 'gated', reason: 'start', view: 'pending' };
    expect(jsonLines(seen.stdout)).toEqual([expect.objectContaining(both)]);
    expect(jsonLines(shown.stdout)).toEqual([expect.objectContaining(both)]);
    expect(jsonLines(own.stdout)).toEqual([expect.objectContaining({ ...both, view: null })]);
  });

  it('are one of two that there are', async () => {
    const wrong = await sluice('task', 'list', '--view', 'other');

    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('other');
  });
});
