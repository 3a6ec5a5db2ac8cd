/**
 * What a sandbox stops, tried by a command in a real one, under a real guard: each attack of docs/security.md that is only told, seen or redacted without it.
 * Bubblewrap must be there and must work; elsewhere the tests are skipped and say so, but not in CI where it is there.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { refusedHosts } from '../../../activities/sandbox/refused-hosts.js';
import { itInSandbox as it, mayTrySandbox } from '../../support/it-in-sandbox.js';
import { itWhere } from '../../support/it-where.js';
import { until } from '../../support/until.js';
import { removeFolders } from '../git/repository-fixture.js';
import { type CopiedGuard, copyGuard, lives } from '../process/guarded-home.js';
import {
  AGENT,
  endedOf,
  livingWith,
  openSandboxedHost,
  runAsUser,
  type SandboxedHost,
} from '../sandbox/sandboxed-host.js';

const LIMIT_MS = 300_000;

const isRoot = process.getuid?.() === 0;

const [KERNEL = 0, PATCH = 0] = release().split('.').map(Number);
const COUNTS_TASKS = KERNEL > 5 || (KERNEL === 5 && PATCH >= 14);

let guard: CopiedGuard;
let host: SandboxedHost;
let port: number;

beforeAll(async () => {
  if (!mayTrySandbox) return;
  guard = copyGuard();
  host = await openSandboxedHost(guard);
  port = await host.listen();
}, LIMIT_MS);
afterAll(async () => {
  if (!mayTrySandbox) return;
  await host.close();
  guard.close();
  removeFolders();
}, LIMIT_MS);

/** Speaks HTTP to a port and prints the status line, or `refused`. */
const ask = (address: string, at: number | string) =>
  `node -e 'const s = require("net").connect(${at}, "${address}"); s.on("connect", () => s.write("GET / HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n")); s.on("data", (d) => { console.log(String(d).split("\\r\\n")[0]); s.destroy() }); s.on("error", () => console.log("refused"))'`;

/** Asks the proxy of the environment for a host, and prints what it says. */
const viaProxy = (authority: string) =>
  `node -e 'const p = new URL(process.env.HTTPS_PROXY); const s = require("net").connect(p.port, p.hostname); s.write("CONNECT ${authority} HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n"); s.once("data", (d) => { console.log(String(d).split("\\r\\n")[0]); s.destroy() })'`;

