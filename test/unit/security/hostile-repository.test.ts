/**
 * A repository that is full of programs: every hook, every key of its config and every attribute that git would start one for. The engine and the
 * command line do with it whatever they do with any, and nothing of it runs. That git itself would run them is shown first, else this shows nothing.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fingerprintCheckout } from '../../../activities/git/inspect/checkout-fingerprint.js';
import { snapshotRepository } from '../../../activities/git/inspect/repository-watch.js';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { readFileAt } from '../../../activities/git/refs/read-file-at.js';
import { resolveBase } from '../../../activities/git/refs/resolve-base.js';
import {
  countLost,
  deleteRefs,
  findBranchUse,
  listRunRefs,
  readWorktreeLock,
} from '../../../activities/git/refs/run-refs.js';
import { openValidationCheckout } from '../../../activities/git/run/validation-checkout.js';
import { copyAndLink } from '../../../activities/git/run/worktree-setup-files.js';
import { removeWorktree } from '../../../activities/git/worktree/remove-worktree.js';
import { diffFiles, diffStat, diffText, isMerged, lookAtRepository, textAt } from '../../../client/repository.js';
import {
  canaryProgram,
  git,
  makeRepository,
  type OpenedRun,
  openRun,
  removeFolders,
  reopen,
  tempFolder,
  write,
} from '../git/repository-fixture.js';

/** Source: githooks.txt. */
const HOOKS =
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite rebase sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change';

/** Keys whose value is a program or command line. Source: git-config.txt. */
const PROGRAM_KEYS = [
  'core.fsmonitor core.sshCommand core.gitProxy core.editor core.pager core.askPass core.alternateRefsCommand sequence.editor',
  'credential.helper credential.https://example.invalid.helper gpg.program gpg.ssh.program gpg.ssh.defaultKeyCommand gpg.x509.program',
  'diff.external diff.evil.command diff.evil.textconv difftool.evil.cmd merge.evil.driver mergetool.evil.cmd man.evil.cmd browser.evil.cmd',
  'filter.evil.clean filter.evil.smudge filter.evil.process interactive.diffFilter trailer.evil.command trailer.evil.cmd',
  'uploadpack.packObjectsHook remote.origin.uploadpack remote.origin.receivepack remote.origin.vcs pager.diff pager.log pager.status',
  'submodule.sub.update receive.procReceiveRefs sendemail.smtpServer web.browser instaweb.httpd guitool.evil.cmd imap.tunnel',
].flatMap((line) => line.split(' '));

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const ALIASES =
  'status diff-tree commit-tree update-ref worktree reset clean update-index write-tree rev-parse cat-file ls-files log config'.split(
    ' ',
  );

let root: string;
let canary: string;
let run: OpenedRun;

/** What ran, and forgets it. */
function ran(): string {
  const text = existsSync(canary) ? readFileSync(canary, 'utf8') : '';
  rmSync(canary, { force: true });
  return text;
}

/** As somebody who trusts the repository; it may well fail. */
function carelessGit(...args: string[]): void {
  try {
    git(root, ...args);
  } catch {}
}

