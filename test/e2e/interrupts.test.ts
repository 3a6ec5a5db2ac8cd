/** Signals at each moment of `sluice run`: before the start nothing is left, after it the run goes on. Exit 130 either way. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureHome } from '../../config/home/home.js';
import { trustConfig } from '../../config/home/trust.js';
import { type CliRepository, GOOD_AGENT, UNTOUCHED } from '../support/cli-repository.js';
import { CLI, type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let world: CliWorld;
let agent: string;

beforeAll(() => {
  world = openCliWorld();
  // Held in planning until the file of its own repository is there.
  agent = world.script(
    'held',
    GOOD_AGENT.replace('case $SLUICE_STAGE', 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done\ncase $SLUICE_STAGE'),
  );
});
afterAll(() => world.close(), 120_000);

const runArgs = (...options: readonly string[]) => ['run', 'add a line', ...options, '--agent', 'command', '--', agent];
const agentStarts = () =>
  existsSync(join(world.person, 'agent.txt'))
    ? readFileSync(join(world.person, 'agent.txt'), 'utf8').trim().split('\n').length
    : 0;

describe('a signal to sluice run', () => {
  it.each(SIGNALS)('while it waits for its task: %s leaves nothing', async (signal) => {
    const repository = world.repository(`early ${signal}`);
    const child = world.program(
      [process.execPath, '--import', holdOpen(), ...cliWords(['run', '--agent', 'command', '--', agent])],
      {
        cwd: repository.path,
      },
    );

    await child.prints('ready for a signal');
    child.process.kill(signal);
    const { code, stderr } = await child.done;

    expect(code).toBe(130);
    expect(stderr).toContain('Nothing was started.');
    expect(repository.traces()).toEqual(UNTOUCHED);
    expect(existsSync(world.home)).toBe(false);
  });

  it('while the engine starts: SIGINT starts no run, and the engine stays usable', async () => {
    const repository = world.repository('engine');
    const child = world.start(runArgs(), { cwd: repository.path });

    await child.prints('starting the local engine');
    child.process.kill('SIGINT');
    const { code, stderr } = await child.done;

    expect(code).toBe(130);
    expect(stderr).toContain('Nothing was started.');
    expect((await world.sluice(['up'])).code).toBe(0);
    expect((await world.sluice(['list', '--json'])).stdout).toBe('');
    expect(repository.traces()).toEqual(UNTOUCHED);
  }, 300_000);

  describe('in mid-turn', () => {
    let repository: CliRepository;
    const runIds: string[] = [];

    it.each(SIGNALS)(
      '%s detaches and says how to come back; the run goes on',
      async (signal) => {
        repository = world.repository(`middle ${signal}`);
        const starts = agentStarts();
        const child = world.start(runArgs('--run-id', `held-${signal}`), { cwd: repository.path });

        await until(() => agentStarts() > starts);
        child.process.kill(signal);
        const { code, stderr } = await child.done;
        runIds.push(`held-${signal}`);

        expect(code).toBe(130);
        expect(stderr).toContain(`sluice watch held-${signal}`);
        const { stdout } = await world.sluice(['status', `held-${signal}`, '--json'], { cwd: repository.path });
        expect(JSON.parse(stdout)).toMatchObject({ status: 'planning' });
      },
      120_000,
    );

    it('and each of them ends as if nobody had gone away, every agent started once', async () => {
      writeFileSync(join(world.person, 'go'), '');

      const ends = await Promise.all(runIds.map((runId) => world.sluice(['watch', runId, '--json'])));

      expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(ends.map(({ stdout }) => jsonLines(stdout).at(-1)?.['outcome'])).toEqual([
        'merge_ready',
        'merge_ready',
        'merge_ready',
      ]);
      expect(agentStarts()).toBe(3 * 5);
    }, 120_000);
  });

  it('at the end: SIGTERM after the last event does not change how the run came out', async () => {
    const repository = world.repository('late');
    const child = world.start(runArgs('--run-id', 'late'), { cwd: repository.path });

    await child.prints(' merge_ready\n');
    child.process.kill('SIGTERM');
    const { code } = await child.done;
    const { stdout } = await world.sluice(['watch', 'late', '--json']);

    expect([0, 130]).toContain(code);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ outcome: 'merge_ready' });
  }, 300_000);
});

describe('sluice down', () => {
  let repository: CliRepository;
  let holding: string;

  beforeAll(() => {
    repository = world.repository('down');
    holding = world.script(
      'holding',
      GOOD_AGENT.replace('case $SLUICE_STAGE', 'while [ ! -e "$HOME/go-on" ]; do sleep 0.05; done\ncase $SLUICE_STAGE'),
    );
  });
  const start = (runId: string) =>
    world.sluice(['run', 'x', '--detach', '--run-id', runId, '--agent', 'command', '--', holding], {
      cwd: repository.path,
    });

  it('waits for a live turn, takes what is sent meanwhile, and then leaves nothing; the run goes on at the next up', async () => {
    const starts = agentStarts();
    await start('waited');
    await until(() => agentStarts() > starts);

    const down = world.start(['down']);
    await down.prints('waiting for 1 running turn');
    const { stdout } = await world.sluice(['resume', 'waited'], { cwd: repository.path });
    expect(stdout).toContain('resume queued for waited');
    writeFileSync(join(world.person, 'go-on'), '');

    expect((await down.done).code).toBe(0);
    await until(() => world.living().length === 0);
    await world.sluice(['up']);
    expect((await world.sluice(['watch', 'waited', '--json'])).code).toBe(0);
    expect(agentStarts()).toBe(starts + 5);
  }, 300_000);

  it.each(['executing', 'validating'])(
    'with --now in mid-stage %s starts it again at the next up, and the run ends as if nothing had happened',
    async (stage) => {
      const ledger = join(world.person, `${stage}.txt`);
      const go = join(world.person, `${stage}-again`);
      const held = world.script(`held-${stage}`, `echo START >> '${ledger}'; [ -e '${go}' ] || sleep 600`);
      const worker = world.script(
        `worker-${stage}`,
        stage === 'executing' ? GOOD_AGENT.replace('executing)', `executing) ${held};`) : GOOD_AGENT,
      );
      const own = world.repository(`down ${stage}`);
      const config = `version: 1\nvalidation:\n  commands: ["${stage === 'validating' ? held : 'grep -q changed a.txt'}"]\n`;
      own.write('.sluice/config.yaml', config);
      await trustConfig(ensureHome(world.home).root, own.path, config);
      const runId = `cut-${stage}`;
      const run = ['run', 'x', '--detach', '--run-id', runId, '--agent', 'command', '--', worker];
      expect(await world.sluice(run, { cwd: own.path })).toMatchObject({ code: 0 });
      await until(() => existsSync(ledger));

      expect(await world.sluice(['down', '--now'])).toMatchObject({ code: 0 });
      writeFileSync(go, '');
      await world.sluice(['up']);

      const { stdout } = await world.sluice(['watch', runId, '--json'], { cwd: own.path });
      expect(jsonLines(stdout).at(-1)).toMatchObject({ outcome: 'merge_ready', error: null });
      expect(readFileSync(ledger, 'utf8')).toBe('START\nSTART\n');
    },
    120_000,
  );

  it('ends it with --now, and nothing of it lives', async () => {
    const endless = world.script('endless', 'cat > /dev/null; echo $$ > "$HOME/endless"; exec sleep 600');
    await world.sluice(['run', 'x', '--detach', '--run-id', 'ended', '--agent', 'command', '--', endless], {
      cwd: repository.path,
    });
    await until(() => existsSync(join(world.person, 'endless')));

    const { code } = await world.sluice(['down', '--now']);

    expect(code).toBe(0);
    await until(() => world.living().length === 0);
  }, 300_000);
});

function cliWords(args: readonly string[]): string[] {
  return [CLI, ...args];
}

/** A standard input that never ends, and a word when the command listens for signals and reads it. */
function holdOpen(): string {
  const source = `
    import { PassThrough } from 'node:stream';
    Object.defineProperty(process, 'stdin', { value: new PassThrough() });
    const alive = setInterval(() => {
      if (process.listenerCount('SIGTERM') > 0 && process.stdin.listenerCount('readable') + process.stdin.listenerCount('data') + process.stdin.listenerCount('end') > 0) {
        clearInterval(alive);
        setInterval(() => {}, 1000);
        process.stderr.write('ready for a signal\\n');
      }
    }, 20);`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
