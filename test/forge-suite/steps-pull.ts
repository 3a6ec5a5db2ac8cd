/** What the product relies on of a pull request: that there is one, what of it is whose, and how it looks. */
import { type Fields, fieldsOf, nameIn } from '../../protocol/text/fields.js';
import type { CheckStep } from './check-step.js';
import { assertHas, type CheckWorld } from './check-world.js';

/** As a person's button asks for it. */
const CONVERT_TO_DRAFT = `mutation ConvertToDraft($id: ID!) {
  done: convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

export const PULL_STEPS: readonly CheckStep[] = [
  {
    name: 'a pull request is made as a draft, or ready with a label where there are no drafts, with its label and our block',
    async work(world) {
      const { branch: label, on } = world;
      const made = await on.ensure({ isDraft: true });
      assertHas(made, { kind: 'pull', head: on.head, state: 'open' });
      const shown = await readPull(world, made.kind === 'pull' ? made.number : 0);
      const labels = labelsOf(shown);
      assertHas({ isDraft: shown['draft'] === true || labels.includes('draft') }, { isDraft: true });
      assertHas({ isLabelled: labels.includes(label) }, { isLabelled: true });
      const body = nameIn(shown, 'body') ?? String(shown['body']);
      assertHas({ blocks: body.split('<!-- sluice begin ').length }, { blocks: 2 });
    },
  },
  {
    name: 'there is one for a head: found by who asks without its number, refused to who makes another',
    async work(world) {
      const number = await world.open();
      assertHas(await world.on.ensure({ pushed: world.on.head }), { kind: 'pull', number });
      const asked = { title: 'another', head: world.headBranch, base: world.branch };
      assertHas(await world.ask('POST /repos/{owner}/{repo}/pulls', asked), { kind: 'refused' });
      assertHas({ open: await world.openPulls() }, { open: [number] });
    },
  },
  {
    name: 'text and labels of a person stay, byte for byte',
    async work(world) {
      const number = await world.open();
      const { body } = await readPull(world, number);
      const theirs = `Théirs comes first.\n\n${String(body)}\n\n- [ ] and last`;
      await world.change(number, { body: theirs, title: 'A better title' });
      await world.on.ensure({ number, pushed: world.on.head });
      assertHas(await readPull(world, number), { body: theirs, title: 'A better title' });
    },
  },
  {
    name: 'a body of 65 536 characters is taken, and its pull request is shown as before',
    async work(world) {
      const number = await world.open();
      await world.change(number, { body: 'x'.repeat(65_536) });
      assertHas(await world.on.ensure({ number, pushed: world.on.head }), { kind: 'pull', number });
    },
  },
  {
    name: 'one look says how it stands',
    async work(world) {
      const number = await world.open();
      const { head, queue } = world.on;
      const seen = await world.look(number);
      assertHas(seen, { number, state: 'open', isDraft: false, head, base: queue.branch, mergeable: 'yes' });
      assertHas(seen, { review: 'none', lacksReview: false, queue: 'off', hasRules: false, mergeCommit: null });
      assertHas(seen.checks, { state: 'passed', names: [] });
    },
  },
  {
    name: 'a look is no older than what was written before it',
    async work(world) {
      const made = await world.on.ensure();
      if (made.kind !== 'pull') throw new Error(`there is no pull request: ${made.kind}`);
      const { number, updatedAt: notBefore } = made;
      const looked = await world.on.act(({ lookAtPull }) => lookAtPull({ ...world.on.about, number, notBefore }));
      assertHas(looked, { kind: 'pull' });
      const seenAt = looked.kind === 'pull' ? Date.parse(looked.pull.updatedAt) : 0;
      assertHas({ isNews: seenAt >= Date.parse(notBefore) }, { isNews: true });
    },
  },
  {
    name: 'a draft is made ready once, and one that a person made a draft again stays one',
    async work(world) {
      const number = await world.open(true);
      if (!(await world.look(number)).isDraft) return 'it knows no drafts';
      const asked = { number, pushed: world.on.head, isDraft: false };
      for (let times = 0; times < 2; times += 1)
        assertHas(await world.on.ensure({ ...asked, wasDraft: true }), { kind: 'pull', number, isDraft: false });
      assertHas(await world.look(number, ({ isDraft }) => !isDraft), { isDraft: false });
      const { node_id: id } = await readPull(world, number);
      assertHas(await world.at.client.graphql(CONVERT_TO_DRAFT, { id }), { kind: 'answer' });
      assertHas(await world.look(number, ({ isDraft }) => isDraft), { isDraft: true });
      assertHas(await world.on.ensure({ ...asked, wasDraft: false }), { kind: 'pull', number });
      assertHas(await world.look(number), { isDraft: true });
      return null;
    },
  },
  {
    name: 'a check that is not required does not count',
    async work(world) {
      const number = await world.open();
      const route = 'POST /repos/{owner}/{repo}/statuses/{sha}';
      const said = await world.ask(route, { sha: world.on.head, state: 'failure', context: world.branch });
      if (said.kind === 'missing_scope') return `the token may not say anything of a commit: ${said.why}`;
      assertHas(said, { kind: 'answer' });
      assertHas((await world.look(number)).checks, { state: 'passed', names: [] });
      return null;
    },
  },
  {
    name: 'a conflict with its base is seen',
    async work(world) {
      const number = await world.open();
      await world.pushToBase('b.txt', 'theirs\n');
      assertHas(await world.look(number, ({ mergeable }) => mergeable === 'conflict'), { mergeable: 'conflict' });
    },
  },
  {
    name: 'a head that a person pushed is seen, and stays',
    async work(world) {
      const number = await world.open();
      const { head: from } = world.on;
      const to = world.commit(from, 'c.txt', 'theirs\n');
      await world.push({ branch: world.headBranch, from, to });
      assertHas(await world.look(number, ({ head }) => head === to), { head: to, state: 'open' });
      assertHas(await world.on.ensure({ number, pushed: from }), { kind: 'pushed_by_other', at: to });
      assertHas({ at: await world.tip(world.headBranch) }, { at: to });
    },
  },
  {
    name: 'one that a person gave another base is seen as that',
    async work(world) {
      const number = await world.open();
      const other = `${world.branch}-other`;
      world.finally(() => world.removeBranch(other));
      await world.push({ branch: other, from: null, to: world.on.base });
      // Those of its own base are closed at the end.
      world.finally(() => world.change(number, { state: 'closed' }));
      await world.change(number, { base: other });
      assertHas(await world.look(number, ({ base }) => base === other), { base: other, state: 'open' });
    },
  },
  {
    name: 'one that a person closed is closed for who knows its number and for who looks for its head, and can be opened again',
    async work(world) {
      const number = await world.open();
      await world.change(number, { state: 'closed' });
      assertHas(await world.look(number, ({ state }) => state === 'closed'), { state: 'closed', mergeCommit: null });
      for (const known of [number, null])
        assertHas(await world.on.ensure({ number: known, pushed: world.on.head }), { number, state: 'closed' });
      await world.change(number, { state: 'open' });
      assertHas(await world.look(number, ({ state }) => state === 'open'), { state: 'open' });
    },
  },
  {
    name: 'one whose branch was removed is closed, and no branch is made again',
    async work(world) {
      const number = await world.open();
      await world.removeBranch(world.headBranch);
      assertHas(await world.look(number, ({ state }) => state === 'closed'), { state: 'closed', head: world.on.head });
      assertHas(await world.on.ensure({ number, pushed: world.on.head }), { kind: 'pushed_by_other', at: null });
      assertHas({ at: await world.tip(world.headBranch) }, { at: null });
    },
  },
];

async function readPull(world: CheckWorld, number: number): Promise<Fields> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const answer = await world.read(route, { pull_number: number });
  assertHas(answer, { kind: 'answer' });
  return fieldsOf(answer.kind === 'answer' ? answer.data : null);
}

function labelsOf({ labels }: Fields): readonly string[] {
  return (Array.isArray(labels) ? labels : []).map((label) => String(fieldsOf(label)['name']));
}
