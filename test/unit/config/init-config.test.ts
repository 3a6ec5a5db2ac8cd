/** What `sluice init` finds and writes, and that docs/config.md is what the key table renders. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { addAgent } from '../../../config/init/add-agent.js';
import { detectProject } from '../../../config/init/detect-project.js';
import { initConfig } from '../../../config/init/init-config.js';
import { KEYS } from '../../../config/keys/keys.js';
import { COMING_KEYS } from '../../../config/keys/keys-coming.js';
import { renderConfigDoc } from '../../../config/resolve/config-doc.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { hashOfText, readConfigFile } from '../../../config/system/config-text.js';
import { PACKAGE_ROOT } from '../../../config/system/entries.js';
import { itWhere } from '../../support/it-where.js';
import { canMount, smallDisk } from '../../support/small-disk.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
let repo: string;

beforeEach(async () => {
  repo = freshFolder();
});

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), content);
  }
}

/** Nothing is refused to root. */
function asOrdinaryUser(work: () => void): void {
  const user = process.getuid?.() ?? 0;
  if (user === 0) process.seteuid?.(65_534);
  try {
    work();
  } finally {
    process.seteuid?.(user);
  }
}

const TESTED = '{"scripts":{"test":"tape"},"dependencies":{"x":"1"}}';

