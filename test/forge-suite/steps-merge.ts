/** What the product relies on where something lands: by a push, by a merge of the forge's, by somebody else, and by rules. */
import { LANDING_METHODS, type LandingMethod } from '../../protocol/run/landing-policy.js';
import { fieldsOf } from '../../protocol/text/fields.js';
import type { CheckStep } from './check-step.js';
import { assertHas, type CheckWorld } from './check-world.js';

const BY_THE_FORGE = LANDING_METHODS.filter((method) => method !== 'merge');

export const MERGE_STEPS: readonly CheckStep[] = [
  {
    name: 'the checked commit lands by a push, and its pull request is merged by that',
    async work(world) {
      const number = await world.open();
      assertHas((await world.on.land({ pull: number })).landed, { kind: 'merged', commit: world.on.head });
      assertHas({ at: await world.tip(world.branch) }, { at: world.on.head });
      assertHas(await world.look(number, ({ state }) => state === 'merged'), { state: 'merged' });
    },
  },
  {
    name: 'a merge with what the base is by then lands by a push, and its pull request is merged by that',
    async work(world) {
      const number = await world.open();
      await world.pushToBase('c.txt', 'theirs\n');
      const { landed } = await world.on.land({ pull: number });
      assertHas(landed, { kind: 'merged', commit: await world.tip(world.branch) });
      assertHas(await world.look(number, ({ state }) => state === 'merged'), { state: 'merged', head: world.on.head });
    },
  },
  ...BY_THE_FORGE.map(mergedBy),
  {
    name: 'a merge of another head than the one that was looked at is refused, and nothing is merged',
    async work(world) {
      const number = await world.open();
      assertHas(await world.merge(number, { sha: world.on.base, merge_method: 'merge' }), { kind: 'refused' });
      assertHas(await world.look(number), { state: 'open' });
      assertHas({ at: await world.tip(world.branch) }, { at: world.on.base });
    },
  },
  {
    name: 'a draft is not merged',
    async work(world) {
      const number = await world.open(true);
      if (!(await world.look(number)).isDraft) return 'it knows no drafts';
      assertHas(await world.merge(number, { sha: world.on.head, merge_method: 'merge' }), { kind: 'refused' });
      assertHas((await world.on.land({ pull: number })).landed, { kind: 'exhausted', reason: 'not_ready' });
      return null;
    },
  },
  {
    name: 'what a person merged is merged, with its commit, and merging it again is refused and told as merged',
    async work(world) {
      const number = await world.open();
      await world.look(number);
      const merged = await world.merge(number, { merge_method: 'squash' });
      if (merged.kind !== 'answer') return `a squash is not allowed there: ${merged.why}`;
      const { sha: commit } = fieldsOf(merged.data);
      assertHas(await world.look(number, ({ state }) => state === 'merged'), { state: 'merged', mergeCommit: commit });
      assertHas(await world.merge(number, { merge_method: 'squash' }), { kind: 'refused' });
      assertHas((await world.on.land({ pull: number })).landed, { kind: 'merged', commit });
      return null;
    },
  },
  {
    name: 'a protected base refuses a push, names a check that nobody has begun, and is merged by the forge once it has passed',
    async work(world) {
      const refused = await protect(world);
      if (refused !== null) return refused;
      const number = await world.open();
      const pending = await world.look(number, ({ hasRules }) => hasRules);
      assertHas(pending, { hasRules: true });
      assertHas(pending.checks, { state: 'pending', names: [world.branch] });
      assertHas((await world.on.land({ pull: number })).landed, { kind: 'exhausted', reason: 'not_ready' });
      const theirs = world.pushToBase('c.txt', 'theirs\n').then(() => ({ kind: 'pushed' }));
      assertHas(await theirs.catch(() => ({ kind: 'refused' })), { kind: 'refused' });
      const route = 'POST /repos/{owner}/{repo}/statuses/{sha}';
      const said = { sha: world.on.head, state: 'success', context: world.branch };
      assertHas(await world.ask(route, said), { kind: 'answer' });
      assertHas((await world.look(number, ({ checks }) => checks.state === 'passed')).checks, { state: 'passed' });
      const { landed } = await world.on.land({ pull: number });
      assertHas(landed, { kind: 'merged', commit: await world.tip(world.branch) });
      return null;
    },
  },
];

function mergedBy(method: LandingMethod): CheckStep {
  return {
    name: `with landing.method: ${method} the forge merges it at the head that was looked at, to one commit on what the base is by then`,
    landing: { method },
    async work(world) {
      const number = await world.open();
      const theirs = await world.pushToBase('c.txt', 'theirs\n');
      await world.look(number);
      const { landed } = await world.on.land({ pull: number });
      // Its settings say which ways there are.
      if (landed.kind === 'exhausted' && landed.reason === 'refused') return landed.why;
      const commit = await world.tip(world.branch);
      assertHas(landed, { kind: 'merged', commit });
      const merged = await world.read('GET /repos/{owner}/{repo}/git/commits/{sha}', { sha: commit });
      const parents = fieldsOf(merged.kind === 'answer' ? merged.data : null)['parents'];
      const names = (Array.isArray(parents) ? parents : []).map((parent) => fieldsOf(parent)['sha']);
      assertHas({ parents: names }, { parents: [theirs] });
      return null;
    },
  };
}

/** Null: it is; else why not. */
async function protect(world: CheckWorld): Promise<string | null> {
  const { branch } = world;
  const route = '/repos/{owner}/{repo}/branches/{branch}/protection';
  const rules = {
    required_status_checks: { strict: false, contexts: [branch] },
    required_pull_request_reviews: { required_approving_review_count: 0 },
    enforce_admins: true,
    restrictions: null,
  };
  const answer = await world.ask(`PUT ${route}`, { branch, ...rules });
  if (answer.kind !== 'answer') return `the base cannot be protected: ${answer.why}`;
  world.finally(() => world.ask(`DELETE ${route}`, { branch }));
  return null;
}
