/** `sluice task delete`, by the real command line. Source: docs/requirements/skep.md. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT } from '../../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../../support/cli-world.js';
import { until } from '../../support/until.js';

let world: CliWorld;
let repository: CliRepository;

const sluice = (...args: readonly string[]) => world.sluice(['task', ...args], { cwd: repository.path });

async function stateOf(id: string) {
  const items = jsonLines((await sluice('list', '--json')).stdout);
  return items.find((item) => item['id'] === id)?.['state'];
}

const branches = () =>
  repository.git('branch', '--list', '--format=%(refname:short)', 'sluice/*').split('\n').filter(Boolean);

beforeAll(async () => {
  world = openCliWorld();
  repository = world.repository('shop');
  // One whose task says so works until it is ended.
  const agent = world.script(
    'agent',
    GOOD_AGENT.replace('prompt=$(cat)', 'prompt=$(cat)\ncase "$prompt" in *"for ever"*) sleep 600 ;; esac'),
  );
  const config = `version: 1\nagents: {main: {command: [${agent}]}}\nagent: main\nvalidation: {commands: ["true"]}\nbacklog: {maxConcurrent: 2}\n`;
  repository.write('.sluice/config.yaml', config);
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  expect((await world.sluice(['trust'], { cwd: repository.path })).code).toBe(0);
}, 300_000);

afterAll(() => world.close());

describe('task delete', () => {
  it('S-89: asks first, keeps the branch, and takes it along only where that is said', async () => {
    await sluice('create', 'keep it');
    await sluice('create', 'drop that');
    await until(async () => (await stateOf('1')) === 'parked' && (await stateOf('2')) === 'parked');

    const unasked = await sluice('delete', '1');
    const kept = await sluice('delete', '1', '--yes', '-m', 'not now');
    const dropped = await sluice('delete', '2', '--yes', '--branch');

    expect(unasked).toMatchObject({ code: 1, stdout: '' });
    expect(unasked.stderr).toContain('nobody was asked whether the task shop-1 is to be deleted');
    expect(kept).toMatchObject({ code: 0, stdout: 'shop-1: it is closed, deleted\n' });
    expect(dropped.code).toBe(0);
    await until(async () => (await stateOf('1')) === 'closed' && (await stateOf('2')) === 'closed');
    expect(branches()).toEqual(['sluice/task-1-keep']);
  });

  it('S-89: refuses a task that runs, and one that is closed', async () => {
    await sluice('create', 'work for ever');
    await until(async () => (await stateOf('3')) === 'running');

    const running = await sluice('delete', '3', '--yes');
    const closed = await sluice('delete', '1', '--yes');

    expect([running.code, closed.code]).toEqual([3, 3]);
    expect(running.stderr).toContain('it is running; stop it first');
    expect(closed.stderr).toContain('the task shop-1 did not take "remove"');
    expect((await sluice('stop', '3')).code).toBe(0);
    await until(async () => (await stateOf('3')) === 'parked');
    expect((await sluice('delete', '--yes')).code).toBe(0);
  });
});