describe('detectProject', () => {
  it('takes what only has the name of a manifest for none', () => {
    put({ 'package.json/readme': '', 'pytest.ini': '' });
    symlinkSync('/dev/zero', join(repo, 'pyproject.toml'));

    expect(detectProject(repo)).toMatchObject({ setup: [], validation: ['pytest'] });
  });

  it.each<[string, Record<string, string>, string[], string[]]>([
    ['npm', { 'package.json': TESTED, 'package-lock.json': '{}' }, ['npm ci'], ['npm test']],
    ['npm without a lockfile', { 'package.json': TESTED }, ['npm install --no-package-lock'], ['npm test']],
    [
      'npm without tests',
      { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
      [],
      [],
    ],
    ['pnpm', { 'package.json': TESTED, 'pnpm-lock.yaml': '' }, ['pnpm install --frozen-lockfile'], ['pnpm test']],
    [
      'yarn 2',
      { 'package.json': TESTED, 'yarn.lock': '', '.yarnrc.yml': '' },
      ['yarn install --immutable'],
      ['yarn test'],
    ],
    ['a broken package.json', { 'package.json': '{' }, [], []],
    ['Go', { 'go.mod': 'module x' }, [], ['go test ./...']],
    ['Rust', { 'Cargo.toml': '' }, [], ['cargo test']],
    [
      'Python with uv',
      { 'uv.lock': '', 'pyproject.toml': '[tool.pytest.ini_options]' },
      ['uv sync --frozen'],
      ['uv run pytest'],
    ],
    ['nothing', {}, [], []],
  ])('finds %s', (...[, files, setup, validation]) => {
    put(files);

    expect(detectProject(repo)).toMatchObject({ setup, validation });
  });
});

describe('initConfig', () => {
  it('writes a config that resolves to what was found and the named agent', () => {
    put({ 'package.json': TESTED, 'package-lock.json': '{}' });

    const result = initConfig(repo, { kind: 'command', command: ['/opt/my agent', '--say', 'it\'s "ok": yes\n#'] });

    const project = readConfigFile(join(repo, '.sluice/config.yaml'), '.sluice/config.yaml');
    expect(result).toMatchObject({ kind: 'written', text: project?.text, hash: hashOfText(project?.text ?? '') });
    const { policy } = resolvePolicy(project === null ? {} : { project: { ...project, isTrusted: true } });
    expect(policy.agents['main']?.command).toEqual(['/opt/my agent', '--say', 'it\'s "ok": yes\n#']);
    expect(policy.worktree.setup).toEqual(['npm ci']);
    expect(policy.checks.validation.commands).toEqual(['npm test']);
  });

  it('writes examples as comments where nothing was found', () => {
    expect(initConfig(repo, null).kind).toBe('written');
    const text = readFileSync(join(repo, '.sluice/config.yaml'), 'utf8');

    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual(['version: 1']);
    const { policy } = resolvePolicy({
      project: { text: text.replace(/^# ( *(?:agents|main|command|agent):.*)$/gm, '$1'), name: 'x', isTrusted: true },
    });
    expect(policy.stagePolicies.planning.agent).toBe('main');
  });

  it('names a coding CLI that was found, with the names of the variables that it needs and no value', () => {
    const result = initConfig(repo, {
      kind: 'cli',
      adapter: 'scripted',
      command: null,
      passEnv: ['MY_KEY'],
      hosts: [],
    });

    const text = readFileSync(join(repo, '.sluice/config.yaml'), 'utf8');
    expect(result.kind).toBe('written');
    expect(text).toContain(
      '# Who works.\nagents:\n  main:\n    adapter: scripted\n    passEnv:\n      - MY_KEY\nagent: main\n',
    );
    const { policy } = resolvePolicy({ project: { text, name: 'x', isTrusted: true } });
    expect(policy.agents['main']).toMatchObject({ adapter: 'scripted', passEnv: ['MY_KEY'] });
  });

  it('says how an agent that speaks ACP is started', () => {
    initConfig(repo, { kind: 'cli', adapter: 'acp', command: ['gemini', '--acp'], passEnv: [], hosts: [] });

    const text = readFileSync(join(repo, '.sluice/config.yaml'), 'utf8');
    const { policy } = resolvePolicy({ project: { text, name: 'x', isTrusted: true } });
    expect(policy.agents['main']).toMatchObject({ adapter: 'acp', command: ['gemini', '--acp'] });
  });

  it('lets a sandbox through to where the settings of a coding CLI lead', () => {
    initConfig(repo, {
      kind: 'cli',
      adapter: 'scripted',
      command: null,
      passEnv: [],
      hosts: ['127.0.0.1:4010', 'llm.example'],
    });

    const text = readFileSync(join(repo, '.sluice/config.yaml'), 'utf8');
    expect(resolvePolicy({ project: { text, name: 'x', isTrusted: true } }).policy.sandbox?.allow).toEqual([
      '127.0.0.1:4010',
      'llm.example',
    ]);
  });

  it('overwrites nothing', () => {
    put({ '.sluice/config.yaml': 'agent: mine\n' });

    expect(initConfig(repo, null).kind).toBe('exists');
    expect(readFileSync(join(repo, '.sluice/config.yaml'), 'utf8')).toBe('agent: mine\n');
  });

  it('overwrites no link that leads nowhere', () => {
    mkdirSync(join(repo, '.sluice'));
    symlinkSync('nowhere', join(repo, '.sluice/config.yaml'));

    expect(initConfig(repo, null).kind).toBe('exists');
    expect(readdirSync(join(repo, '.sluice'))).toEqual(['config.yaml']);
  });

  /** By a process of its own, in which a part of node:fs does this instead. */
  function initWith(part: string, does: string) {
    const built = join(PACKAGE_ROOT, 'dist/config/init/init-config.js');
    const script = [
      "import fs from 'node:fs';",
      "import { syncBuiltinESMExports } from 'node:module';",
      `const { initConfig } = await import(${JSON.stringify(built)});`,
      `fs.${part} = () => { ${does} };`,
      'syncBuiltinESMExports();',
      `process.stdout.write(initConfig(${JSON.stringify(repo)}, null).kind);`,
    ].join('\n');
    return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  }

  it('leaves no part of a config where it is killed while it writes', () => {
    const { signal } = initWith('writeFileSync', "process.kill(process.pid, 'SIGKILL')");

    expect(signal).toBe('SIGKILL');
    expect(existsSync(join(repo, '.sluice/config.yaml'))).toBe(false);
    expect(initConfig(repo, null).kind).toBe('written');
  });

  it('writes, and overwrites nothing, on a file system without hard links', () => {
    const refused = "throw Object.assign(new Error('not permitted'), { code: 'EPERM' })";

    expect(initWith('linkSync', refused).stdout).toBe('written');
    expect(readFileSync(join(repo, '.sluice/config.yaml'), 'utf8')).toContain('\nversion: 1\n');
    expect(initWith('linkSync', refused).stdout).toBe('exists');
    expect(readdirSync(join(repo, '.sluice'))).toEqual(['config.yaml']);
  });

  itWhere(canMount(), 'no right to mount a tmpfs')(
    'leaves no part of a config where the disk is full, and writes it once there is room',
    () => {
      mkdirSync(join(repo, '.sluice'));
      const disk = smallDisk(repo, { size: '1m' });
      try {
        disk.fillBut(0);
        expect(() => initConfig(repo, null)).toThrow('ENOSPC');
        expect(readdirSync(join(repo, '.sluice'))).toEqual([]);

        disk.free();
        expect(initConfig(repo, null).kind).toBe('written');
      } finally {
        disk.unmount();
      }
    },
  );

  it('says of a folder that one may not write in which it is, and what mends it', () => {
    const folder = join(repo, '.sluice');
    const refused = (at: string) =>
      expect.objectContaining({
        parts: expect.objectContaining({
          what: expect.stringContaining(`${at}: you may not write there: EACCES`),
          mend: expect.stringContaining(`ls -ld ${at}`),
        }),
      });
    chmodSync(dirname(repo), 0o755);

    chmodSync(repo, 0o555);
    asOrdinaryUser(() => expect(() => initConfig(repo, null)).toThrow(refused(repo)));
    chmodSync(repo, 0o755);
    put({ '.sluice/config.yaml': 'version: 1\n' });
    chmodSync(folder, 0o555);
    const agent = { kind: 'command', command: [process.execPath] } as const;
    asOrdinaryUser(() => expect(() => addAgent(repo, agent)).toThrow(refused(folder)));
    chmodSync(folder, 0o755);
  });

  it('writes through no link and refuses an agent that is no program', () => {
    expect(() => initConfig(repo, { kind: 'command', command: ['./agent'] })).toThrow(
      'never a path into the repository',
    );
    symlinkSync(tmpdir(), join(repo, '.sluice'));
    expect(() => initConfig(repo, null)).toThrow('must be a folder, not a link');
  });
});

describe('readConfigFile', () => {
  it('answers null without a file and refuses folders, big files and bytes that are no text', () => {
    const path = join(repo, 'c.yaml');
    expect(readConfigFile(path, 'c.yaml')).toBeNull();

    writeFileSync(path, 'x'.repeat(5_000_000));
    expect(() => readConfigFile(path, 'c.yaml')).toThrow('is 5000000 bytes');
    writeFileSync(path, Buffer.from([0xff, 0xfe, 0xfd]));
    expect(() => readConfigFile(path, 'c.yaml')).toThrow('not UTF-8');
    expect(() => readConfigFile(repo, 'c.yaml')).toThrow('must be a regular file');
  });

  it('takes trouble of the host for no fault of the file', () => {
    // Its first page is mapped nowhere, so that reading it fails as a failing disk does.
    expect(() => readConfigFile('/proc/self/mem', 'c.yaml')).toThrow(expect.objectContaining({ code: 'EIO' }));
  });
});

describe('docs/config.md', () => {
  it('is what the key table renders, with every key in it', () => {
    const doc = renderConfigDoc();

    expect(readFileSync(join(import.meta.dirname, '../../../docs/config.md'), 'utf8')).toBe(doc);
    for (const key of [...Object.keys(KEYS), ...Object.keys(COMING_KEYS)]) expect(doc).toContain(`\`${key}\``);
  });

  it('tells the default of a limit that can be switched off', () => {
    expect(renderConfigDoc()).toContain('| `worktrees.keep` | duration or `never` | `14d` |');
  });
});
