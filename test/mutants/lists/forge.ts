/** A head on a forge: what a look at its pull request means, what is pushed and merged, and who is asked how often. */
import type { Mutant } from '../mutant.js';

const PULL = 'test/unit/workflows/landing-pull.test.ts';
const QUEUE = 'test/unit/workflows/queue-forge.test.ts';
const DECIDE = 'test/unit/forge/decide-pull.test.ts';
const LAND = 'test/unit/forge/land-on-forge.test.ts';
const NEWS = 'workflows/landing/landing-pull-news.ts';

export const FORGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a late push to a pull request is merged unseen',
    area: 'forge',
    file: 'protocol/actors/decide-pull.ts',
    find: "if (pull.head !== expected.head) return { kind: 'pushed', head: pull.head };",
    replace: '',
    test: { file: DECIDE, title: 'that is %j is %s' },
  },
  {
    name: 'checks that are pending are failed ones',
    area: 'forge',
    file: 'protocol/actors/decide-pull.ts',
    find: "kind: isLate(expected) ? 'checks_timed_out' : 'checks_pending', names };",
    replace: "kind: 'checks_failed', names };",
    test: { file: DECIDE, title: 'that is %j is %s' },
  },
  {
    name: 'a required check that nobody has begun has passed',
    area: 'forge',
    file: 'activities/forge/judge-checks.ts',
    find: 'return said.length > 0 && said.every(',
    replace: 'return said.every(',
    test: { file: DECIDE, title: 'with %s' },
  },
  {
    name: 'a review of an older commit counts',
    area: 'forge',
    file: 'activities/forge/pull-query.ts',
    find: ".filter((review) => fieldsOf(review['commit'])['oid'] === head)",
    replace: '.filter(() => true)',
    test: { file: 'test/unit/forge/look-at-pull.test.ts', title: 'takes a review of another commit for none' },
  },
  {
    name: 'a base that moved is pushed over',
    area: 'forge',
    file: 'activities/forge/forge-base.ts',
    find: "if (pushed.kind === 'moved_by_other') return { landed: { kind: 'moved' }, base: await this.find() };",
    replace:
      "if (pushed.kind === 'moved_by_other') return { landed: { kind: 'merged', commit: to }, base: { at: to } };",
    test: {
      file: LAND,
      title: 'that moves between the look and the push (%s) is left alone, and the next attempt lands',
    },
  },
  {
    name: 'a branch that somebody moved in the moment of our push is pushed over',
    area: 'forge',
    file: 'activities/git/forge/forge-git.ts',
    find: "const lease = `--force-with-lease=${ref}:${from ?? ''}`;",
    replace: "const lease = '--force';",
    test: {
      file: 'test/unit/forge/ensure-pull.test.ts',
      title: 'stays: the branch of who %s between our look at it and our push, by the lease alone',
    },
  },
  {
    name: 'rules of the base are pushed past',
    area: 'forge',
    file: 'activities/forge/forge-base.ts',
    find: "return !pull.hasRules && pull.queue === 'off' &&",
    replace: "return pull.queue === 'off' &&",
    test: { file: LAND, title: 'is the forge’s, with the title of ours, and the mark names its commit' },
  },
  {
    name: 'what was pushed lands though nobody agreed to it',
    area: 'forge',
    file: 'activities/landing/merge-head.ts',
    find: 'if (!isPushed && (await findMended(record, { head: source.head, base })) !== named)',
    replace: 'if (!isPushed && named === source.head)',
    test: {
      file: 'test/e2e/merge-queue-by-hand.test.ts',
      title: 'lands no commit that somebody names by hand, be it there or not',
    },
  },
  {
    name: 'the token is given to whatever host git asks for',
    area: 'forge',
    file: 'activities/git/forge/serve-token.ts',
    find: 'return new URL(url).origin === origin;',
    replace: 'return origin !== "";',
    test: { file: 'test/unit/forge/serve-token.test.ts', title: 'is given for the forge alone: %s' },
  },
  {
    name: 'a draft is merged unasked',
    area: 'forge',
    file: NEWS,
    find: 'if (!isWanted(state) || base === null) return waitForNews(state, phase, now);',
    replace: 'if (base === null) return waitForNews(state, phase, now);',
    test: {
      file: PULL,
      title:
        'is shown by a draft that people merge, whatever it needs to land unasked, and nothing else is done about it',
    },
  },
  {
    name: 'a person who makes it a draft again is overruled',
    area: 'forge',
    file: NEWS,
    find: 'return pull.isDraft ? showPull(',
    replace: 'return pull.number > 0 ? showPull(',
    test: { file: PULL, title: 'is made ready by the answers of what was under way when a person asked' },
  },
  {
    name: 'a pull request that was closed waits for ever',
    area: 'forge',
    file: NEWS,
    find: "(isWanted(state) || decision.kind === 'closed')",
    replace: 'isWanted(state)',
    test: { file: PULL, title: 'has its task done again, for another pull request on the branch as it is' },
  },
  {
    name: 'a quiet pull request is looked at no more',
    area: 'forge',
    file: 'workflows/landing/landing-pull.ts',
    find: 'Math.min(2 * phase.everyMs, MAX_LOOK_EVERY_MS)',
    replace: '2 * phase.everyMs',
    test: {
      file: PULL,
      title: 'is looked at each minute while there is news, and after a quiet hour less and less, without an end',
    },
  },
  {
    name: 'a forge whose clock is behind is asked without a pause',
    area: 'forge',
    file: 'workflows/merge-queue/queue-table.ts',
    find: 'Math.max(Date.parse(base.until), now + LEAST_HOLD_MS)',
    replace: 'Date.parse(base.until)',
    test: {
      file: QUEUE,
      title: 'is held while the forge cannot be asked, uses no attempt, and is tried again %s',
    },
  },
  {
    name: 'a host that is away holds up the heads of the others',
    area: 'forge',
    file: 'workflows/merge-queue/queue-attempts.ts',
    find: 'nextAttemptAtMs: now + AWAY_MS',
    replace: 'nextAttemptAtMs: now',
    test: {
      file: QUEUE,
      title: 'goes on with the heads of other hosts where one is away, and tries that again in time',
    },
  },
  {
    name: 'what a forge merged to another tree stays unchecked',
    area: 'forge',
    file: 'workflows/merge-queue/queue-table.ts',
    find: 'return landed.uncheckedOn === undefined',
    replace: 'return landed.uncheckedOn === undefined || landed.commit !== ""',
    test: {
      file: QUEUE,
      title: 'checks it before it says that it is merged: %s, on a base that is red: %s',
    },
  },
  {
    name: 'what somebody merged before the turn of the queue came stays unchecked',
    area: 'forge',
    file: NEWS,
    find: 'if (!isWanted(state) || base === null || isAgreed)',
    replace: "if (base !== '' || isAgreed)",
    test: {
      file: PULL,
      title: 'is looked at by the queue where somebody else merged what was wanted: what it came to may be unchecked',
    },
  },
  {
    name: 'a head that was merged elsewhere counts as landed here',
    area: 'forge',
    file: 'activities/forge/ensure-pull.ts',
    find: 'pulls.find((pull) => pull.head === head && pull.base === base)',
    replace: 'pulls.find((pull) => pull.head === head)',
    test: {
      file: 'test/unit/forge/ensure-pull.test.ts',
      title: 'is shown by another pull request, since that one says nothing of this base',
    },
  },
];
