/** What a run waits for: gates and their reminders, limits of an account, budgets, a host that is away. */
import type { Mutant } from '../mutant.js';

const CLOCK = 'test/unit/workflows/gate-clock.test.ts';
const GATES = 'test/workflow/gates.test.ts';
const QUOTA = 'test/workflow/quota.test.ts';
const RACES = 'test/workflow/people-races.test.ts';
const DAY = 'test/workflow/day-budget.test.ts';
const RATED = 'test/conformance/opentiger/quota.test.ts';
const TIMES = 'test/conformance/vibestrate/gate-times.test.ts';

export const WAIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'an open gate reminds for ever',
    area: 'limits',
    file: 'workflows/gates/gate-clock.ts',
    find: 'rung.reminders < MAX_REMINDERS ? (remindMs ?? NEVER) : NEVER',
    replace: 'rung.reminders < Infinity * MAX_REMINDERS ? (remindMs ?? NEVER) : NEVER',
    test: { file: CLOCK, title: 'reminds ten times and no more' },
  },
  {
    name: 'each reminder that nobody could tell is told later',
    area: 'limits',
    file: 'workflows/gates/gate-clock.ts',
    find: 'Math.max(rung.intervals + 1, Math.floor((now - opened) / every))',
    replace: 'rung.intervals + 1 + 0 * now',
    test: { file: CLOCK, title: 'tells once what it missed while nobody worked, and goes on at its own times' },
  },
  {
    name: 'an escalated gate reminds no more',
    area: 'limits',
    file: 'workflows/gates/gate-clock.ts',
    find: 'after: () => ({ ...rung, escalated: true }),',
    replace: 'after: () => ({ ...rung, escalated: true, reminders: MAX_REMINDERS }),',
    test: { file: CLOCK, title: 'reminds again and again, escalates once, and expires, in their order' },
  },
  {
    name: 'a gate that expires is told again first',
    area: 'limits',
    file: 'workflows/gates/gate-clock.ts',
    find: '(one.at < first.at ? one : first)',
    replace: '(one.at <= first.at ? one : first)',
    test: { file: CLOCK, title: 'expires before it says anything else of the same moment' },
  },
  {
    name: 'a reminder is counted from the one before and not from the opening',
    area: 'limits',
    file: 'workflows/gates/gate-clock.ts',
    find: 'at: opened + every * (rung.intervals + 1),',
    replace: 'at: opened + every * (rung.reminders + 1),',
    test: { file: CLOCK, title: 'tells once what it missed while nobody worked, and goes on at its own times' },
  },
  {
    name: 'nobody is told that a gate still waits',
    area: 'messages',
    file: 'workflows/gates/gate.ts',
    find: "owner.notifier.tell(escalated ? 'gate_escalated' : 'gate_reminder', message, gateCommand(gate));",
    replace: '',
    test: {
      file: TIMES,
      title:
        'V-49: reminder, escalation and expiry of an attended run are durable timers, fired in their order, and people are told',
    },
  },
  {
    name: 'a gate that nobody attends waits as if somebody did',
    area: 'messages',
    file: 'workflows/gates/new-gate.ts',
    find: 'attended ? expireMs : unattendedExpireMs',
    replace: 'attended || unattendedExpireMs === 0 ? expireMs : unattendedExpireMs',
    test: { file: GATES, title: 'expires at once where nobody attends the run' },
  },
  {
    name: 'a listed stage has its gate at every entry',
    area: 'messages',
    file: 'workflows/gates/gate-book.ts',
    find: 'this.listed.has(stage) ? null : policyCause(stage, listed, held)',
    replace: 'policyCause(stage, listed, held)',
    test: {
      file: GATES,
      title: 'V-47: opens a gate into fixing once for a run, and adds the requested changes to the fix',
    },
  },
  {
    name: 'what a turn asked for once opens a gate before each stage',
    area: 'messages',
    file: 'workflows/gates/gate-book.ts',
    find: '    this.asked = [];',
    replace: '',
    test: { file: GATES, title: 'makes one gate where policy and turn ask at one boundary' },
  },
  {
    name: 'a longer limit is not shown where runs are listed',
    area: 'limits',
    file: 'workflows/run/present.ts',
    find: "const until = view.waiting?.account === null ? '' : (view.waiting?.until ?? '');",
    replace: "const until = '';",
    test: {
      file: QUOTA,
      title: 'whose rate limit lasts longer by now says so where runs are listed, of those that wait already too',
    },
  },
  {
    name: 'the list of runs tells of no wait',
    area: 'limits',
    file: 'workflows/run/present.ts',
    find: '    waiting: view.waiting,',
    replace: '    waiting: null,',
    test: {
      file: QUOTA,
      title: 'whose rate limit lasts longer by now says so where runs are listed, of those that wait already too',
    },
  },
  {
    name: 'a run goes on by the word for another wait',
    area: 'limits',
    file: 'workflows/turns/quota-seat.ts',
    find: 'if (news === null || parked === null || news.wait !== parked.limit.wait) return;',
    replace: 'if (news === null || parked === null) return;',
    test: { file: QUOTA, title: 'does not break by signals that nobody can read, and opens by none of them' },
  },
  {
    name: 'an aborted run stays in the row of a quota gate',
    area: 'limits',
    file: 'workflows/turns/quota-seat.ts',
    find: "if (parked !== null) await this.say(parked.limit, 'leave', {});",
    replace: '',
    test: {
      file: QUOTA,
      title: 'forgets a run that is aborted while it waits, and lets the next probe when the probe is aborted',
    },
  },
  {
    name: 'waits for usage limits are not counted',
    area: 'limits',
    file: 'workflows/turns/turn-again.ts',
    find: '  owner.usageWaits += 1;',
    replace: '',
    test: { file: QUOTA, title: 'lets a run end that may wait no more often, and goes on with the next' },
  },
  {
    name: 'a turn is taken again without a line in the journal',
    area: 'limits',
    file: 'workflows/turns/turn-again.ts',
    find: '  noteRetry(owner, failed, next);',
    replace: "  if (next.kind !== 'wait') noteRetry(owner, failed, next);",
    test: {
      file: RATED,
      title:
        'B-44: costs one turn of each run, none until its end, by one timer that all share; then all go on, without a probe, a round or another retry',
    },
  },
  {
    name: 'each run waits for a rate limit alone',
    area: 'limits',
    file: 'workflows/turns/turn-again.ts',
    find: "(next.waiting === 'transient' ? wait(owner, next.ms) : waitForRate(owner, failed, next.ms))",
    replace: "(next.waiting !== 'usage_limit' ? wait(owner, next.ms) : waitForRate(owner, failed, next.ms))",
    test: { file: RATED, title: 'B-44: is over for all of them when the timer of the gate fires, without a probe' },
  },
  {
    name: 'a host that cannot write is asked again at every line',
    area: 'journal',
    file: 'workflows/journal/journal-flush.ts',
    find: 'if (!owner.journal.hasUnsent || this.failedAt === owner.journal.acknowledgements) continue;',
    replace: 'if (!owner.journal.hasUnsent) continue;',
    test: {
      file: RACES,
      title: 'hands a journal of more than a payload to its host in parts, when no flush came through for long',
    },
  },
  {
    name: 'an abort waits for a host that is away',
    area: 'journal',
    file: 'workflows/journal/journal-flush.ts',
    find: 'if (this.busy) this.sending.cancel();',
    replace: '',
    test: {
      file: RACES,
      title:
        'leaves the lines of a run that rests to its host, however long that is away, and takes them back for an abort',
    },
  },
  {
    name: 'a turn of the day is settled without what it used',
    area: 'limits',
    file: 'workflows/turns/day-budget.ts',
    find: 'usage: tried?.usage ?? null };',
    replace: 'usage: tried && null };',
    test: { file: DAY, title: 'V-130: counts every attempt once, and both runs and ledger replay as they went' },
  },
  {
    name: 'one approval grants a budget once though a turn used it up twice',
    area: 'limits',
    file: 'workflows/turns/within-budget.ts',
    find: 'while (reachedOwn(owner) !== null);',
    replace: 'while (owner.used.grants < 0);',
    test: { file: RACES, title: 'grants as much of a budget as one turn used, by one approval' },
  },
  {
    name: 'a budget that says pause ends the run',
    area: 'limits',
    file: 'workflows/turns/within-budget.ts',
    find: "owner.policy.budget.onLimit === 'stop'",
    replace: "owner.policy.budget.onLimit !== 'pause' || data.limit === 'turns'",
    test: { file: GATES, title: 'stops at the budget, or asks for more' },
  },
  {
    name: 'a gate of an aborted run stays open',
    area: 'messages',
    file: 'workflows/run/close-run.ts',
    find: 'if (gates.open !== null) expireGate',
    replace: "if (gates.open !== null && ending.outcome !== 'aborted') expireGate",
    test: { file: GATES, title: 'aborts at an open gate' },
  },
  {
    name: 'the agent of a stage decides for its fallback',
    area: 'engine',
    file: 'workflows/run/turn.ts',
    find: 'fallback: tries.fallback } : settled',
    replace: 'fallback: null } : settled',
    test: {
      file: RACES,
      title: 'asks the fallback agent for its own decision, and keeps the review that it gave first',
    },
  },
];
