/**
 * What every process of an engine got from the shell that started it: one with forty open files, folders, pipes and sockets, a terminal, an umask of 007,
 * ignored and blocked signals, in a folder that is gone soon after. One engine, one run inside the sandbox and one outside. Linux only.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { CLI, type CliWorld, openCliWorld } from '../support/cli-world.js';
import { FOREIGN_NUMBERS, type ForeignDescriptors, linksOf, openForeign } from '../support/foreign-descriptors.js';
import { guardPid } from '../support/guard-pid.js';
import { itInSandbox, mayTrySandbox } from '../support/it-in-sandbox.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

/** In the terms of /proc and of umask(1). */
const OWN_UMASK = '0077';
const USUAL_UMASK = '0007';

/** Bits of SigIgn and SigBlk: HUP, QUIT, USR1, TERM. */
const PLAYED_WITH = 1n | (1n << 2n) | (1n << 9n) | (1n << 14n);

const OURS = ['engine', 'server', 'worker', 'guard', 'git runner'] as const;
const THEIRS = ['setup', 'agent', 'validation'] as const;

/** The whole of /proc of itself and of whoever it descends from, as far as it may look. */
const LOOK = `out="$HOME/.looks/$1"
{
  umask; pwd -P; cut -d ' ' -f 6,7 < /proc/$$/stat; grep -E '^Sig(Ign|Blk)' /proc/self/status; env
  pid=$$
  while [ "$pid" -gt 0 ] 2> /dev/null; do
    for link in /proc/$pid/fd/*; do echo "fd $pid $(readlink "$link")"; done
    pid=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$pid/status)
  done
  ls -d /proc/[0-9]*/fd/* 2> /dev/null | while read -r link; do case $link in /proc/[12]/*) echo "fd of $link $(readlink "$link")";; esac; done
} > "$out.new" 2> /dev/null
mv "$out.new" "$out"`;

/** As an editor or a CI runner could start it. It writes what it holds before it becomes the command line. */
const STARTER = `#!/bin/bash
umask 007
trap '' HUP QUIT USR1 TERM
for number in NUMBERS; do readlink /proc/$$/fd/$number; done > HELD
cd GONE
exec env --block-signal=TERM "$@"
`;

let world: CliWorld;
let foreign: ForeignDescriptors;
/** What the links of the forty lead to. */
let held: readonly string[];
let pids: Record<(typeof OURS)[number], number>;

beforeAll(async () => {
  world = openCliWorld();
  mkdirSync(join(world.person, '.looks'));
  foreign = openForeign(join(world.folder, 'foreign'));
  await startEngine();
  for (const place of ['outside', ...(mayTrySandbox ? ['inside'] : [])]) await aRun(place);
  const engine = JSON.parse(readFileSync(join(world.home, 'engine.json'), 'utf8')) as Record<
    'engine' | 'server' | 'worker',
    { pid: number }
  >;
  const [own, server, worker] = [engine.engine.pid, engine.server.pid, engine.worker.pid];
  pids = {
    engine: own,
    server,
    worker,
    guard: guardPid(world.home),
    'git runner': childOf(worker, 'programs/git-runner.js'),
  };
}, LIMIT_MS);
afterAll(async () => {
  foreign.close();
  await world.close();
}, LIMIT_MS);