describe('a command in a sandbox', () => {
  it('works in its checkout, with its exit code, its output and its environment', async () => {
    const { exit, stdout, stderr } = await host.inside(
      'echo said; echo told >&2; echo $WORD > new.txt; cat a.txt; exit 7',
      {
        env: { WORD: 'hello' },
      },
    );

    expect(exit).toMatchObject({ reason: 'exited', exitCode: 7 });
    expect(stdout).toBe('said\none\n');
    expect(stderr).toBe('told\n');
    expect(readFileSync(join(host.worktree, 'new.txt'), 'utf8')).toBe('hello\n');
  });

  it('writes nothing outside of it: not the checkout of the person, not HOME, not the system', async () => {
    // A folder in memory takes what is written, and it is gone with it: HOME, and what lies in /tmp here.
    const inMemory = [host.repository, host.person, dirname(host.worktree), '/tmp'];
    const system = ['/', '/usr', '/usr/local/bin', '/etc', '/opt', '/run/sluice', '/proc/sys/kernel'];
    const places = [...inMemory, ...system];
    const { stdout } = await host.inside(
      places.map((place) => `(echo x > '${place}/sluice-was-here') 2>/dev/null && echo '${place}'`).join('; '),
    );

    expect(stdout.split('\n').filter((place) => system.includes(place))).toEqual([]);
    for (const place of places) expect(existsSync(join(place, 'sluice-was-here'))).toBe(false);
  });

  it('reads neither sluice home, nor another worktree, nor the checkout of the person, nor their keys and logins', async () => {
    const other = join(dirname(host.worktree), 'run-2');
    mkdirSync(other);
    writeFileSync(join(other, 'secret.txt'), 'secret of another run\n');
    writeFileSync(join(host.home, 'trust.json'), '{"secret":1}');
    const { stdout } = await host.inside(
      `for d in '${host.home}' '${dirname(host.worktree)}' '${host.repository}' "$HOME"; do echo "$d:"; ls -A "$d"; done; cat '${host.run.stateDir}/run.json' '${other}/secret.txt' "$HOME/.ssh/id_rsa" "$HOME/.config/gh/hosts.yml" /etc/shadow 2>/dev/null; grep -rl secret '${host.home}' "$HOME" 2>/dev/null`,
    );

    expect(stdout).toBe(
      [
        `${host.home}:`,
        'worktrees',
        `${dirname(host.worktree)}:`,
        'run-1',
        `${host.repository}:`,
        '.git',
        `${host.person}:`,
        '',
      ].join('\n'),
    );
  });

  it('sees no file that an argument names which is not of its config', async () => {
    const secret = join(host.person, '.ssh/id_rsa');
    const named = { ...AGENT, args: [join(host.person, '.config/gh/hosts.yml')] };
    const { stdout } = await host.inside(secret, {
      agent: named,
      argv: ['/bin/cat', secret, join(host.person, '.config/gh/hosts.yml')],
    });

    // Its person named the one in the config of the agent.
    expect(stdout).toBe('secret of .config/gh/hosts.yml\n');
  });

  it('has of HOME what its agent needs, to read and write, and no more', async () => {
    const { stdout } = await host.inside('ls -A "$HOME"; cat "$HOME/.robot/login"; echo new > "$HOME/.robot/session"', {
      agent: AGENT,
    });

    expect(stdout).toBe('.robot\nsecret of .robot/login\n');
    expect(readFileSync(join(host.person, '.robot/session'), 'utf8')).toBe('new\n');
  });

  it('has the login that a variable names, what steers the CLI there to read, and a file that the variable of its agent names', async () => {
    const login = join(dirname(host.person), 'login');
    const settings = join(dirname(host.person), 'provider.json');
    mkdirSync(login);
    for (const name of ['auth.json', 'config.toml']) writeFileSync(join(login, name), 'mine\n');
    writeFileSync(settings, 'provider\n');
    const { stdout } = await host.inside(
      `cd '${login}' && cat auth.json && echo new > next && mv next auth.json; (echo evil > config.toml) 2>/dev/null || echo kept; cat '${settings}'; (echo evil > '${settings}') 2>/dev/null || echo kept; ls -A "$HOME"`,
      { agent: { ...AGENT, adapter: 'codex', env: { PROVIDER_FILE: settings } }, env: { CODEX_HOME: login } },
    );

    expect(stdout).toBe('mine\nkept\nprovider\nkept\n.robot\n');
    expect(readFileSync(join(login, 'auth.json'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(login, 'config.toml'), 'utf8')).toBe('mine\n');
    expect(readFileSync(settings, 'utf8')).toBe('provider\n');
  });

  it('keeps the conversations of a CLI that was never started before, and of what it writes beside its config nothing', async () => {
    const config = join(host.person, '.config/opencode');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'opencode.json'), '{}');
    const { stdout } = await host.inside(
      [
        'cd "$HOME/.config/opencode"; cat opencode.json; echo "*" > .gitignore && cat .gitignore',
        '(echo evil > opencode.json) 2>/dev/null || echo kept; echo said > "$HOME/.local/share/opencode/session"',
      ].join('; '),
      { agent: { ...AGENT, adapter: 'opencode' } },
    );

    expect(stdout).toBe('{}*\nkept\n');
    expect(readdirSync(config)).toEqual(['opencode.json']);
    expect(readFileSync(join(config, 'opencode.json'), 'utf8')).toBe('{}');
    expect(readFileSync(join(host.person, '.local/share/opencode/session'), 'utf8')).toBe('said\n');
  });

  it('has the .git file of its worktree to read: it is not written, replaced, removed or moved, and git works all the same', async () => {
    const path = join(host.worktree, '.git');
    const before = readFileSync(path, 'utf8');
    const { stdout } = await host.inside(
      [
        'for t in "echo gitdir: /x > .git" "rm -f .git" "mv .git moved" "echo x > n && mv -f n .git" "ln -sf /x .git" "umount .git" "rm -rf . .git"',
        'do sh -c "$t" 2> /dev/null; cat .git; done | sort -u; rm -f n moved; git rev-parse --abbrev-ref HEAD; git checkout -q -- .; git status --short | grep -v new.txt',
      ].join('; '),
    );

    expect(stdout).toBe(`${before}sluice/run-1\n`);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('sees a git that it can use as it likes: it commits, hooks and configures, and the repository stays as it is, its token unseen', async () => {
    const before = execFileSync('git', ['-C', host.repository, 'for-each-ref'], { encoding: 'utf8' });
    const config = readFileSync(join(host.repository, '.git/config'), 'utf8');
    const { exit, stdout } = await host.inside(
      [
        'set -e; git status --short; git log --oneline | wc -l; git branch --show-current',
        'echo two >> a.txt; git add -A; git commit -q -m "by the agent"; git branch mine; git log --format=%an -1',
        'git config core.fsmonitor evil; D=$(git rev-parse --git-common-dir); mkdir -p "$D/hooks"; echo evil > "$D/hooks/post-checkout"',
        'rm -rf "$D/objects/pack"; git gc -q 2>/dev/null || true; cat "$D/config"',
      ].join('; '),
    );

    expect(exit.exitCode).toBe(0);
    expect(stdout).toMatch(/^\?\? new\.txt\n1\nsluice\/run-1\n.+\n/);
    expect(stdout).not.toContain('token-of-ada');
    expect(execFileSync('git', ['-C', host.repository, 'for-each-ref'], { encoding: 'utf8' })).toBe(before);
    expect(readFileSync(join(host.repository, '.git/config'), 'utf8')).toBe(config);
    expect(existsSync(join(host.repository, '.git/hooks/post-checkout'))).toBe(false);
    expect(
      execFileSync('git', ['-C', host.repository, 'fsck'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ).toBe('');
    expect(readFileSync(join(host.worktree, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('reaches no port of this machine and no socket of guard or engine', async () => {
    const { stdout } = await host.inside(
      [
        ask('127.0.0.1', port),
        viaProxy(`127.0.0.1:${port}`),
        viaProxy(`localhost:${port}`),
        `ls '${host.home}'/*.sock`,
        'cat /proc/net/unix | grep -c guard',
      ].join('; '),
    );

    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
    expect(stdout).toBe('refused\nHTTP/1.1 403 Forbidden\nHTTP/1.1 403 Forbidden\n0\n');
  });

  it('reaches no host that is not on the list, which is told with its name', async () => {
    const { stdout, dir } = await host.inside(
      `${viaProxy('evil.example:443')}; ${viaProxy('registry.npmjs.org:80')}; ${viaProxy('169.254.169.254:80')}; getent hosts example.com || echo nobody`,
    );

    expect(stdout).toBe('HTTP/1.1 403 Forbidden\nHTTP/1.1 403 Forbidden\nHTTP/1.1 403 Forbidden\nnobody\n');
    expect(refusedHosts([dir], { what: 'the executing agent', seq: 3 })).toMatchObject([
      {
        type: 'network.refused',
        data: { seq: 3, hosts: ['evil.example:443', 'registry.npmjs.org:80', '169.254.169.254:80'] },
      },
    ]);
  });

  it('sees no process but its own, kills none, and reads no environment of the worker', async () => {
    const pids = [process.pid, host.guardPid()];
    const { stdout } = await host.inside(
      `for p in ${pids.join(' ')}; do kill -9 $p 2>/dev/null && echo killed; done; ls /proc | grep -c '^[0-9]'; kill -9 -1`,
    );

    expect(stdout).not.toContain('killed');
    expect(Number(stdout.trim().split('\n')[0])).toBeLessThan(12);
    for (const pid of pids) expect(lives(pid)).toBe(true);
  });

  it('leaves no daemon, not even one that takes the turn tag and the limit mark off', async () => {
    const mark = `daemon-${Date.now()}`;
    const { exit } = await host.inside(
      `env -i setsid prlimit --msgqueue=4096:4096 sh -c ': ${mark}; echo up > up; trap "" TERM HUP; while :; do sleep 1; done' > /dev/null 2>&1 & while [ ! -s up ]; do sleep 0.02; done; exit 0`,
    );

    expect(exit).toMatchObject({ reason: 'exited', exitCode: 0 });
    expect(livingWith(mark)).toEqual([]);
  });

  it('leaves nothing alive either where its outer program is killed and no guard looks', async () => {
    const mark = `orphan-${Date.now()}`;
    const { spec, hooks } = host.enter(
      `: ${mark}; env -i setsid sh -c ': ${mark}; while :; do sleep 1; done' & echo up > orphan; while :; do sleep 1; done`,
    );
    await hooks.prepare();
    const outer = spawn(process.execPath, [guard.sandbox.main, spec.dir], { env: { ...spec.env }, stdio: 'ignore' });
    await until(() => existsSync(join(host.worktree, 'orphan')));

    outer.kill('SIGKILL');

    await until(() => livingWith(mark).length === 0);
  });

  it('has no rights to take: no mount, no other user, no setting of the kernel', async () => {
    const { stdout } = await host.inside(
      'mount -t tmpfs x /tmp 2>/dev/null && echo mounted; mount -o remount,rw /usr 2>/dev/null && echo remounted; for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/irq/default_smp_affinity; do [ -w $f ] && echo $f; done; unshare -rm sh -c "mount -o remount,rw,bind /usr && echo again; umount /usr && echo off" 2>/dev/null; grep CapEff /proc/self/status',
    );

    expect(stdout.replace(/\s+/g, ' ').trim()).toBe('CapEff: 0000000000000000');
  });

  it('tells by 128 and its number the signal that ended it, and by 127 a program that is not there', async () => {
    expect((await host.inside('kill -SEGV $$')).exit.exitCode).toBe(139);
    expect((await host.inside('nothing-of-that-name')).exit.exitCode).toBe(127);
  });

  it('ends by itself when it is asked to, and not with the sandbox over its head', async () => {
    const abort = new AbortController();
    const { spec, hooks } = host.enter(`trap 'echo ended; exit 3' TERM; echo up > began; while :; do sleep 0.05; done`);
    const run = host.processes.run(spec, { ...hooks, cancel: abort.signal });
    await until(() => existsSync(join(host.worktree, 'began')));

    abort.abort();

    const end = await run;
    expect(end).toMatchObject({ kind: 'ended', exit: { reason: 'aborted', exitCode: 3 } });
    expect(readFileSync(join(spec.dir, 'stdout'), 'utf8')).toBe('ended\n');
  });

  it('is killed with all that it started when it does not end, and nothing of it lives', async () => {
    const mark = `stubborn-${Date.now()}`;
    const { spec, hooks } = host.enter(
      `: ${mark}; trap "" TERM; setsid sh -c ': ${mark}; trap "" TERM; while :; do sleep 1; done' & echo up > stubborn; while :; do sleep 1; done`,
      {
        limits: { killGraceMs: 300 },
      },
    );
    const abort = new AbortController();
    const run = host.processes.run(spec, { ...hooks, cancel: abort.signal });
    await until(() => existsSync(join(host.worktree, 'stubborn')));

    abort.abort();

    expect(await run).toMatchObject({ exit: { reason: 'aborted' } });
    expect(livingWith(mark)).toEqual([]);
    expect(livingWith(spec.dir)).toEqual([]);
  });
});

describe('the network of a sandbox', () => {
  it(
    'leads to an address of this machine that its person listed, at the same place and by the proxy, also after the worker was started anew',
    async () => {
      const own = await openSandboxedHost(guard, { allow: [`127.0.0.1:${port}`] });
      try {
        const { spec, hooks } = own.enter(
          `${ask('127.0.0.1', port)}; touch first; while [ ! -e go ]; do sleep 0.05; done; ${ask('127.0.0.1', port)}; ${viaProxy(`127.0.0.1:${port}`)}`,
        );
        const detach = new AbortController();
        const first = own.processes
          .run(spec, { ...hooks, detach: detach.signal })
          .catch((error: unknown) => String(error));
        await until(() => existsSync(join(own.worktree, 'first')));
        detach.abort();
        expect(await first).toContain('Detached');
        await own.processes.close();

        const second = await own.connect();
        const prepared: string[] = [];
        const run = second.run(spec, { ...hooks, prepare: async () => void prepared.push('again') });
        writeFileSync(join(own.worktree, 'go'), '');
        const end = await run;

        expect(prepared).toEqual([]);
        expect(end.kind === 'ended' ? endedOf(end.exit, spec.dir).stdout : end.kind).toBe(
          'HTTP/1.1 200 OK\nHTTP/1.1 200 OK\nHTTP/1.1 200 Connection established\n',
        );
      } finally {
        await own.close();
      }
    },
    LIMIT_MS,
  );

  it.each([
    ['off', 'refused\nnone\n'],
    ['on', 'HTTP/1.1 200 OK\nnone\n'],
  ] as const)('%s: a port of this machine is %j', async (network, said) => {
    const own = await openSandboxedHost(guard, { network });
    try {
      const { stdout } = await own.inside(`${ask('127.0.0.1', port)}; echo \${HTTPS_PROXY:-none}`);
      expect(stdout).toBe(said);
    } finally {
      await own.close();
    }
  });
});

describe('a check in a sandbox', () => {
  it('runs in the validation checkout, whose git has the objects of the repository to read', async () => {
    const own = await openSandboxedHost(guard, { network: 'off' });
    try {
      const { checkout } = await own.validationCheckout();
      const { exit, stdout } = await own.inside(
        'git log --format=%s; git status --short; cat a.txt; echo x > built.log; ls -A ..',
        {
          cwd: checkout,
        },
      );

      expect(stdout).toBe('First commit\none\nrun-1+validation\n');
      expect(exit.exitCode).toBe(0);
      expect(existsSync(join(checkout, 'built.log'))).toBe(true);
    } finally {
      await own.close();
    }
  });
});

describe('an ordinary user', () => {
  const asUser =
    mayTrySandbox && !isRoot
      ? itWhere(false, 'the sandbox of another user needs root; the tests above ran as an ordinary one')
      : it;

  asUser('gets the same sandbox', async () => {
    const own = await openSandboxedHost(guard);
    await own.close();
    const line = `id -u; echo x > new.txt; cat "$HOME/.robot/login"; ls -A '${own.home}'; cat "$HOME/.ssh/id_rsa" 2>/dev/null; ${ask('127.0.0.1', port)}; ${viaProxy('evil.example:443')}; git add -A && git commit -q -m x && git log --oneline | wc -l; exit 9`;

    const { code, output } = await runAsUser(65_534, own, guard.sandbox, line);

    expect(output).toBe('65534\nsecret of .robot/login\nworktrees\nrefused\nHTTP/1.1 403 Forbidden\n2\n');
    expect(code).toBe(9);
    expect(existsSync(join(own.worktree, 'new.txt'))).toBe(true);
  });

  const limitTest =
    mayTrySandbox && isRoot && !COUNTS_TASKS
      ? itWhere(false, 'this kernel (before 5.14) counts no processes by namespace')
      : asUser;

  limitTest(
    'with a fork bomb has 4096 processes at a time, in namespaces of its own too, and cannot raise that',
    async () => {
      const own = await openSandboxedHost(guard);
      await own.close();
      // Each waits for what nobody writes; of the number that is printed last the next could not be started. The end of the sandbox ends them all.
      const bomb =
        'mkfifo f; exec 3<>f; i=0; while [ $i -lt 6000 ]; do { read _ <&3; } & i=$((i+1)); echo $i > n; done';
      const limits = `grep -o 'Max processes *[0-9]* *[0-9]*' /proc/self/limits; (ulimit -p 5000) 2>/dev/null && echo raised`;
      const nested = "$(unshare -U -r true 2>/dev/null && echo 'unshare -U -r')";
      const line = `${limits}; ${nested} sh -c '${bomb}' 2>/dev/null; read n < n; [ "$n" -gt 3900 ] && [ "$n" -le 4096 ] && echo held || echo "$n"`;

      const { output } = await runAsUser(65_534, own, guard.sandbox, line);

      expect(output.replaceAll(/ +/g, ' ')).toBe('Max processes 4096 4096\nheld\n');
    },
    LIMIT_MS,
  );
});
