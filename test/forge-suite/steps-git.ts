/** What the product relies on of a forge's git, and of how it answers to whom it does not know. */
import { lookUntil } from '../../activities/forge/look-at-pull.js';
import { fetchBranch, pushBranch } from '../../activities/git/forge/forge-git.js';
import { fieldsOf, nameIn } from '../../protocol/text/fields.js';
import type { CheckStep } from './check-step.js';
import { assertHas, type CheckWorld } from './check-world.js';

export const GIT_STEPS: readonly CheckStep[] = [
  {
    name: 'the repository answers under its name, is neither archived nor empty, and the token may push there',
    isBare: true,
    async work(world) {
      const answer = await world.read('GET /repos/{owner}/{repo}');
      assertHas(answer, { kind: 'answer' });
      const repository = fieldsOf(answer.kind === 'answer' ? answer.data : null);
      assertHas({ name: nameIn(repository, 'full_name')?.toLowerCase() }, { name: world.at.policy.repo.toLowerCase() });
      assertHas(repository, { archived: false });
      assertHas(fieldsOf(repository['permissions']), { push: true });
      // The first branch of an empty one would be its default branch.
      const first = await world.tip(nameIn(repository, 'default_branch') ?? '');
      assertHas({ isEmpty: first === null }, { isEmpty: false });
    },
  },
  {
    name: 'a branch is made and moved by a push, and what stands there already is pushed',
    async work(world) {
      const [first, second] = [world.on.head, world.commit(world.on.head, 'c.txt', 'more\n')];
      const branch = world.headBranch;
      await world.push({ branch, from: null, to: first });
      await world.push({ branch, from: null, to: first });
      await world.push({ branch, from: first, to: second });
      assertHas({ at: await world.tip(branch) }, { at: second });
    },
  },
  {
    name: 'a push by another old value than that of the forge is refused, also where it moves meanwhile',
    async work(world) {
      const { headBranch: branch, git } = world;
      const [ours, theirs] = [world.on.head, world.commit(world.on.base, 'c.txt', 'theirs\n')];
      await world.push({ branch, from: null, to: theirs });
      const push = { branch, from: null, to: ours };
      assertHas(await pushBranch(git, world.at.remote, push), { kind: 'moved_by_other', at: theirs });
      const later = world.commit(theirs, 'd.txt', 'later\n');
      const meanwhile = whenPushing(world, () => world.push({ branch, from: theirs, to: later }));
      const outcome = await pushBranch(meanwhile, world.at.remote, { branch, from: theirs, to: ours });
      assertHas(outcome, { kind: 'moved_by_other', at: later });
      assertHas({ at: await world.tip(branch) }, { at: later });
    },
  },
  {
    name: 'a branch is fetched with its objects, and one that is not there is told so',
    async work(world) {
      const to = await world.pushToBase('c.txt', 'theirs\n');
      const { git, at, on, branch } = world;
      assertHas(await fetchBranch(git, at.remote, { branch, have: on.base }), { kind: 'fetched', at: to });
      const none = await fetchBranch(git, at.remote, { branch: `${branch}-none`, have: on.base });
      assertHas(none, { kind: 'fetched', at: null });
    },
  },
  {
    name: 'a base that is removed is told as gone',
    async work(world) {
      assertHas((await world.on.lookAtBase()).base, { at: world.on.base });
      await world.removeBranch(world.branch);
      assertHas(await world.on.lookAtBase(), { base: null });
    },
  },
  {
    name: 'a repository that is not there, or that the token does not see, is gone: for its interfaces and for git',
    async work(world) {
      const repo = `${world.branch}-none`;
      assertHas(await world.read('GET /repos/{owner}/{repo}', { repo }), { kind: 'gone' });
      assertHas(await lookUntil({ ...world.at, name: repo }, 1, () => true), { kind: 'gone' });
      const remote = { ...world.at.remote, repo: `${world.at.owner}/${repo}` };
      assertHas(await fetchBranch(world.git, remote, { branch: 'main', have: world.on.base }), { kind: 'gone' });
    },
  },
  {
    name: 'a token that it does not know is told as that: by its interfaces and by git',
    environment: { GH_TOKEN: 'sluice-check-of-a-token-that-nobody-has' },
    isBare: true,
    async work(world) {
      assertHas(await world.on.ensure(), { kind: 'unauthorized' });
      assertHas(await world.read('GET /repos/{owner}/{repo}'), { kind: 'unauthorized' });
    },
  },
];

/** Somebody is faster than the push itself. */
function whenPushing({ git }: CheckWorld, act: () => Promise<void>): CheckWorld['git'] {
  const own = Object.create(git) as CheckWorld['git']; // Of the same class.
  let isDone = false;
  own.try = async (args, input) => {
    if (args.includes('push') && !isDone) {
      isDone = true;
      await act();
    }
    return git.try(args, input);
  };
  return own;
}
