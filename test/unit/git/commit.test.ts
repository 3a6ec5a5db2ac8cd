import { chmodSync, existsSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { git, type OpenedRun, openRun, removeFolders, reopen, write } from './repository-fixture.js';

const CLAIMED_AT = '2026-11-21T10:00:03.120Z';

const request = (run: OpenedRun) => ({
  expectedHead: run.base,
  claimedAt: CLAIMED_AT,
  subject: 'executing: fix it',
  body: 'Run project-1',
});

afterEach(removeFolders);

describe('the commit of a write turn', () => {
  it('holds every change, and leaves the worktree clean on the run branch', async () => {
    const run = await openRun({ 'a.txt': 'a\n', 'gone.txt': 'x\n', 'run.sh': '#!/bin/sh\n', thing: 'file\n' });
    write(run.worktree, 'a.txt', 'b\n');
    rmSync(join(run.worktree, 'gone.txt'));
    chmodSync(join(run.worktree, 'run.sh'), 0o755);
    rmSync(join(run.worktree, 'thing'));
    write(run.worktree, 'thing/inside.txt', 'now a folder\n');
    symlinkSync('a.txt', join(run.worktree, 'link'));
    writeFileSync(join(run.worktree, 'blob.bin'), Buffer.from([0, 1, 2, 255, 0]));

    const planned = await run.run.plan(request(run));
    const published = planned === null ? null : await run.run.publish(planned);

    expect(published).toEqual({ kind: 'published' });
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
    expect(await run.run.changes()).toEqual([]);
    expect(git(run.root, 'rev-parse', 'sluice/project-1', 'refs/sluice/project-1/head').trim().split('\n')).toEqual([
      planned?.commit,
      planned?.commit,
    ]);
    expect(git(run.root, 'rev-list', '--count', `${run.base}..sluice/project-1`).trim()).toBe('1');
    expect(
      git(run.root, 'diff', '--name-status', '--no-renames', run.base, 'sluice/project-1').trim().split('\n'),
    ).toEqual(['M\ta.txt', 'A\tblob.bin', 'D\tgone.txt', 'A\tlink', 'M\trun.sh', 'D\tthing', 'A\tthing/inside.txt']);
  });

  it.each([
    'with space.txt',
    'quo"te\'.txt',
    'new\nline.txt',
    '🎉 ünï.txt',
    '-leading',
    'tab\there',
    'back\\slash',
    ':(top)magic',
    '*',
  ])('takes a file named %j', async (name) => {
    const run = await openRun();
    write(run.worktree, name, 'text\n');

    const planned = await run.run.plan(request(run));
    if (planned !== null) await run.run.publish(planned);

    const diff = await run.run.diff(run.base, planned?.commit ?? '');
    expect(diff.files).toEqual([{ path: name, status: 'added', mode: '100644', added: 1, deleted: 0 }]);
    expect(diff.addedLines.get(name)).toEqual([{ line: 1, text: 'text' }]);
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
  });

  it('says nothing that a terminal would obey, whatever the task and the agent say', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');

    const planned = await run.run.plan({
      ...request(run),
      subject: 'fix\u001b[2J it\u202e',
      body: 'two\nlines\u001b]0;x\u0007',
    });
    const message = git(run.root, 'show', '--no-patch', '--format=%B', planned?.commit ?? '');

    expect(message).toContain('fix it');
    expect(message).toContain('two\nlines');
    expect(message).not.toMatch(/[\u001b\u202e\u0007]/);
  });

  it('is the same commit when a second attempt plans it again, also after its files were staged', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    const first = await run.run.plan(request(run));

    const again = await (await reopen(run)).plan(request(run));

    expect(again).toEqual(first);
    expect(first).not.toBeNull();
  });

  it('has the times of the claim, so that an attempt of another hour makes the same one', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');

    const planned = await run.run.plan(request(run));

    const claimed = String(Math.floor(Date.parse(CLAIMED_AT) / 1000));
    expect(git(run.root, 'show', '--no-patch', '--format=%at %ct', planned?.commit ?? '').trim()).toBe(
      `${claimed} ${claimed}`,
    );
  });

  it('is null when the tree is the same', async () => {
    const run = await openRun({ '.gitignore': 'ignored\n' });
    write(run.worktree, 'ignored', 'x');

    expect(await run.run.plan(request(run))).toBeNull();
  });

  it('is made in the name that the person had when the run opened, whatever an agent configures', async () => {
    const run = await openRun();
    git(run.worktree, 'config', 'user.name', 'Mallory');
    write(run.worktree, 'a.txt', 'a\n');

    const planned = await run.run.plan(request(run));

    expect(
      git(run.root, 'show', '--no-patch', '--format=%an <%ae> %at %ct', planned?.commit ?? '').trim(),
    ).not.toContain('Mallory');
    expect(git(run.root, 'show', '--no-patch', '--format=%at %ct', planned?.commit ?? '').trim()).toBe(
      '1795255203 1795255203',
    );
  });
});

