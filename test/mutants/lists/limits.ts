/** Usage limits of an account, and the budget of a day: what many runs share. */
import type { Mutant } from '../mutant.js';

const GATE = 'test/unit/workflows/quota-table.test.ts';

const RATED =
  'opens for all at the end of a rate limit, without a probe: of several the latest counts, and who waits hears of it';

const BUDGET = 'test/unit/workflows/budget.test.ts';

const LEDGER = 'test/unit/workflows/day-ledger.test.ts';

export const LIMIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'the asks of one item are one waiter at a quota gate',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: 'return one.workflowId === other.workflowId && one.seat === other.seat;',
    replace: 'return one.workflowId === other.workflowId;',
    test: {
      file: 'test/unit/workflows/quota-table.test.ts',
      title: 'takes the seats of one workflow for as many waiters: one of them meets no limit that another one passed',
    },
  },
  {
    name: 'the second turn of an execution takes the place of the first',
    area: 'limits',
    file: 'workflows/budget/day-ledger.ts',
    find: ' && held.executionRunId !== executionRunId;',
    replace: ';',
    test: {
      file: 'test/unit/workflows/day-ledger.test.ts',
      title: 'counts two turns that one execution has under way',
    },
  },
  {
    name: 'every waiting run probes at the reset',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: '...tellAll(others, mode),',
    replace:
      "...others.map(({ workflowId, wait }) => ({ workflowId, word: { wait, word: 'probe' as const, opening: isoOf(now) } })),",
    test: { file: GATE, title: 'lets the oldest probe at the reset and tells the others by when there is news' },
  },
  {
    name: 'a limit opens although the probe met it again',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: "return result === 'limited' ? refused(state, until, now) : probeNext(state, now);",
    replace: "return result === 'limited' ? opened(state, now) : probeNext(state, now);",
    test: {
      file: GATE,
      title: 'closes anew where the probe meets the limit again, tells who waits, and lets the next one probe',
    },
  },
  {
    name: 'a probe is sent before the reset',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: 'now >= (wakesAt(state) ?? now) ? afterTime',
    replace: 'now > 0 ? afterTime',
    test: {
      file: GATE,
      title: 'closes with the first that waits, tells nobody what they know, and does nothing before its time',
    },
  },
  {
    name: 'a probe that is gone leaves all others waiting',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: "if (state.mode.kind === 'probing' && isGone(state.mode.waiter)) return probeNext(rest, now);",
    replace: '',
    test: { file: GATE, title: 'lets the next one probe where the probe %s' },
  },
  {
    name: 'a message that comes late closes a gate again',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: 'if (before.released.includes(park.wait)) return unchanged(before);',
    replace: '',
    test: { file: GATE, title: 'is not changed by a message that comes twice, or after the run was let go' },
  },
  {
    name: 'the latest time that was told counts',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: '(!before.isTold || closed.untilMs < before.untilMs)',
    replace: '(!before.isTold || closed.untilMs > before.untilMs)',
    test: { file: GATE, title: 'takes the earliest time that was told: a late one that is wrong would hold everybody' },
  },
  {
    name: 'a usage limit takes a retry of the turn',
    area: 'limits',
    file: 'activities/agent/events/cli-turn.ts',
    find: "if (told?.kind === 'usage_limit') return told;",
    replace: '',
    test: { file: 'test/unit/agent/claude-adapter.test.ts', title: 'is judged by its table: %s' },
  },
  {
    name: 'what is reserved is not counted against the budget of the day',
    area: 'limits',
    file: 'workflows/budget/day-ledger.ts',
    find: 'sumOf([settled, reservedOf(reservations)]);',
    replace: 'sumOf([settled, reservedOf(reservations.slice(0, 0))]);',
    test: { file: LEDGER, title: 'gives the last turn to one of two that ask for it' },
  },
  {
    name: 'a turn that is settled twice counts twice in the day',
    area: 'limits',
    file: 'workflows/budget/day-ledger.ts',
    find: 'if (day !== today.day || today.done.includes(token)) return today;',
    replace: 'if (day !== today.day) return today;',
    test: { file: LEDGER, title: 'counts a settlement that comes twice once' },
  },
  {
    name: 'a turn that is settled already is reserved again by a request that comes late',
    area: 'limits',
    file: 'workflows/budget/day-ledger.ts',
    find: 'if (today.done.includes(token) || today.reservations.some(',
    replace: 'if (today.reservations.some(',
    test: { file: LEDGER, title: 'answers a repeated request alike and reserves once' },
  },
  {
    name: 'a rate limit is probed by one run for a whole turn',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: "'rate' ? opened(state, now)",
    replace: "'rate' ? probeNext(state, now)",
    test: { file: GATE, title: RATED },
  },
  {
    name: 'the earliest end of a rate limit counts for all',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: 'return closed.untilMs > before.untilMs;',
    replace: 'return closed.untilMs < before.untilMs;',
    test: { file: GATE, title: RATED },
  },
  {
    name: 'nobody who waits hears that a rate limit lasts longer',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: '...(isLater ? tellAll(others, mode) : []),',
    replace: '',
    test: { file: GATE, title: RATED },
  },
  {
    name: 'a rate limit of seconds ends the wait for a usage limit',
    area: 'limits',
    file: 'workflows/quota/quota-table.ts',
    find: "if (closed.limit !== before.limit) return closed.limit === 'usage';",
    replace: '',
    test: {
      file: GATE,
      title: 'keeps runs with a rate limit waiting for a usage limit of their account, whichever came first',
    },
  },
  {
    name: 'a limit of tokens is never reached',
    area: 'limits',
    file: 'workflows/turns/budget.ts',
    find: 'tokens: used.tokens + (turn.tokens ?? 0),',
    replace: 'tokens: used.tokens,',
    test: { file: BUDGET, title: 'is reached by what turns read and wrote, and allowed once more by each grant' },
  },
  {
    name: 'a limit of tokens is promised of an agent that tells none',
    area: 'limits',
    file: 'workflows/turns/budget.ts',
    find: "{ field: 'tokens', told: 'tokens', key: 'tokens', what: 'the tokens of its turn', show: String },",
    replace: '',
    test: { file: BUDGET, title: 'ends a run whose agent does not tell them' },
  },
  {
    name: 'a turn that does not tell its tokens used none of the day',
    area: 'limits',
    file: 'workflows/budget/day-ledger.ts',
    find: 'usage?.tokens ?? expected.tokens',
    replace: 'usage?.tokens ?? 0',
    test: {
      file: LEDGER,
      title: 'counts tokens, and expects of a turn under way what such turns read and wrote today',
    },
  },
  {
    name: 'a grant allows no more than before',
    area: 'limits',
    file: 'protocol/run/budget-limits.ts',
    find: 'limit * (1 + grants)',
    replace: 'limit * Math.max(1, grants)',
    test: { file: BUDGET, title: 'is reached by what turns read and wrote, and allowed once more by each grant' },
  },
  {
    name: 'the end of a day forgets nothing',
    area: 'limits',
    file: 'workflows/budget/day-ledger.ts',
    find: 'return dayOf(now) > ledger.day ? emptyLedger(now) : ledger;',
    replace: 'return ledger;',
    test: {
      file: LEDGER,
      title: 'begins at 00:00 UTC with nothing used, and a turn that is still under way counts for its own day',
    },
  },
];