beforeAll(async () => {
  root = makeRepository({
    '.gitattributes': '* filter=evil diff=evil merge=evil\n',
    'a.txt': 'a\n',
    '.gitmodules':
      '[submodule "sub"]\n\tpath = sub\n\turl = ./.git\n\tupdate = !touch ran-by-gitmodules\n[submodule "../../up"]\n\tpath = ../up\n\turl = --upload-pack=x\n',
  });
  const made = canaryProgram(tempFolder());
  canary = made.canary;
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${git(root, 'rev-parse', 'HEAD').trim()},sub`);
  git(root, 'commit', '--quiet', '-m', 'a submodule');
  write(root, '.env', 'x');
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  for (const hook of HOOKS.split(' ')) execFileSync('cp', [made.program, join(root, '.git/hooks', hook)]);
  for (const key of PROGRAM_KEYS) git(root, 'config', key, made.program);
  for (const alias of ALIASES) git(root, 'config', `alias.${alias}`, `!${made.program}`);
  git(root, 'config', 'submodule.sub.update', `!${made.program}`);
  git(root, 'config', 'core.hooksPath', join(root, '.git/hooks'));
  for (const key of ['commit.gpgSign', 'tag.gpgSign', 'filter.evil.required', 'submodule.recurse', 'gc.autoDetach'])
    git(root, 'config', key, 'true');
  for (const [key, value] of [
    ['gc.auto', '1'],
    ['remote.origin.url', 'ext::false'],
    ['protocol.ext.allow', 'always'],
    ['log.showSignature', 'true'],
  ] as const)
    git(root, 'config', key, value);
  const included = join(tempFolder(), 'included');
  appendFileSync(included, `[core]\n\tfsmonitor = ${made.program}\n[diff "evil"]\n\ttextconv = ${made.program}\n`);
  for (const key of ['include.path', `includeIf.gitdir:${root}/.path`, 'includeIf.onbranch:**.path'])
    git(root, 'config', key, included);
  rmSync(canary, { force: true });
});
afterAll(removeFolders);

describe('a repository full of programs', () => {
  it('would have git run them: its hooks, its monitor, its filters and converters', () => {
    carelessGit('status');
    expect(ran()).toContain('canary.sh');

    carelessGit('-c', 'core.fsmonitor=false', 'diff', EMPTY_TREE, 'HEAD', '--', 'a.txt');
    expect(ran()).toContain('canary.sh');

    carelessGit('update-ref', 'refs/heads/other', 'HEAD');
    expect(ran()).toContain('hooks/reference-transaction');
  });

  it('runs none of them when a run is opened in it', async () => {
    const repository = await findRepository(root);
    await resolveBase(repository);
    await resolveBase(repository, 'main~0');
    await snapshotRepository(repository, join(repository.root, 'none'));
    await readFileAt(repository, 'HEAD', '.sluice/config.yaml');

    run = await openRun(undefined, root);
    await copyAndLink({ repository, target: run.worktree, copy: ['.env'], link: [], gitDir: run.gitDir });

    expect(ran()).toBe('');
    expect(readFileSync(join(run.worktree, 'a.txt'), 'utf8')).toBe('a\n');
  });

  it('runs none of them in a turn and its validation', async () => {
    const opened = await reopen(run);
    write(run.worktree, 'a.txt', 'b\n');
    await fingerprintCheckout(run.repository, run.gitDir);
    await opened.changes();
    const planned = await opened.plan({
      expectedHead: run.base,
      claimedAt: '2026-11-21T10:00:00Z',
      subject: 'evil: x',
      body: 'evil: y',
    });
    if (planned === null) throw new Error('nothing planned');
    await opened.publish(planned);
    await opened.diff(run.base, planned.commit);
    await opened.patch(run.base, planned.commit);
    const checkout = await openValidationCheckout({
      repository: run.repository,
      path: join(run.home, 'validation'),
      gitDir: join(run.home, 'validation.git'),
      owner: 'chain-1',
      snapshotOf: run.gitDir,
    });
    for (const commit of [run.base, planned.commit]) await checkout.moveTo(commit);
    await checkout.changedTracked();
    await checkout.tree(planned.commit);
    await checkout.setupInputsChanged(['*.txt'], run.base, planned.commit);
    await opened.restore(planned.commit);

    expect(ran()).toBe('');
    expect(git(root, 'cat-file', 'blob', `${planned.commit}:a.txt`)).toBe('b\n');
    expect(existsSync(join(run.worktree, 'ran-by-gitmodules')) || existsSync(join(run.worktree, '../up'))).toBe(false);
  });

  it('runs none of them when people look at the run', async () => {
    const head = (await run.run.head()) ?? '';

    const answers = [
      await lookAtRepository(root),
      await diffStat(root, run.base, head),
      await textAt(root, head, 'a.txt'),
    ];
    await diffFiles(root, run.base, head);
    await isMerged(root, head, 'main');

    expect(answers).toMatchObject([{ kind: 'ok', root }, { files: 1 }, 'b\n']);
    expect(await diffText(root, run.base, head)).toContain('+b');
    expect(ran()).toBe('');
  });

  it('runs none of them when the run is reset, and when it is cleaned away', async () => {
    const head = (await run.run.head()) ?? '';
    await (await reopen(run)).moveBack(head, run.base);
    const names = { ...run, branch: `sluice/${run.runId}` };
    const refs = await listRunRefs(names);
    await countLost(
      names,
      refs.map(({ sha }) => sha),
    );
    await findBranchUse(names);
    await readWorktreeLock(run.repository, run.worktree);
    await removeWorktree(run.repository.commonDir, run.worktree);

    expect(await deleteRefs(run.repository, refs)).toBe('deleted');

    expect(refs.length).toBeGreaterThan(1);
    expect(ran()).toBe('');
  });
});