async function startEngine(): Promise<void> {
  const [gone, list] = [join(world.folder, 'gone'), join(world.folder, 'held')];
  mkdirSync(gone);
  const starter = join(world.folder, 'starter');
  const text = STARTER.replace('NUMBERS', FOREIGN_NUMBERS.join(' ')).replace('HELD', list).replace('GONE', gone);
  writeFileSync(starter, text, { mode: 0o755 });
  const line = `${starter} ${process.execPath} ${CLI} up`;
  const env = { ...world.env, WORD_OF_THE_SHELL: 'said', TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const child = spawn('sh', ['-c', 'exec script -qec "$1" /dev/null', 'sh', line], {
    cwd: world.folder,
    env,
    stdio: [...foreign.stdio],
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  for (const stream of child.stdio) stream?.destroy();
  if (code !== 0) throw new Error(`sluice up ended with ${String(code)}`);
  held = readFileSync(list, 'utf8').trim().split('\n');
  rmSync(gone, { recursive: true });
}

async function aRun(place: string): Promise<void> {
  const repository = world.repository(place);
  repository.write('look.sh', LOOK.replaceAll('$1"', `${place}-$1"`));
  const sink = world.script(`sink-${place}`, `cat > /dev/null; exec sh '${repository.path}/look.sh' sink`);
  const config = {
    version: 1,
    agent: 'good',
    agents: {
      good: {
        adapter: 'command',
        command: [world.script(`agent-${place}`, `sh ./look.sh agent\n${GOOD_AGENT}`)],
        home: ['.looks'],
      },
    },
    sandbox: place === 'inside' ? 'required' : 'off',
    sandboxHome: ['.looks'],
    worktree: { setup: ['sh ./look.sh setup'] },
    validation: { commands: ['sh ./look.sh validation'] },
    notify: [{ command: [sink] }],
  };
  repository.write('.sluice/config.yaml', JSON.stringify(config));
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  await world.sluice(['trust'], { cwd: repository.path });
  const { code, stdout, stderr } = await world.sluice(['run', 'change a.txt', '--json'], { cwd: repository.path });
  if (code !== 0) throw new Error(`the run ${place} ended with ${code}: ${stdout}${stderr}`);
  await until(() => existsSync(lookOf(`${place}-sink`)));
}

function lookOf(name: string): string {
  return join(world.person, '.looks', name);
}

interface Looked {
  readonly umask: string;
  readonly cwd: string;
  readonly session: number;
  readonly terminal: number;
  readonly signals: readonly string[];
  readonly env: readonly string[];
  readonly links: readonly string[];
}

/** As the script of that process wrote it down. */
function looked(name: string): Looked {
  const [umask = '', cwd = '', stat = '', ...rest] = readFileSync(lookOf(name), 'utf8').trim().split('\n');
  const [session, terminal] = stat.split(' ').map(Number);
  return {
    umask,
    cwd,
    session: session ?? -1,
    terminal: terminal ?? -1,
    signals: rest.filter((line) => line.startsWith('Sig')),
    env: rest.filter((line) => /^\w+=/.test(line)),
    links: rest.filter((line) => line.startsWith('fd ')),
  };
}

/** From outside, for what runs no script of a test. */
function lookedAt(pid: number): Looked {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1').split('\n');
  const [, , , session, terminal] = (readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1) ?? '')
    .split(' ')
    .map(Number);
  return {
    session: session ?? -1,
    terminal: terminal ?? -1,
    cwd: readlinkSync(`/proc/${pid}/cwd`),
    umask: status.find((line) => line.startsWith('Umask:'))?.slice(7) ?? '',
    // Go blocks signals in threads of its own.
    signals: status.filter((line) => line.startsWith('SigIgn')),
    env: readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean),
    links: [...linksOf(pid).values()],
  };
}

function childOf(parent: number, word: string): number {
  const found = readdirSync('/proc').filter((name) => {
    try {
      return (
        readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(word) &&
        readFileSync(`/proc/${name}/stat`, 'latin1').includes(` ${parent} `)
      );
    } catch {
      return false;
    }
  });
  return Number(found[0]);
}

/** Those of the forty that stand in lines of links. */
function foreignIn(links: readonly string[]): readonly string[] {
  const sockets = held.filter((link) => link.startsWith('socket:'));
  return links.filter((link) => link.includes(foreign.word) || sockets.some((socket) => link.endsWith(socket)));
}

function playedWith(signals: readonly string[]): readonly string[] {
  return signals.filter((line) => (BigInt(`0x${line.replace(/^\w+:\s*/, '')}`) & PLAYED_WITH) !== 0n);
}

describe('the shell that starts an engine', () => {
  it('has forty foreign descriptors open', () => {
    expect(foreignIn(held)).toHaveLength(FOREIGN_NUMBERS.length);
    expect(existsSync(join(world.folder, 'gone'))).toBe(false);
  });
});

describe.each(OURS)('%s', (name) => {
  const look = () => lookedAt(pids[name]);

  it('holds no descriptor of that shell', () => {
    expect(foreignIn(look().links)).toEqual([]);
  });

  it('has no terminal, no signal that is ignored or blocked for it, a folder that is ours, and an umask of 077', () => {
    const { terminal, signals, cwd, umask } = look();

    expect({ terminal, umask, played: playedWith(signals) }).toEqual({ terminal: 0, umask: OWN_UMASK, played: [] });
    expect(['/', world.home]).toContain(cwd);
  });
});

describe('the environment', () => {
  const namesOf = (name: (typeof OURS)[number]) => lookedAt(pids[name]).env.map((line) => line.split('=')[0] ?? '');

  it('of guard and git runner is empty, that of the server has nothing but what a program of the system needs', () => {
    expect([...namesOf('guard'), ...namesOf('git runner')].filter((name) => !name.startsWith('NODE_CHANNEL_'))).toEqual(
      [],
    );
    expect(namesOf('server').toSorted()).toEqual(['HOME', 'PATH', 'TMPDIR', 'USER']);
  });

  it('of engine and worker is the shell’s, which passEnv picks from, without what leads Temporal elsewhere', () => {
    for (const name of ['engine', 'worker'] as const) {
      expect(namesOf(name)).toContain('WORD_OF_THE_SHELL');
      expect(lookedAt(pids[name]).env).not.toContain('TEMPORAL_ADDRESS=127.0.0.1:1');
    }
  });
});

describe.each(['outside', 'inside'])('%s the sandbox', (place) => {
  const inPlace = place === 'inside' ? itInSandbox : it;

  inPlace.each([...THEIRS, 'sink'])('the %s and what it descends from hold no descriptor of that shell', (name) => {
    const { links } = looked(`${place}-${name}`);

    expect(links.length).toBeGreaterThan(2);
    expect(foreignIn(links)).toEqual([]);
  });

  inPlace.each([...THEIRS, 'sink'])(
    'the %s has the umask of that shell, no terminal, no ignored or blocked signal and no word of that environment',
    (name) => {
      const { umask, terminal, session, signals, env } = looked(`${place}-${name}`);

      expect({ umask, terminal, played: playedWith(signals) }).toEqual({ umask: USUAL_UMASK, terminal: 0, played: [] });
      expect(session).not.toBe(lookedAt(pids.guard).session);
      expect(env.filter((line) => line.startsWith('WORD_OF_THE_SHELL'))).toEqual([]);
    },
  );
});