describe('publishing', () => {
  it('adopts a branch that stands at the planned commit already', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    const planned = await run.run.plan(request(run));
    if (planned === null) throw new Error('nothing planned');
    git(run.root, 'update-ref', 'refs/heads/sluice/project-1', planned.commit);
    rmSync(join(run.gitDir, 'index'));

    expect(await (await reopen(run)).publish(planned)).toEqual({ kind: 'adopted' });
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
    expect(git(run.root, 'rev-parse', 'refs/sluice/project-1/head').trim()).toBe(planned.commit);
  });

  it('writes nothing when somebody else moved the branch', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    const planned = await run.run.plan(request(run));
    if (planned === null) throw new Error('nothing planned');
    const other = git(run.root, 'commit-tree', '-p', run.base, '-m', 'other', `${run.base}^{tree}`).trim();
    git(run.root, 'update-ref', 'refs/heads/sluice/project-1', other);

    expect(await run.run.publish(planned)).toEqual({ kind: 'moved', actual: other });
    expect(git(run.root, 'rev-parse', 'sluice/project-1').trim()).toBe(other);
    expect(() => git(run.root, 'rev-parse', '--verify', '--quiet', 'refs/sluice/project-1/head')).toThrow();
  });

  it('does not overwrite what somebody else committed to the branch before the commit was planned', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    const other = git(run.root, 'commit-tree', '-p', run.base, '-m', 'other', `${run.base}^{tree}`).trim();
    git(run.root, 'update-ref', 'refs/heads/sluice/project-1', other);

    const planned = await run.run.plan(request(run));

    expect(planned?.folded).toEqual([]);
    expect(planned === null ? null : await run.run.publish(planned)).toEqual({ kind: 'moved', actual: other });
  });

  it('replaces a branch that an agent made a symbolic ref, and leaves the other branch where it was', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    git(run.root, 'symbolic-ref', 'refs/heads/sluice/project-1', 'refs/heads/main');
    const planned = await run.run.plan(request(run));

    if (planned !== null) await run.run.publish(planned);

    expect(git(run.root, 'rev-parse', 'main').trim()).toBe(run.base);
    expect(existsSync(join(run.worktree, 'a.txt'))).toBe(true);
  });

  it('waits for a ref that another process holds', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    const planned = await run.run.plan(request(run));
    if (planned === null) throw new Error('nothing planned');
    const lock = join(run.root, '.git', 'refs', 'heads', 'sluice', 'project-1.lock');
    writeFileSync(lock, '');
    const released = setTimeout(() => rmSync(lock), 1500);

    expect(await run.run.publish(planned)).toEqual({ kind: 'published' });
    clearTimeout(released);
  });

  it('gives the worktree an index that is not younger than its source, so that git looks at racy files again', async () => {
    const run = await openRun();

    const [copy, source] = [join(run.root, '.git', 'worktrees', 'project-1', 'index'), join(run.gitDir, 'index')].map(
      (path) => statSync(path).mtimeMs,
    );

    expect(copy).toBeLessThanOrEqual(source ?? 0);
  });

  it('keeps the head that a reset of the run leaves', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    const planned = await run.run.plan(request(run));
    if (planned === null) throw new Error('nothing planned');
    await run.run.publish(planned);

    expect(await run.run.moveBack(planned.commit, run.base)).toEqual({ kind: 'published' });
    await run.run.restore(run.base);

    expect(git(run.root, 'rev-parse', 'refs/sluice/project-1/reset-1').trim()).toBe(planned.commit);
    expect(await run.run.head()).toBe(run.base);
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
  });
});
