/** Walls: what an agent leaves in its worktree. */
import type { Mutant } from '../../mutant.js';

const OWN_GIT = 'test/unit/run/own-git.test.ts';

export const WORKTREE_MUTANTS: readonly Mutant[] = [
  {
    name: 'left behind: any .git file of the worktree that names a git dir counts as whole',
    area: 'walls',
    file: 'activities/git/worktree/worktree-own-state.ts',
    find: "    { path: join(worktree, '.git'), text: `gitdir: ${adminDir}\\n` },",
    replace: '',
    test: { file: OWN_GIT, title: 'is written anew after %s: a person must look, and starts nothing' },
  },
  {
    name: "left behind: what an agent left of the worktree's git is mended and not told",
    area: 'walls',
    file: 'activities/checks/own-commands.ts',
    find: '    keep(owner, found);',
    replace: '',
    test: { file: OWN_GIT, title: 'is told by the attempt after one that was killed at %s' },
  },
  {
    name: "left behind: the worktree's git is judged after turns that end by themselves, and not when the run ends",
    area: 'walls',
    file: 'activities/checks/own-commands.ts',
    find: '  await Promise.all([judgeLeft(owner), forgetCheckoutGit(owner)]);',
    replace: '  await forgetCheckoutGit(owner);',
    test: { file: OWN_GIT, title: 'is written anew where a turn was ended by an abort: the end of the run tells it' },
  },
  {
    name: 'left behind: what checks wrote into the git of their checkout stays there',
    area: 'walls',
    file: 'activities/checks/check-commit.ts',
    find: '  await forgetCheckoutGit(at);',
    replace: '',
    test: { file: OWN_GIT, title: 'is gone once the checks are over: what they wrote into it starts nothing' },
  },
  {
    name: 'left behind: a command in a sandbox can write the .git file of its worktree',
    area: 'walls',
    file: 'activities/sandbox/plan-mounts.ts',
    find: '    ...needs.overCheckout,',
    replace: '',
    test: {
      file: 'test/unit/security/sandbox.test.ts',
      title:
        'has the .git file of its worktree to read: it is not written, replaced, removed or moved, and git works all the same',
    },
  },
  {
    name: 'left behind: an index whose submodules are those of the engine has none',
    area: 'walls',
    file: 'activities/git/worktree/submodule-git.ts',
    find: 'index[at - 2] === 0 && index[at - 1] === 0 && index[at + 1] === 0',
    replace: 'index[at + 1] === 0xe0',
    test: { file: OWN_GIT, title: 'is taken away where its file leads there by %s' },
  },
  {
    name: "left behind: what only the worktree's own index calls a submodule is none",
    area: 'walls',
    file: 'activities/git/worktree/submodule-git.ts',
    find: 'isSame ? [] : gitlinksOf(checkout, adminDir, own)',
    replace: '[]',
    test: { file: OWN_GIT, title: "is taken away where only the worktree's own index%s says that there is one" },
  },
  {
    name: 'left behind: the git dir of a submodule is looked for where its file says, and not where that leads',
    area: 'walls',
    file: 'activities/git/worktree/submodule-git.ts',
    find: 'return real === null || !isModule(await Promise.all(owners.map((owner) => realpath(owner))), real);',
    replace: 'return real === null;',
    test: { file: OWN_GIT, title: 'is taken away where its file leads there by %s' },
  },
  {
    name: 'an end is written over a folder by a plain rename',
    area: 'walls',
    file: 'activities/process/marks.ts',
    find: 'freeFolder(join(dir, EXIT_FILE));',
    replace: '',
    test: {
      file: 'test/unit/process/attacked-marks.test.ts',
      title: 'does not keep the end from being written: a folder in its place that is %s',
    },
  },
  {
    name: 'a mark is written through a link under its name',
    area: 'walls',
    file: 'config/system/replace-file.ts',
    find: "openSync(temporary, 'wx', 0o600)",
    replace: "openSync(path, 'w', 0o600)",
    test: { file: 'test/unit/process/attacked-marks.test.ts', title: 'is not written through a link' },
  },
  {
    name: 'each close tells again what stays as it is',
    area: 'walls',
    file: 'workflows/run/close-run.ts',
    find: 'closed.journalSeq > held; closed = await close())',
    replace: 'closed.journalSeq > held; closed = await close(), journal.observe(closed.observations))',
    test: {
      file: 'test/workflow/run.test.ts',
      title: 'tells once, and closes, where each close finds again what cannot be mended',
    },
  },
  {
    name: 'a cancel does not reach what was left and is waited for',
    area: 'walls',
    file: 'activities/unit/attempts.ts',
    find: '() => former?.cancel.abort(cancel.signal.reason)',
    replace: '() => undefined',
    test: { file: 'test/unit/unit/attempts.test.ts', title: 'cancel what was left to itself and is waited for' },
  },
  {
    name: 'a walk that fails takes the answer of git along',
    area: 'walls',
    file: 'activities/git/start/past-pipes.ts',
    find: 'removePipes(workTree, false).catch(() => undefined)',
    replace: 'removePipes(workTree, false)',
    test: { file: 'test/unit/git/past-pipes.test.ts', title: 'answers as git does where an abort ends the walk' },
  },
  {
    name: 'all of what an agent planted is told',
    area: 'walls',
    file: 'activities/checks/own-commands.ts',
    find: 'found.length <= MAX_TOLD ? found : [...found.slice(0, MAX_TOLD), MORE]',
    replace: 'found',
    test: { file: 'test/unit/run/locked-git.test.ts', title: 'is told of a few, whatever number there is' },
  },
];
