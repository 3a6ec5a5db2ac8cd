/** Tasks of a backlog by the built command line: handed in, looked at, decided about, and each thing that is wrong with one. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

let world: CliWorld;
let repository: CliRepository;

const sluice = (...args: readonly string[]) => world.sluice(args, { cwd: repository.path });
const listed = async () => jsonLines((await sluice('task', 'list', '--json')).stdout);
const stateOf = async (id: string) => (await listed()).find((item) => item['id'] === id)?.['state'];

beforeAll(async () => {
  world = openCliWorld();
  repository = world.repository('shop');
  const agent = world.script('agent', GOOD_AGENT);
  const config = `version: 1\nagents: {main: {command: [${agent}]}}\nagent: main\nvalidation: {commands: ["true"]}\n`;
  repository.write('.sluice/config.yaml', config);
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  expect((await sluice('trust')).code).toBe(0);
}, 300_000);

afterAll(() => world.close());

describe('a task', () => {
  it('is handed in, runs, and is closed by a word; a second one waits for approval', async () => {
    const first = await sluice('task', 'create', 'fix the parser', '--json');
    const second = await sluice('task', 'create', 'add a flag', '--needs-approval');

    expect(jsonLines(first.stdout)).toMatchObject([{ kind: 'item', project: 'shop', id: '1', verdict: 'created' }]);
    expect(second.stdout).toContain('shop-2 is in the backlog. See: sluice task show 2');
    await until(async () => (await stateOf('1')) === 'parked');
    expect(await stateOf('2')).toBe('gated');
    expect((await sluice('backlog', 'status')).stdout).toContain(
      '0 of 1 slots taken; 0 running, 0 queued, 1 to approve, 1 parked',
    );
    expect((await sluice('task', 'show', '1')).stdout).toMatch(
      /^shop-1 {2}parked: unmerged\nfix the parser\nrun {6}shop-1\nbranch {3}sluice\/task-1-fix-parser\n/,
    );
    expect((await sluice('approvals', 'list')).stdout).toContain('sluice task approve shop-2');
    expect((await sluice('status', '2')).stderr).toContain('the task shop-2 has no run yet: it is gated: start');
    expect(await sluice('task', 'approve')).toMatchObject({ code: 0, stdout: 'shop-2: it is in the queue\n' });
    await until(async () => (await stateOf('2')) === 'parked');
    expect(await sluice('task', 'done', 'parser', '-m', 'landed')).toMatchObject({
      code: 0,
      stdout: 'shop-1: it is closed, done\n',
    });
    expect(await sluice('task', 'run', '2', '-m', 'once more')).toMatchObject({
      code: 0,
      stdout: 'shop-2: it is in the queue, and goes on where its last run ended\n',
    });
    await until(async () => (await stateOf('2')) === 'parked');
    expect((await sluice('task', 'show', '2')).stdout).toMatch(/run {6}shop-2\.2\nbranch {3}sluice\/task-2-add-flag\n/);
    expect(jsonLines((await sluice('status', '2', '--json')).stdout)).toMatchObject([{ runId: 'shop-2.2' }]);
    expect(await sluice('task', 'delete', '2', '--yes')).toMatchObject({ code: 0 });
    await until(async () => (await listed()).every((item) => item['state'] === 'closed'));
  }, 300_000);

  it('is the same task under the same key', async () => {
    await sluice('backlog', 'pause');
    const once = await sluice('task', 'create', 'one', '--key', 'k', '--json');
    const twice = await sluice('task', 'create', 'one', '--key', 'k', '--json');

    expect(jsonLines(twice.stdout)[0]).toMatchObject({ id: jsonLines(once.stdout)[0]?.['id'], verdict: 'known' });
    expect((await sluice('task', 'create', 'other', '--key', 'k')).stderr).toContain('which has another text');
  });

  it('is paused, resumed and set anew, and so is the backlog', async () => {
    const [first = {}] = jsonLines((await sluice('task', 'create', 'a plan', '--json')).stdout);
    const [second = {}] = jsonLines((await sluice('task', 'create', 'its second part', '--json')).stdout);
    const [one, two] = [String(first['id']), String(second['id'])];

    expect((await sluice('task', 'pause', one, '-m', 'not today')).stdout).toBe(
      `shop-${one}: it does not start until it is resumed\n`,
    );
    expect(await stateOf(one)).toBe('queued');
    expect((await sluice('task', 'list')).stdout).toContain(`shop-${one}\tqueued: paused`);
    expect(
      (await sluice('task', 'set', two, '--after', `shop-${one}`, '--file', 'src/**', '--priority', '5')).code,
    ).toBe(0);
    const shown = (await sluice('task', 'show', two)).stdout;
    expect(shown).toContain(`priority 5\nafter    ${one}\nfiles    src/**\n`);
    expect(shown).toMatch(/queued {2}set, by \S+: priority 5; after \d+; files src/);
    expect(jsonLines((await sluice('task', 'show', one, '--json')).stdout)[0]).toMatchObject({ isHeld: true });
    expect((await sluice('backlog', 'set', '--max-concurrent', '4')).code).toBe(0);
    expect((await sluice('queue')).stdout).toContain('0 of 4 slots taken');
    expect((await sluice('queue')).stdout).toContain('set beside the config: maxConcurrent 4');
    expect((await sluice('backlog', 'set', '--as-configured')).code).toBe(0);
    expect((await sluice('queue')).stdout).toContain('0 of 1 slots taken');
    expect((await sluice('backlog', 'set', '--max-concurrent', '100')).stderr).toContain('from 1 to 16');
    expect((await sluice('backlog', 'stop')).stdout).toContain('nothing new starts until it is resumed');
    expect((await sluice('task', 'resume', one)).code).toBe(0);
    expect((await sluice('task', 'set', two, '--after', 'none', '--file', 'none')).code).toBe(0);
    for (const id of [one, two]) await sluice('task', 'delete', id, '--yes');
  }, 300_000);

  it.each([
    ['nothing to be set', ['set', '2'], 1, 'nothing is to be set'],
    ['an empty one', ['create', ''], 1, 'the task is empty'],
    ['one that is too long', ['create', 'a'.repeat(4_097)], 1, 'the task has 4097 bytes; at most 4096'],
    ['a priority that is none', ['create', 'x', '--priority', 'high'], 1, '--priority high must be an integer'],
    ['to wait for what is no task', ['create', 'x', '--after', 'parser'], 1, '--after names "parser"'],
    ['a file that is outside', ['create', 'x', '--file', '/etc'], 1, '--file names "/etc"'],
    ['a base that is not there', ['create', 'x', '--base', 'nowhere'], 1, 'there is no branch or commit "nowhere"'],
    ['a number that nobody has', ['show', '77'], 1, 'no task is called "77"'],
    ['a word to one that is closed', ['stop', '1'], 3, 'the task shop-1 did not take "stop"'],
    ['no name where none can be meant', ['approve'], 1, 'no task of this repository is gated'],
  ])('refuses %s, and says what mends it', async (_what, args, code, text) => {
    const refused = await sluice('task', ...args);

    expect(refused.code).toBe(code);
    expect(refused.stderr).toContain(text);
    expect(refused.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(5);
  });

  it('comes from a list too, and is not handed in twice', async () => {
    repository.write('list.jsonl', '{"task":"one of a list"}\n{"task":"two of a list","gate":"start","priority":3}\n');
    const first = await sluice('batch', 'list.jsonl', '--backlog', '--json');
    const again = await sluice('batch', 'list.jsonl', '--backlog', '--json');

    expect([first.code, again.code]).toEqual([0, 0]);
    const rows = ({ stdout }: typeof first) => jsonLines(stdout).at(-1)?.['rows'];
    expect(rows(first)).toMatchObject([
      { runId: expect.stringMatching(/^shop-\d+$/), state: 'handed_in', title: 'one of a list' },
      { runId: expect.stringMatching(/^shop-\d+$/), state: 'handed_in', title: 'two of a list' },
    ]);
    expect(rows(again)).toMatchObject([{ state: 'skipped' }, { state: 'skipped' }]);
    const ours = (await listed()).filter((item) => String(item['title']).endsWith('of a list'));
    expect(ours.map((item) => `${String(item['title'])}: ${String(item['state'])}`).toSorted()).toEqual([
      'one of a list: queued',
      'two of a list: gated',
    ]);
    expect((await sluice('queue')).stdout).toMatch(/shop-\d+ {2}waits for resume/);
  });

  it('is watched before it runs, and its run then', async () => {
    const [made = {}] = jsonLines((await sluice('task', 'create', 'watched from the start', '--json')).stdout);
    const id = String(made['id']);
    expect((await sluice('task', 'set', id, '--priority', '99')).code).toBe(0);
    const watching = sluice('watch', id);
    await sluice('backlog', 'set', '--order', 'priority');
    await sluice('backlog', 'resume');
    const { code, stdout, stderr } = await watching;

    expect(code).toBe(0);
    expect(stderr).toContain(`shop-${id} is queued; it is watched once it runs`);
    expect(stdout + stderr).toContain('merge_ready');
    await sluice('backlog', 'stop');
  }, 300_000);

  it('is not decided about from inside a turn', async () => {
    const refused = await world.sluice(['task', 'create', 'x'], {
      cwd: repository.path,
      env: { SLUICE_TURN: 'token' },
    });

    expect(refused.code).toBe(1);
    expect((await listed()).some((item) => item['title'] === 'x')).toBe(false);
  });
});
