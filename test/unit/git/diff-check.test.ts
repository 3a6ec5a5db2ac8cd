import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { checkDiff, isFoundIn } from '../../../activities/git/inspect/diff-check.js';
import { isSecretName } from '../../../activities/git/inspect/secret-names.js';
import { expectLinearCost } from '../../support/linear-cost.js';
import {
  git,
  makeRepository,
  type OpenedRun,
  openRun,
  removeFolders,
  tempFolder,
  write,
} from './repository-fixture.js';

/** Put together here, so that no scanner takes this file for a leak. */
const TOKEN = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6'}`;

async function check(run: OpenedRun, policy: { block?: string[]; guarded?: string[] } = {}) {
  const planned = await run.run.plan({
    expectedHead: run.base,
    claimedAt: '2026-11-21T10:00:00Z',
    subject: 's',
    body: '',
  });
  if (planned === null) throw new Error('nothing planned');
  const diff = await run.run.diff(run.base, planned.commit);
  return checkDiff({ worktree: run.worktree, diff, block: policy.block ?? [], guarded: policy.guarded ?? [] });
}

afterEach(removeFolders);

describe('the diff check (V-128)', () => {
  it('finds nothing in an ordinary change', async () => {
    const run = await openRun();
    write(run.worktree, 'src/a.ts', 'export const a = 1;\n');
    symlinkSync('src/a.ts', join(run.worktree, 'link.ts'));

    expect(await check(run)).toEqual({ findings: [], guarded: [] });
  });

  it.each(['/etc/passwd', '../outside', 'dir/../../outside', '.git/config'])(
    'finds a symlink to %s',
    async (target) => {
      const run = await openRun();
      symlinkSync(target, join(run.worktree, 'link'));

      expect((await check(run)).findings).toEqual([expect.objectContaining({ rule: 'outside_path', path: 'link' })]);
    },
  );

  it('finds a symlink that leads out through another one', async () => {
    const root = makeRepository();
    symlinkSync(tempFolder(), join(root, 'theirs'));
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '-m', 'a link of the repository');
    const run = await openRun(undefined, root);
    symlinkSync('theirs/file', join(run.worktree, 'link'));

    expect((await check(run)).findings).toEqual([expect.objectContaining({ rule: 'outside_path', path: 'link' })]);
  });

  it.each([
    ['a folder that is not there yet', {}],
    ['a folder, which a later turn can make a link', { 'a/d/file': 'x' }],
  ])('finds a symlink that turns back behind %s', async (_, files) => {
    const run = await openRun({ 'a/b/file': 'x', ...files });
    symlinkSync('d/../../x', join(run.worktree, 'a/link'));

    expect((await check(run)).findings).toMatchObject([{ rule: 'outside_path', path: 'a/link' }]);
  });

  it('finds nothing in a symlink that leads up first, and then down', async () => {
    const run = await openRun({ 'a/b/file': 'x', 'lib/file': 'x' });
    symlinkSync('.././../lib//file', join(run.worktree, 'a/b/link'));

    expect((await check(run)).findings).toEqual([]);
  });

  it('finds a symlink whose name is no UTF-8 and reads as that of another', async () => {
    const run = await openRun();
    const named = (byte: number) => Buffer.concat([Buffer.from(`${run.worktree}/link`), Buffer.from([byte])]);
    symlinkSync('README.md', named(0xfe));
    symlinkSync('/etc/passwd', named(0xff));

    const { findings } = await check(run);

    expect(findings.map(({ rule, path }) => [rule, path])).toEqual([
      ['outside_path', 'link\ufffd'],
      ['outside_path', 'link\ufffd'],
    ]);
  });

  it('finds a symlink into git by way of another one, and one that leads out as soon as a folder is made', async () => {
    const run = await openRun();
    write(run.worktree, 'deep/file', 'x');
    symlinkSync('..', join(run.worktree, 'deep/up'));
    symlinkSync('deep/up/.git/config', join(run.worktree, 'into-git'));
    symlinkSync('/etc', join(run.worktree, 'deep/etc'));
    symlinkSync('made/../etc/passwd', join(run.worktree, 'deep/later'));

    expect((await check(run)).findings.map(({ rule, path }) => [rule, path])).toEqual([
      ['outside_path', 'deep/etc'],
      ['outside_path', 'deep/later'],
      ['outside_path', 'into-git'],
    ]);
  });

  it('follows a symlink of two thousand parts, and finds one that is longer than a system takes', async () => {
    const run = await openRun();
    write(run.worktree, 'deep/file', 'x');
    symlinkSync('..', join(run.worktree, 'deep/up'));
    symlinkSync(`${'missing/'.repeat(500)}end`, join(run.worktree, 'inside'));
    symlinkSync(`deep/up/../${'a/'.repeat(2_000)}end`, join(run.worktree, 'outside'));
    expect((await check(run)).findings.map(({ path }) => path)).toEqual(['outside']);

    const file = { path: 'long', status: 'added', mode: '120000', added: 1, deleted: 0 } as const;
    const addedLines = new Map([['long', [{ line: 1, text: `${'a/'.repeat(2_048)}` }]]]);
    const diff = { files: [file], addedLines, patchBytes: 0 };
    expect((await checkDiff({ worktree: run.worktree, diff, block: [], guarded: [] })).findings).toMatchObject([
      { rule: 'outside_path', path: 'long', why: expect.stringContaining('too long') },
    ]);
  });

  it('finds a secret-like file that was added or changed, not one that was removed', async () => {
    const run = await openRun({ 'old.pem': 'x\n', id_rsa: 'x\n' });
    write(run.worktree, '.env', 'A=1\n');
    write(run.worktree, 'old.pem', 'y\n');
    rmSync(join(run.worktree, 'id_rsa'));

    expect((await check(run)).findings.map(({ rule, path }) => [rule, path])).toEqual([
      ['secret_file', '.env'],
      ['secret_file', 'old.pem'],
    ]);
  });

  it('finds a token in an added line and does not repeat it', async () => {
    const run = await openRun({ 'a.txt': `removed ${TOKEN}\nkept\n` });
    write(run.worktree, 'a.txt', 'kept\n');
    expect((await check(run)).findings).toEqual([]);

    write(run.worktree, 'a.txt', `removed ${TOKEN}\nkept\n\nnew ${TOKEN}\n`);
    const { findings } = await check(run);

    expect(findings).toEqual([expect.objectContaining({ rule: 'token_shape', path: 'a.txt', line: 4 })]);
    expect(JSON.stringify(findings)).not.toContain(TOKEN);
  });

  it('is not talked out of it by a comment or an attribute', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', `// secretlint-disable\nconst key = '${TOKEN}';\n`);
    write(run.worktree, 'b.txt', `${TOKEN}\n`);
    write(run.worktree, '.gitattributes', '*.txt -diff binary\n');

    expect((await check(run)).findings.map(({ rule, path }) => [rule, path])).toEqual([
      ['token_shape', 'a.txt'],
      ['token_shape', 'b.txt'],
    ]);
  });

  it('applies block rules: globs over paths, expressions over added lines', async () => {
    const run = await openRun({ 'a.txt': 'eval(old)\n' });
    write(run.worktree, 'a.txt', 'eval(old)\nEVAL(new)\n');
    write(run.worktree, 'infra/.hidden/x.tf', 'x\n');

    const { findings } = await check(run, { block: ['infra/**', '/eval\\(/i', '!a.txt'] });

    expect(findings.map(({ rule, path, line }) => [rule, path, line])).toEqual([
      ['block', 'infra/.hidden/x.tf', null],
      ['block', 'a.txt', 2],
    ]);
  });

  it('applies an expression to the whole of a line, however long it is', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', `${'x'.repeat(1_000_000)} eval(new)\n`);

    expect((await check(run, { block: ['/eval\\(/'] })).findings).toMatchObject([
      { rule: 'block', path: 'a.txt', line: 1 },
    ]);
  });

  it('searches a long line at a cost that grows with its length, though an expression may take the square', () => {
    expectLinearCost(100_000, (length) => {
      expect(isFoundIn('var a="b";c(d);'.repeat(length / 15), /.*password.*=/i)).toBe(false);
    });
  });

  it.each([
    ['finds', 'across any place of a long line', /eval\s+\(x/, true],
    ['finds', 'at its end', /z;$/, true],
    ['finds no', 'end of a line within it', /y;$/, false],
    ['finds no', 'beginning of a line within it', /^y/, false],
  ])('%s %s', (_finds, _where, expression, isFound) => {
    const places = [19_990, 20_000, 21_999, 22_001, 29_990];
    const lines = places.map((place) => `x${'y;'.repeat(place / 2)} eval${' '.repeat(1_900)}(x)${'xz;'.repeat(9_000)}`);

    expect(lines.map((line) => isFoundIn(line, expression))).toEqual(lines.map(() => isFound));
  });

  it('takes what an expression needs too long for to be a hit, and guards no other path for it', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', `${'a'.repeat(100)}\n`);

    const { findings, guarded } = await check(run, { block: ['/(?:a*)*b/'], guarded: ['AGENTS.md'] });
    expect([findings.map(({ rule }) => rule), guarded]).toEqual([['block'], []]);
  });

  it('guards a path in any case of its letters', async () => {
    const run = await openRun();
    write(run.worktree, 'agents.md', 'read me\n');

    expect((await check(run, { guarded: ['**/AGENTS.md'] })).guarded).toEqual(['agents.md']);
  });

  it.each(['x\ny.txt', 'x::end||y.txt', 'x::start||y'])('finds a token in a file called %j', async (name) => {
    const run = await openRun();
    write(run.worktree, name, `key: ${TOKEN}\n`);

    expect((await check(run)).findings.map(({ rule, path }) => [rule, path])).toEqual([['token_shape', name]]);
    // What the linter's profiler does with a name, it does a moment later, and nobody catches it.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('guards a path that holds a newline', async () => {
    const run = await openRun();
    write(run.worktree, '.github/workflows/a\nb.yml', 'on: push\n');
    write(run.worktree, 'x\ny/AGENTS.md', 'obey\n');

    expect((await check(run, { guarded: ['.github/workflows/**', '**/AGENTS.md'] })).guarded).toEqual([
      '.github/workflows/a\nb.yml',
      'x\ny/AGENTS.md',
    ]);
  });

  it('answers guarded paths apart, removed ones too', async () => {
    const run = await openRun({ 'AGENTS.md': 'x\n' });
    rmSync(join(run.worktree, 'AGENTS.md'));
    write(run.worktree, '.claude/settings.json', '{}\n');

    expect(await check(run, { guarded: ['AGENTS.md', '.claude/**'] })).toEqual({
      findings: [],
      guarded: ['.claude/settings.json', 'AGENTS.md'],
    });
  });

  it.each([
    '.env',
    'a/.env.production',
    'id_ed25519',
    'x/server.key',
    'credentials.json',
    'service-account.json',
    '.netrc',
    'secrets.yml',
  ])('takes the name %s for a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(['.env.example', 'env.ts', 'id_rsa.pub', 'keys.ts', 'credentials.ts', 'monkey', 'docs/secrets.md'])(
    'does not take the name %s for a secret',
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );
});

