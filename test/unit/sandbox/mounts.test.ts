/** From what a command needs to what it sees: the order of the mounts and the arguments of bubblewrap, without starting one. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bwrapArguments } from '../../../activities/sandbox/bwrap-arguments.js';
import { homePlace, makeOwnFolder, placesIn, shownPlace } from '../../../activities/sandbox/home-place.js';
import { readablePlaces } from '../../../activities/sandbox/host-view.js';
import { needsOfAgent, ownPlacesOf } from '../../../activities/sandbox/known-needs.js';
import { planMounts, type SandboxNeeds } from '../../../activities/sandbox/plan-mounts.js';
import type { Mount, SandboxSpec } from '../../../activities/sandbox/sandbox-spec.js';
import type { AgentConfig } from '../../../protocol/run/policy.js';
import { tempFolder } from '../../support/temp-folder.js';

const folder = tempFolder();

const NEEDS: SandboxNeeds = {
  system: [{ kind: 'read', from: '/usr', to: '/usr' }],
  home: '/home/ada',
  hidden: ['/home/ada/.sluice', '/home/ada/project'],
  readable: [],
  homeWritable: ['/home/ada/.claude'],
  homeScratch: ['/home/ada/.config/cli'],
  homeReadable: ['/home/ada/.claude/settings.json', '/home/ada/.config/cli/cli.json'].map((path) => ({
    from: path,
    to: path,
  })),
  programs: [],
  git: [{ kind: 'empty', to: '/home/ada/project/.git' }],
  overCheckout: [],
  linked: ['/home/ada/project/node_modules'],
  checkout: '/home/ada/.sluice/worktrees/k/run-1',
};

const at = (mounts: readonly Mount[], to: string) => mounts.findIndex((mount) => mount.to === to);

describe('what a command sees', () => {
  it('is laid in an order in which what hides lies over what shows, and what it needs over what hides', () => {
    const mounts = planMounts({ ...NEEDS, readable: [{ from: '/home/ada/.sluice', to: '/home/ada/.sluice' }] });

    const hides = mounts.findIndex((mount) => mount.kind === 'empty' && mount.to === '/home/ada/.sluice');
    expect(at(mounts, '/home/ada')).toBeLessThan(at(mounts, '/home/ada/.sluice'));
    expect(at(mounts, '/home/ada/.sluice')).toBeLessThan(hides);
    expect(hides).toBeLessThan(at(mounts, NEEDS.checkout));
    expect(at(mounts, '/home/ada/.claude')).toBeLessThan(at(mounts, '/home/ada/.claude/settings.json'));
    expect(mounts[at(mounts, '/home/ada/.config/cli')]?.kind).toBe('empty');
    expect(at(mounts, '/home/ada/.config/cli')).toBeLessThan(at(mounts, '/home/ada/.config/cli/cli.json'));
    expect(mounts.at(-1)).toEqual({ kind: 'write', from: NEEDS.checkout, to: NEEDS.checkout });
  });

  it('can be written in the checkout and the folders of HOME that were named, nowhere else', () => {
    expect(planMounts(NEEDS).flatMap((mount) => (mount.kind === 'write' ? [mount.from] : []))).toEqual([
      '/home/ada/.claude',
      NEEDS.checkout,
    ]);
  });

  it('has a file of a folder that can be written in that folder, where it can be renamed over', () => {
    const mounts = planMounts({ ...NEEDS, homeWritable: ['/srv/login/.claude.json', '/srv/login', '/srv/login-2'] });

    expect(mounts.flatMap((mount) => (mount.kind === 'write' ? [mount.from] : []))).toEqual([
      '/srv/login',
      '/srv/login-2',
      NEEDS.checkout,
    ]);
  });

  it('cannot write the program that it starts, though it lies in a folder that it may write', () => {
    const programs = [{ from: '/home/ada/.claude/local/claude', to: '/home/ada/.claude/local/claude' }];
    const mounts = planMounts({ ...NEEDS, programs: [...programs, { from: '/opt/x', to: '/opt/x' }] });

    expect(at(mounts, '/home/ada/.claude')).toBeLessThan(at(mounts, '/home/ada/.claude/local/claude'));
    expect(mounts[at(mounts, '/home/ada/.claude/local/claude')]?.kind).toBe('read');
    expect(at(mounts, '/opt/x')).toBe(-1);
  });

  it('has no secret of /etc', () => {
    const etc = planMounts(NEEDS).flatMap((mount) => (mount.kind === 'read' ? [mount.from] : []));

    expect(etc).toContain('/etc/passwd');
    expect(etc.filter((path) => /shadow|ssh|sudoers|^\/etc$|ssl$|ssl\/private|netrc|npmrc/.test(path))).toEqual([]);
  });
});

const SPEC: SandboxSpec = {
  version: 1,
  bwrap: '/usr/bin/bwrap',
  mounts: planMounts(NEEDS),
  cwd: NEEDS.checkout,
  asRoot: false,
  program: ['/bin/sh', '-c', 'exit 3'],
  network: 'proxy',
  allow: ['api.example.com', '127.0.0.1:4010', '10.0.0.7:1'],
  known: ['registry.example.com'],
  inside: '/opt/sluice/inside.js',
  node: '/usr/bin/node',
};

describe('the arguments of bubblewrap', () => {
  const files = { copies: new Map([['/state/x', 4]]), info: 3, socket: '/state/proxy.sock', kernel: '6.1.0-18' };

  it.each([
    ['6.1.0-18-amd64', true],
    ['5.14.0', true],
    ['5.10.0-28', false],
    ['4.19.0', false],
  ])(
    'limit processes where the kernel (%s) counts those of a namespace by itself, so that no other one of the person counts',
    (kernel, limits) => {
      expect(
        bwrapArguments(SPEC, { ...files, kernel })
          .join(' ')
          .includes('4096'),
      ).toBe(limits);
    },
  );

  it.each([
    ['-S', 2000, { soft: 2000, hard: 4096 }],
    ['', 2000, { soft: 2000, hard: 2000 }],
    ['', 5000, { soft: 4096, hard: 4096 }],
  ])('leave a limit of processes that the person has lower: ulimit %s %i', (kind, limit, expected) => {
    const args = bwrapArguments(SPEC, files);
    const [script = ''] = args.slice(args.indexOf('--') + 3);
    const set = `ulimit ${kind} -u ${limit} 2>/dev/null || ulimit ${kind} -p ${limit}`;

    const limits = execFileSync(
      '/bin/sh',
      ['-c', `${set}; exec /bin/sh -c "$1" sh cat /proc/self/limits`, 'sh', script],
      {
        encoding: 'utf8',
      },
    );

    const [, soft, hard] = /^Max processes +(\S+) +(\S+)/m.exec(limits) ?? [];
    expect({ soft: Number(soft), hard: Number(hard) }).toEqual(expected);
  });

  it('are namespaces of its own for users, processes, IPC, names and the network, no rights, and an end with its parent', () => {
    const args = bwrapArguments(SPEC, files);

    for (const flag of [
      '--unshare-user',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-net',
      '--die-with-parent',
    ])
      expect(args).toContain(flag);
    expect(args.join(' ')).toContain('--cap-drop ALL');
    expect(args.join(' ')).toContain('--proc /proc --dev /dev');
    expect(args.join(' ')).toMatch(
      /--remount-ro \/ --chdir \S+ -- \/bin\/sh -c .*exec "\$@" sh \/usr\/bin\/node \/run\/sluice\/inside\.mjs \S+ -- \/bin\/sh -c exit 3$/,
    );
  });

  it('cover the settings of the kernel where root could write them, and leave /proc whole for everybody else', () => {
    expect(bwrapArguments({ ...SPEC, asRoot: true }, files).join(' ')).toContain(
      '--proc /proc --dev /dev --ro-bind-try /proc/sys /proc/sys',
    );
    expect(bwrapArguments(SPEC, files).join(' ')).not.toContain('/proc/sys');
  });

  it('share the network only where it is on', () => {
    expect(bwrapArguments({ ...SPEC, network: 'off' }, { ...files, socket: null })).toContain('--unshare-net');
    expect(bwrapArguments({ ...SPEC, network: 'on' }, { ...files, socket: null })).not.toContain('--unshare-net');
  });

  it('forward what stands on the list of the loopback, and tell nothing else of it', () => {
    const options = bwrapArguments(SPEC, files).find((arg) => arg.startsWith('{'));

    expect(JSON.parse(options ?? '')).toEqual({
      socket: '/run/sluice/proxy.sock',
      loopback: [{ address: '127.0.0.1', port: 4010 }],
    });
  });

  it('copy by descriptor, so that no path is followed inside', () => {
    const args = bwrapArguments(
      { ...SPEC, mounts: [{ kind: 'copy', from: '/state/x', to: '/repo/.git/HEAD' }] },
      files,
    );

    expect(args.join(' ')).toContain('--file 4 /repo/.git/HEAD');
  });
});

describe('a place below HOME', () => {
  const home = join(folder, 'ada');
  mkdirSync(join(home, '.config/tool'), { recursive: true });
  mkdirSync(join(home, '.sluice/worktrees'), { recursive: true });
  mkdirSync(join(folder, 'elsewhere/inner'), { recursive: true });
  symlinkSync(join(folder, 'elsewhere'), join(home, '.linked'));
  writeFileSync(join(home, '.tool.json'), '{}');
  const hidden = [join(home, '.sluice')];

  it.each(['.config/tool', '.tool.json'])('is shown: %s', (name) => {
    expect(homePlace(home, name, hidden)).toEqual({ kind: 'there', path: join(home, name) });
  });

  it.each(['.linked', '.linked/inner', '.sluice', '.sluice/worktrees'])(
    'is refused where it is a symlink, leads over one, or would show the sluice home: %s',
    (name) => {
      expect(homePlace(home, name, hidden).kind).toBe('refused');
    },
  );

  it('is left out where it does not exist, and is not made', () => {
    expect(homePlace(home, '.nothing/here', hidden)).toEqual({ kind: 'absent' });
    expect(homePlace(home, '.nothing', hidden)).toEqual({ kind: 'absent' });
  });

  it('has in it what may be shown, each by its real place', () => {
    const config = join(home, '.config/cli');
    mkdirSync(join(config, 'plugin'), { recursive: true });
    writeFileSync(join(config, 'cli.json'), '{}');
    symlinkSync(join(folder, 'elsewhere'), join(config, 'linked'));
    symlinkSync(join(home, '.sluice/worktrees'), join(config, 'hidden'));
    symlinkSync(home, join(config, 'home'));
    symlinkSync('nowhere', join(config, 'dangling'));

    expect([...placesIn(config, { home, hidden })].sort((a, b) => a.to.localeCompare(b.to))).toEqual([
      { from: join(config, 'cli.json'), to: join(config, 'cli.json') },
      { from: join(folder, 'elsewhere'), to: join(config, 'linked') },
      { from: join(config, 'plugin'), to: join(config, 'plugin') },
    ]);
    expect(placesIn(join(home, '.tool.json'), { home, hidden })).toEqual([]);
    expect(placesIn(join(home, '.nothing'), { home, hidden })).toEqual([]);
  });

  it('is made for its person alone where a CLI keeps its conversations there', () => {
    makeOwnFolder({ folder: home, name: '.local/share/cli' }, { home, hidden });

    expect(homePlace(home, '.local/share/cli', hidden)).toEqual({
      kind: 'there',
      path: join(home, '.local/share/cli'),
    });
    expect(statSync(join(home, '.local/share/cli')).mode & 0o777).toBe(0o700);
  });

  it('is made with the folder that a variable moved it to', () => {
    makeOwnFolder({ folder: join(folder, 'moved/data'), name: 'cli' }, { home, hidden });
    makeOwnFolder({ folder: join(folder, 'moved/login'), name: '' }, { home, hidden });

    for (const path of ['moved/data/cli', 'moved/login']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
  });

  it('is not made over a symlink, over a file, in what is hidden, or below a HOME that is not there', () => {
    const nobody = join(folder, 'nobody');
    for (const name of ['.linked/new', '.tool.json', '.tool.json/new', '.sluice/new'])
      makeOwnFolder({ folder: home, name }, { home, hidden });
    makeOwnFolder({ folder: nobody, name: '.cli' }, { home: nobody, hidden });
    makeOwnFolder({ folder: join(home, '.linked/deep/new'), name: '' }, { home, hidden });
    makeOwnFolder({ folder: '/proc/new', name: 'cli' }, { home, hidden });

    expect(existsSync(join(folder, 'elsewhere/new'))).toBe(false);
    expect(existsSync(join(folder, 'elsewhere/deep'))).toBe(false);
    expect(existsSync(join(home, '.sluice/new'))).toBe(false);
    expect(readFileSync(join(home, '.tool.json'), 'utf8')).toBe('{}');
    expect(existsSync(nobody)).toBe(false);
  });
});

describe('what can be read of the host', () => {
  it('are the folders of PATH with the libraries beside them, but none that holds HOME, the sluice home or the repository, and nothing inside these', () => {
    const home = join(folder, 'bea');
    for (const name of ['bin', 'home/bin', 'repository/bin', 'tools/bin', 'tools/lib', 'tools/share'])
      mkdirSync(join(home, name), { recursive: true });
    const hidden = [join(home, 'home'), join(home, 'repository')];
    const PATH = [
      join(home, 'bin'),
      home,
      folder,
      '/',
      join(home, 'home/bin'),
      join(home, 'repository/bin'),
      join(home, 'tools/bin'),
    ].join(':');

    const shown = readablePlaces({ named: ['/bin/sh'], env: { PATH, HOME: home }, hidden }).map(({ to }) => to);

    expect(shown.filter((path) => path.startsWith(folder)).sort()).toEqual([
      join(home, 'bin'),
      join(home, 'tools/bin'),
      join(home, 'tools/lib'),
    ]);
    expect(shown).not.toContain('/');
  });

  it('are the files that are named, under the name they are called by and their real one, and the packages beside them', () => {
    const at = join(folder, 'cli');
    mkdirSync(join(at, 'lib/node_modules/tool'), { recursive: true });
    mkdirSync(join(at, 'bin'));
    writeFileSync(join(at, 'lib/node_modules/tool/cli.js'), '');
    symlinkSync('../lib/node_modules/tool/cli.js', join(at, 'bin/tool'));

    const shown = readablePlaces({ named: [join(at, 'bin/tool'), '--flag', join(at, 'nothing')], env: {}, hidden: [] });

    expect(shown.filter(({ to }) => to.startsWith(at))).toEqual([
      { from: join(at, 'lib/node_modules/tool/cli.js'), to: join(at, 'bin/tool') },
      { from: join(at, 'lib/node_modules/tool/cli.js'), to: join(at, 'lib/node_modules/tool/cli.js') },
      { from: join(at, 'lib/node_modules'), to: join(at, 'lib/node_modules') },
    ]);
  });
});

describe('what an agent needs', () => {
  const agent: AgentConfig = { adapter: 'command', command: ['robot'], args: [], env: {}, model: null, fallback: null };

  it('is what its adapter knows and what its config names', () => {
    expect(needsOfAgent(agent)).toBeNull();
    expect(needsOfAgent({ ...agent, home: ['.robot'] })).toEqual({
      home: [],
      caches: [],
      named: ['.robot'],
      made: [],
      readOnly: [],
      scratch: [],
      moves: [],
      hosts: [],
    });
    const claude = needsOfAgent({ ...agent, adapter: 'claude-code' as AgentConfig['adapter'], home: ['.extra'] });
    expect(claude).toMatchObject({ home: ['.claude', '.claude.json'], named: ['.extra'] });
    expect(claude?.readOnly).toContain('.claude/settings.json');
    expect(claude?.hosts).toContain('api.anthropic.com');
  });

  it('is known of some programs behind the adapter acp, by their names', () => {
    const acp = (...command: [string, ...string[]]) => needsOfAgent({ ...agent, adapter: 'acp', command });

    expect(acp('gemini', '--acp')?.home).toEqual(['.gemini']);
    expect(acp('/opt/bin/codex-acp')).toEqual(needsOfAgent({ ...agent, adapter: 'codex', command: null }));
    expect(acp('robot')).toBeNull();
  });

  it.each<[AgentConfig['adapter'], string, Readonly<Record<string, string>>, { folder: string; name: string }]>([
    ['claude-code', '.claude', {}, { folder: '/home/ada', name: '.claude' }],
    ['claude-code', '.claude', { CLAUDE_CONFIG_DIR: '/srv/login/' }, { folder: '/srv/login', name: '' }],
    [
      'claude-code',
      '.claude/settings.json',
      { CLAUDE_CONFIG_DIR: '/srv/login' },
      { folder: '/srv/login', name: 'settings.json' },
    ],
    [
      'claude-code',
      '.claude.json',
      { CLAUDE_CONFIG_DIR: '/srv/login' },
      { folder: '/srv/login', name: '.claude.json' },
    ],
    [
      'claude-code',
      '.local/share/claude',
      { CLAUDE_CONFIG_DIR: '/srv/login' },
      { folder: '/home/ada', name: '.local/share/claude' },
    ],
    [
      'claude-code',
      '.claude',
      { CLAUDE_CONFIG_DIR: 'login', CODEX_HOME: '/srv/other' },
      { folder: '/home/ada', name: '.claude' },
    ],
    ['claude-code', '.cache/claude', { XDG_CACHE_HOME: '/srv/cache' }, { folder: '/srv/cache', name: 'claude' }],
    ['codex', '.codex/config.toml', { CODEX_HOME: '/srv/login' }, { folder: '/srv/login', name: 'config.toml' }],
    ['opencode', '.local/share/opencode', { XDG_DATA_HOME: '/srv/data' }, { folder: '/srv/data', name: 'opencode' }],
    ['opencode', '.config/opencode', { XDG_CONFIG_HOME: '/srv/config' }, { folder: '/srv/config', name: 'opencode' }],
  ])('of %s: %s with %j is where the CLI looks for it', (adapter, name, env, place) => {
    const needs = needsOfAgent({ ...agent, adapter });

    expect([
      ...(needs?.home ?? []),
      ...(needs?.caches ?? []),
      ...(needs?.readOnly ?? []),
      ...(needs?.scratch ?? []),
    ]).toContain(name);
    expect(ownPlacesOf([name], needs, { ...env, HOME: '/home/ada' })).toEqual([place]);
  });

  it('is nowhere without a HOME, but where a variable says', () => {
    const needs = needsOfAgent({ ...agent, adapter: 'codex' });

    expect(ownPlacesOf(['.codex'], needs, {})).toEqual([]);
    expect(ownPlacesOf(['.codex'], needs, { CODEX_HOME: '/srv/login' })).toEqual([{ folder: '/srv/login', name: '' }]);
  });
});

describe('a folder that a CLI has instead of one below HOME', () => {
  const person = join(folder, 'cleo/home');
  const login = join(folder, 'login');
  const hidden = [join(folder, 'cleo/sluice')];
  mkdirSync(person, { recursive: true });
  mkdirSync(join(folder, 'cleo/sluice'));
  mkdirSync(login);
  writeFileSync(join(login, 'settings.json'), '{}');
  symlinkSync(login, join(folder, 'linked-login'));
  symlinkSync(join(folder, 'cleo'), join(folder, 'linked-cleo'));
  symlinkSync('settings.json', join(login, 'linked.json'));
  const shown = (at: string, name = '') => shownPlace({ folder: at, name }, { home: person, hidden });

  it('is shown, over a link too, with what lies in it', () => {
    expect(shown(login)).toEqual({ kind: 'there', path: login });
    expect(shown(join(folder, 'linked-login'))).toEqual({ kind: 'there', path: join(folder, 'linked-login') });
    expect(shown(login, 'settings.json')).toEqual({ kind: 'there', path: join(login, 'settings.json') });
    expect(shown(join(folder, 'nowhere'), 'settings.json')).toEqual({ kind: 'absent' });
  });

  it.each([
    ['HOME', person, ''],
    ['a folder above HOME', dirname(person), ''],
    ['one above HOME by a link', join(folder, 'linked-cleo'), ''],
    ['HOME by its name in one above', dirname(person), 'home'],
    ['the root', '/', ''],
    ['the sluice home', join(folder, 'cleo/sluice'), ''],
    ['something in it', join(folder, 'cleo/sluice'), 'trust.json'],
    ['a link in it', login, 'linked.json'],
  ])('is refused where it is %s', (_what, at, name) => {
    expect(shown(at, name).kind).toBe('refused');
  });

  it('is refused where it is HOME by its real place', () => {
    const linked = join(folder, 'linked-home');
    symlinkSync(person, linked);

    expect(shownPlace({ folder: person, name: '' }, { home: linked, hidden }).kind).toBe('refused');
  });
});
