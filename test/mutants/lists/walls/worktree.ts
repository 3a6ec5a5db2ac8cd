/** Walls: what an agent leaves in its worktree. */
import type { Mutant } from '../../mutant.js';

const OWN_GIT = 'test/unit/run/own-git.test.ts';

export const WORKTREE_MUTANTS: readonly Mutant[] = [
  {
    name: 'left behind: any .git file of the worktree that names a git dir counts as whole',
    area: 'walls',
    file: 'activities/git/worktree-own-state.ts',
    find: "    { path: join(worktree, '.git'), text: `gitdir: ${adminDir}\\n` },",
    replace: '',
    test: { file: OWN_GIT, title: 'is written anew after %s: a person must look, and starts nothing' },
  },
  {
    name: "left behind: what an agent left of the worktree's git is mended and not told",
    area: 'walls',
    file: 'activities/run/own-commands.ts',
    find: '    keep(owner, found);',
    replace: '',
    test: { file: OWN_GIT, title: 'is told by the attempt after one that was killed at %s' },
  },
  {
    name: "left behind: the worktree's git is judged after turns that end by themselves, and not when the run ends",
    area: 'walls',
    file: 'activities/run/own-commands.ts',
    find: '  await Promise.all([judgeLeft(owner), forgetCheckoutGit(owner)]);',
    replace: '  await forgetCheckoutGit(owner);',
    test: { file: OWN_GIT, title: 'is written anew where a turn was ended by an abort: the end of the run tells it' },
  },
  {
    name: 'left behind: what checks wrote into the git of their checkout stays there',
    area: 'walls',
    file: 'activities/run/validate.ts',
    find: '  await forgetCheckoutGit(context);',
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
      title: 'has the .git file of its worktree to read: it is not written, replaced, removed or moved, and git works all the same',
    },
  },
  {
    name: "left behind: what only the worktree's own index calls a submodule is none",
    area: 'walls',
    file: 'activities/git/submodule-git.ts',
    find: 'isSame ? [] : gitlinksOf(checkout, adminDir, own)',
    replace: '[]',
    test: { file: OWN_GIT, title: "is taken away where only the worktree's own index%s says that there is one" },
  },
  {
    name: 'left behind: the git dir of a submodule is looked for where its file says, and not where that leads',
    area: 'walls',
    file: 'activities/git/submodule-git.ts',
    find: 'return real === null || !isModule(await Promise.all(owners.map((owner) => realpath(owner))), real);',
    replace: 'return real === null;',
    test: { file: OWN_GIT, title: 'is taken away where its file leads there by %s' },
  },
];
