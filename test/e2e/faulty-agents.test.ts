/** Agents that fail in every way: the run ends as documented, says why, and leaves no process. Exit codes are those of V-84. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trustConfig } from '../../config/home/trust.js';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

/** What a person at a screen has, and the engine that they start. */
const SCREEN = {
  BROWSER: '/usr/bin/false',
  DISPLAY: ':0',
  WAYLAND_DISPLAY: 'wayland-0',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
};

let world: CliWorld;
/** Engine, server, worker and guard. */
let atRest: readonly number[];

beforeAll(async () => {
  world = openCliWorld();
  world.script('good', GOOD_AGENT);
  const warm = world.repository('warm');
  expect(
    (
      await world.sluice(
        ['run', 'x', '--stages', 'plan-only', '--agent', 'command', '--', join(world.folder, 'bin/good')],
        {
          cwd: warm.path,
          env: SCREEN,
        },
      )
    ).code,
  ).toBe(0);
  atRest = world.living();
}, 300_000);
afterAll(() => world.close(), 120_000);

interface Ended {
  readonly code: number | null;
  readonly error: unknown;
  readonly end: Record<string, unknown>;
  readonly stderr: string;
}

let count = 0;

/** A plan-only run, so that the faulty turn is the first one. */
async function runWith(
  body: string,
  { limits = '', args = ['--stages', 'plan-only'] }: { limits?: string; args?: readonly string[] } = {},
): Promise<Ended> {
  count += 1;
  const agent = world.script(`agent-${count}`, body);
  const repository = world.repository(`r${count}`);
  const config = `version: 1\nagent: faulty\nagents:\n  faulty:\n    command: [${agent}]\n${limits === '' ? '' : `limits: { ${limits} }\n`}`;
  repository.write('.sluice/config.yaml', config);
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  await trustConfig(world.home, repository.path, config);
  const { code, stdout, stderr } = await world.sluice(['run', 'x', '--json', ...args], { cwd: repository.path });
  const end = jsonLines(stdout).at(-1) ?? {};
  return { code, error: end['error'], end, stderr };
}

const nothingElseLives = () => until(() => world.living().every((pid) => atRest.includes(pid)));

describe('a run whose agent', () => {
  it.each([
    ['exits with 1', 'cat > /dev/null; echo no luck >&2; exit 1', '', 'the agent exited with code 1: no luck'],
    ['prints nothing', 'cat > /dev/null', '', 'the agent printed nothing'],
    ['prints without end', 'yes', 'outputBytes: 1MB', 'printed more than limits.outputBytes'],
    ['kills itself', 'kill -9 $$', '', 'signal SIGKILL'],
    ['does not read its prompt', 'exit 3', '', 'the agent exited with code 3'],
  ])('%s fails with exit code 2 and says why', async (_, body, limits, why) => {
    const { code, error, end } = await runWith(body, { limits });

    expect(code).toBe(2);
    expect(end).toMatchObject({ how: 'closed', outcome: 'failed' });
    expect(error).toContain(why);
    await nothingElseLives();
  });

  it.each([
    ['is silent for too long', 'sleep 600', 'stall: 300ms, killGrace: 200ms', 'printed nothing for the stall limit'],
    ['never ends', 'while :; do echo .; sleep 0.05; done', 'turn: 400ms, killGrace: 200ms', 'ended at its time limit'],
    [
      'ignores TERM',
      "trap '' TERM; while :; do echo .; sleep 0.05; done",
      'turn: 400ms, killGrace: 200ms',
      'ended at its time limit',
    ],
  ])('%s is ended, and nothing of it lives', async (_, body, limits, why) => {
    const { code, error } = await runWith(body, { limits });

    expect(code).toBe(2);
    expect(error).toContain(why);
    await nothingElseLives();
  });

  it('leaves a setsid child behind is done all the same, and the child is gone', async () => {
    const mark = join(world.folder, 'child');

    const { code } = await runWith(
      `cat > /dev/null; setsid sh -c 'echo $$ > ${mark}; exec sleep 600' & while [ ! -s ${mark} ]; do sleep 0.02; done; echo done`,
    );

    expect(code).toBe(0);
    expect(world.living()).not.toContain(Number(readFileSync(mark, 'utf8')));
  });

  it('prints 200 MB and no more than its limit ends well, its text cut in the middle', async () => {
    const { code, end } = await runWith(
      'cat > /dev/null; head -c 190000000 /dev/zero | tr "\\\\0" x; echo; echo the end',
    );

    expect(code).toBe(0);
    const plan = readFileSync(join(String(end['runDir']), 'plan.md'), 'utf8');
    expect(plan.trimEnd().endsWith('the end')).toBe(true);
    expect(plan.length).toBeLessThan(2_000_000);
  }, 300_000);

  it('prints more than 200 MB is ended', async () => {
    const { code, error } = await runWith('cat > /dev/null; yes');

    expect(code).toBe(2);
    expect(error).toContain('limits.outputBytes');
    await nothingElseLives();
  }, 300_000);

  it('opens a browser finds no screen of its person', async () => {
    const shown = Object.keys(SCREEN).map((name) => `${name}=[$${name}]`);

    const { end } = await runWith(`cat > /dev/null; echo "${shown.join(' ')}"`);

    const plan = readFileSync(join(String(end['runDir']), 'plan.md'), 'utf8');
    expect(plan).toContain('BROWSER=[] DISPLAY=[] WAYLAND_DISPLAY=[] DBUS_SESSION_BUS_ADDRESS=[]');
  });

  it('updates itself in mid-turn is done, and its next turn starts the new program', async () => {
    const next = world.script('next-version', GOOD_AGENT);

    const { code, end } = await runWith(
      `cat > /dev/null; cp ${next} "$0.part"; mv "$0.part" "$0"; echo the old program`,
      { args: [] },
    );

    expect(readFileSync(join(String(end['runDir']), 'plan.md'), 'utf8')).toContain('the old program');
    expect(end).toMatchObject({ outcome: 'merge_ready' });
    expect(code).toBe(0);
    await nothingElseLives();
  });

  it.each([
    ['changes nothing', 'no_changes', GOOD_AGENT.replace('echo changed >> a.txt;', '')],
    ['blocks in review', 'review_blocked', GOOD_AGENT.replace('APPROVED', 'BLOCKED')],
    ['decides nothing that can be read', 'review_unreadable', GOOD_AGENT.replace(': APPROVED', ': MAYBE')],
    ['leaves a secret', 'policy_violation', GOOD_AGENT.replace('echo changed >> a.txt;', 'echo k > id_rsa;')],
    [
      'changes what steers agents',
      'guarded_paths',
      GOOD_AGENT.replace('echo changed >> a.txt;', 'echo hi > AGENTS.md;'),
    ],
  ])('%s ends blocked with exit code 3: %s', async (_, reason, body) => {
    const { code, end } = await runWith(body, { args: [] });

    expect(end['blockedReason']).toBe(reason);
    expect(code).toBe(3);
    await nothingElseLives();
  });
});