describe('reading a diff', () => {
  it('tells headers from content, counts lines and marks binary files', async () => {
    const run = await openRun({ 'a.txt': '-- x\n++ y\n', 'b.bin': '\0old' });
    write(run.worktree, 'a.txt', '-- z\n++ b/evil.txt\ndiff --git a/x b/x\n@@ -1 +1 @@');
    write(run.worktree, 'b.bin', '\0new');
    const planned = await run.run.plan({
      expectedHead: run.base,
      claimedAt: '2026-11-21T10:00:00Z',
      subject: 's',
      body: '',
    });

    const diff = await run.run.diff(run.base, planned?.commit ?? '');

    expect(diff.files).toEqual([
      { path: 'a.txt', status: 'modified', mode: '100644', added: 4, deleted: 2 },
      { path: 'b.bin', status: 'modified', mode: '100644', added: null, deleted: null },
    ]);
    expect(diff.addedLines.get('a.txt')?.map(({ text }) => text)).toEqual([
      '-- z',
      '++ b/evil.txt',
      'diff --git a/x b/x',
      '@@ -1 +1 @@',
    ]);
    expect(await run.run.patch(run.base, planned?.commit ?? '')).toContain('Binary files a/b.bin and b/b.bin differ');
    expect(diff.patchBytes).toBeGreaterThan(0);
  });

  it('knows a file that became a symlink, a removed one, an empty one and a change of mode alone', async () => {
    const run = await openRun({ 'a.txt': 'a\n', 'gone "x".txt': 'one\ntwo\n', 'run.sh': 'x\n' });
    rmSync(join(run.worktree, 'a.txt'));
    symlinkSync('run.sh', join(run.worktree, 'a.txt'));
    rmSync(join(run.worktree, 'gone "x".txt'));
    write(run.worktree, 'empty.txt', '');
    chmodSync(join(run.worktree, 'run.sh'), 0o755);
    const planned = await run.run.plan({
      expectedHead: run.base,
      claimedAt: '2026-11-21T10:00:00Z',
      subject: 's',
      body: '',
    });

    const diff = await run.run.diff(run.base, planned?.commit ?? '');

    expect(diff.files).toEqual([
      { path: 'a.txt', status: 'type_changed', mode: '120000', added: 1, deleted: 1 },
      { path: 'empty.txt', status: 'added', mode: '100644', added: 0, deleted: 0 },
      { path: 'gone "x".txt', status: 'deleted', mode: '000000', added: 0, deleted: 2 },
      { path: 'run.sh', status: 'modified', mode: '100755', added: 0, deleted: 0 },
    ]);
    expect([...diff.addedLines]).toEqual([['a.txt', [{ line: 1, text: 'run.sh' }]]]);
  });

  it('is empty between a commit and itself', async () => {
    const run = await openRun();

    expect(await run.run.diff(run.base, run.base)).toEqual({ files: [], addedLines: new Map(), patchBytes: 0 });
  });
});
