import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import { decideAfterTry, type Tries } from '../../../workflows/turns/turn-retry.js';
import { type AttendedRun, attendedRun } from '../../support/attended-run.js';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { type HistoryTimer, timersOf } from '../../support/history-timers.js';
import { quotaGateOf } from '../../support/quota-gate-of.js';
import { openTestHost, type TestHost, type TestWorker } from '../../support/test-host.js';
import { PLAIN_FIXTURE } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

const WORKS = PLAIN_FIXTURE.stages.executing;
const SHORT = 'stageList: [executing]\nattended: false\n';

/** The turn `times` times, and then as the plain one. */
const first = (turn: ScriptedTurn, times = 1): ScriptedTurn =>
  times === 0 ? WORKS : { text: 'Not yet.', ...turn, again: first(turn, times - 1) };
const executing = (turn: ScriptedTurn, config = SHORT): RunCase => ({ config, stages: { executing: turn } });
const failing = (turn: ScriptedTurn): RunCase => executing({ text: 'Not yet.', ...turn });

/** The provider says when its limit ends, counted from the moment of the turn. */
const limited = (seconds: number): ScriptedTurn => ({
  text: 'Not now.',
  run: `echo "sluice-outcome: usage_limit until=$(node -p 'new Date(Date.now() + ${seconds} * 1000).toISOString()') the plan is used up" >&2`,
  exit: 1,
});

const HELPER = `stand-in:\n    adapter: command\n    command: [sh, -c, 'cat > /dev/null; echo changed >> a.txt; echo done']\n`;
const STAND_IN = `    fallback: stand-in\n  ${HELPER}`;
/** Writes in every stage, and approves what it is asked. */
const JUDGE = `cat > prompt.txt; sed -n 's/^DECISION \\([0-9a-f]*\\):.*/DECISION \\1: APPROVED/p' prompt.txt | tail -n 1`;

/** Two agents with conversations: the one fails where it is to go on with its own, the other writes down how it is called. */
const CONVERSING = {
  'printed.txt': readFileSync(
    new URL('../../unit/agent/transcripts/claude-code/success.stdout', import.meta.url),
    'utf8',
  ),
  'one.sh': `cat > /dev/null; case " $* " in *" --resume "*) exit 1 ;; esac; echo changed >> a.txt; cat printed.txt\n`,
  'two.sh': `cat > /dev/null; echo "called with: $*" >> a.txt; cat printed.txt\n`,
};

const CASES = {
  exits: failing({ exit: 3 }),
  saysNothing: failing({ text: '' }),
  rateLimited: executing(first({ outcome: 'rate_limited' })),
  rateLimitedFor: executing(first({ outcome: 'rate_limited after=5' })),
  transient: failing({ outcome: 'transient' }),
  order: executing(
    {
      ...first({ stderr: 'HTTP 503 Service Unavailable\nHTTP 429 Too Many Requests\n', exit: 1 }),
      again: first({ stderr: 'HTTP 429 Too Many Requests\nClaude usage limit reached\n', exit: 1 }, 1),
    },
    `${SHORT}usageLimit:\n  action: stop\n`,
  ),
  // Waited out, twice; on a busy machine an agent needs more than a second to note its start.
  hangs: executing({ hang: true }, `${SHORT}stages:\n  executing:\n    timeout: 5s\nlimits:\n  killGrace: 200ms\n`),
  hangsOnce: executing(
    first({ hang: true }),
    `${SHORT}stages:\n  executing:\n    timeout: 10s\nlimits:\n  killGrace: 200ms\n`,
  ),
  numbers: failing({
    text: 'Checked 500 files; 429 of them are new, 503 are old.',
    stderr:
      '500 files\nError: 500 files were not read\n429 tests failed\nerror: 503 problems (502 errors, 1 warning)\nline 529\n',
    exit: 1,
  }),
  exitData: executing(first({ exit: 75 })),
  statusLine: executing(first({ stderr: 'HTTP 500 Internal Server Error\n', exit: 1 })),
  limitedOnce: executing({ ...limited(5), again: WORKS }),
  limitedThenTransient: executing({ ...limited(2), again: first({ outcome: 'transient' }, 4) }),
  limitedThrice: {
    config: 'stageList: [planning, executing, reviewing]\nattended: false\n',
    stages: {
      planning: { ...limited(4), again: PLAIN_FIXTURE.stages.planning },
      executing: { ...limited(4), again: WORKS },
      reviewing: { ...limited(4), again: PLAIN_FIXTURE.stages.reviewing },
    },
  },
  // A wait is at most 1440 minutes where no config says otherwise.
  limitedTooLong: executing(limited(25 * 3600)),
  limitedStop: executing(limited(3600), `${SHORT}usageLimit:\n  action: stop\n`),
  limitedFallback: executing(limited(3600), `${STAND_IN}${SHORT}usageLimit:\n  action: fallback\n`),
  fallback: {
    config: `${STAND_IN}${SHORT}`,
    stages: { executing: { text: 'Not yet.', append: { 'half.txt': 'half\n' }, exit: 1 } },
  },
  fallbackFails: executing(
    { exit: 1 },
    `    fallback: stand-in\n  stand-in:\n    command: [sh, -c, 'cat > /dev/null; exit 9']\n${SHORT}`,
  ),
  // Nothing says what else to do: the defaults are to wait, and no other agent.
  noFallback: executing({ exit: 1 }, `  ${HELPER}${SHORT}`),
  fallbackEachTurn: {
    config: `    fallback: stand-in\n  ${HELPER}stageList: [executing, reviewing, fixing, verifying]\nattended: false\n`,
    stages: {
      executing: { exit: 1 },
      reviewing: [
        { text: 'Not yet.', decision: 'CHANGES_REQUESTED' },
        { text: 'Right.', decision: 'APPROVED' },
      ],
      fixing: { exit: 1 },
    },
  },
  fallbackConverses: {
    files: CONVERSING,
    config: `  one: {adapter: claude-code, command: [sh, one.sh], fallback: two}\n  two: {adapter: claude-code, command: [sh, two.sh]}\nstageList: [executing, reviewing, fixing, verifying]\nattended: false\nstages:\n  executing: {agent: one}\n  fixing: {agent: one}\n`,
    stages: {
      reviewing: [
        { text: 'Not yet.', decision: 'CHANGES_REQUESTED' },
        { text: 'Right.', decision: 'APPROVED' },
      ],
    },
  },
  fallbackJudges: {
    config: `    fallback: judge\n  judge:\n    command: [sh, -c, ${JSON.stringify(JUDGE)}]\nstageList: [executing, reviewing]\nattended: false\n`,
    stages: { reviewing: { text: 'Broke.', exit: 1 } },
  },
} satisfies Record<string, RunCase>;

const dataOf = ({ events }: EndedRun, type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => data);
const endOf = (run: EndedRun) => [run.result.outcome, run.events.at(-1)?.data['errorClass']];

describe('a turn that fails', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
  }, 300_000);

  afterAll(() => host.close());

  const waitsOf = async ({ run }: EndedRun) => (await timersOf(run.handle)).map(({ ms }) => ms);

  it('V-121: does so by an exit code other than 0, or by saying nothing; without a sign that it would help it is not tried again', async () => {
    for (const run of [runs.exits, runs.saysNothing]) {
      expect(endOf(run)).toEqual(['failed', 'hard']);
      expect(run.turns).toEqual(['executing']);
      expect(await waitsOf(run)).toEqual([]);
    }
    expect(dataOf(runs.exits, 'turn.failed')).toMatchObject([{ exitCode: 3 }]);
    expect(dataOf(runs.saysNothing, 'turn.failed')).toMatchObject([{ exitCode: 0 }]);
  });

  it('V-121: is tried again after a rate limit, 2 s ± 20 % later at first, and no sooner than the server says', async () => {
    const told = [runs.rateLimited, runs.rateLimitedFor].map((run) => dataOf(run, 'turn.retried'));
    const [waitMs] = told.flat().map((data) => Number(data['waitMs']));

    expect([endOf(runs.rateLimited)[0], endOf(runs.rateLimitedFor)[0]]).toEqual(['merge_ready', 'merge_ready']);
    expect(told).toMatchObject([
      [{ outcome: 'rate_limited', retry: 1 }],
      [{ outcome: 'rate_limited', retry: 1, waitMs: 5_000 }],
    ]);
    expect(waitMs).toBeGreaterThanOrEqual(1_600);
    expect(waitMs).toBeLessThanOrEqual(2_400);
    expect(betweenTries(runs.rateLimited)).toBeGreaterThanOrEqual(waitMs ?? Number.NaN);
    expect(betweenTries(runs.rateLimitedFor)).toBeGreaterThanOrEqual(5_000);
  });

  it('V-121: is tried again four times where it is transient, after timers from 1 s that double, and then fails the run', async () => {
    const waits = await waitsOf(runs.transient);

    expect(endOf(runs.transient)).toEqual(['failed', 'transient']);
    expect(runs.transient.turns).toHaveLength(5);
    expect(waits).toHaveLength(4);
    expect(waits.map((ms, n) => within20Percent(ms, SECOND_MS * 2 ** n))).toEqual([true, true, true, true]);
    expect(dataOf(runs.transient, 'turn.retried').map(({ waitMs }) => waitMs)).toEqual(waits);
  });

  it('V-121: takes the first class of usage limit, rate limit, transient and hard that its output shows', () => {
    expect(dataOf(runs.order, 'turn.failed').map(({ outcome }) => outcome)).toEqual(['rate_limited', 'usage_limit']);
    expect(runs.order.result).toMatchObject({ outcome: 'blocked', blockedReason: 'usage_limit' });
  });

  it.each([
    ['rate_limited', [2, 4, 8, 16, 32], 0],
    ['rate_limited', [600, 600, 600, 600, 600], 600],
    ['transient', [1, 2, 4, 8], 0],
    ['hard', [], 0],
  ] as const)('V-121: in virtual time a %s turn waits %j seconds, ± 20 %%', (kind, seconds, askedSeconds) => {
    for (const jitter of [0, 0.5, 1]) {
      const waits = virtualWaits(kind, { jitter, afterMs: askedSeconds * SECOND_MS });
      const share = askedSeconds > 0 ? 1 : 0.8 + 0.4 * jitter;

      expect(waits).toEqual(seconds.map((wait) => Math.round(wait * SECOND_MS * share)));
    }
  });

  it('V-122: by its time limit is taken once more at once, and no more', async () => {
    expect(endOf(runs.hangs)).toEqual(['failed', 'timeout']);
    expect(runs.hangs.turns).toEqual(['executing', 'executing']);
    expect(dataOf(runs.hangs, 'turn.retried')).toMatchObject([{ outcome: 'timeout', retry: 1, waitMs: 0 }]);
    expect(await waitsOf(runs.hangs)).toEqual([]);
    expect(endOf(runs.hangsOnce)[0]).toBe('merge_ready');
    expect(runs.hangsOnce.turns).toEqual(['executing', 'executing']);
  });

  it('V-123: is hard where its output merely holds numbers such as "500 files"', () => {
    expect(endOf(runs.numbers)).toEqual(['failed', 'hard']);
    expect(runs.numbers.turns).toEqual(['executing']);
  });

  it('V-123: is transient by an exit code that means so, and by a status line at the start of a line', () => {
    for (const run of [runs.exitData, runs.statusLine]) {
      expect(endOf(run)[0]).toBe('merge_ready');
      expect(dataOf(run, 'turn.retried')).toMatchObject([{ outcome: 'transient', retry: 1 }]);
    }
  });

  it('V-124: by a usage limit waits for the reset once more and no more than twice in a run, and uses no retry for it', async () => {
    const thrice = runs.limitedThrice;

    expect(endOf(runs.limitedOnce)[0]).toBe('merge_ready');
    expect(dataOf(runs.limitedOnce, 'usage_limit.cleared')).toEqual(dataOf(runs.limitedOnce, 'usage_limit.waiting'));
    expect(thrice.result).toMatchObject({ outcome: 'blocked', blockedReason: 'usage_limit' });
    expect(thrice.turns).toEqual(['planning', 'planning', 'executing', 'executing', 'reviewing']);
    expect(dataOf(thrice, 'usage_limit.waiting')).toHaveLength(2);
    expect([...dataOf(runs.limitedOnce, 'turn.retried'), ...dataOf(thrice, 'turn.retried')]).toEqual([]);
  });

  it('V-124, T-96: by a usage limit has all its retries left after the wait', () => {
    expect(endOf(runs.limitedThenTransient)[0]).toBe('merge_ready');
    expect(runs.limitedThenTransient.turns).toHaveLength(6);
    expect(dataOf(runs.limitedThenTransient, 'turn.retried').map(({ retry }) => retry)).toEqual([1, 2, 3, 4]);
  });

  it('V-124: by a usage limit beyond the longest wait, by default of a day, or with action stop, ends the run blocked at once', async () => {
    for (const run of [runs.limitedTooLong, runs.limitedStop]) {
      expect(run.result).toMatchObject({ outcome: 'blocked', blockedReason: 'usage_limit' });
      expect(run.result.error).toContain('the plan is used up');
      expect(run.turns).toEqual(['executing']);
      expect(await waitsOf(run)).toEqual([]);
    }
  });

  it('V-124, V-125: by a usage limit goes to the fallback agent with action fallback, without a wait', async () => {
    expect(endOf(runs.limitedFallback)[0]).toBe('merge_ready');
    expect(dataOf(runs.limitedFallback, 'turn.fallback')).toMatchObject([
      { stage: 'executing', from: 'script', to: 'stand-in' },
    ]);
    expect(await waitsOf(runs.limitedFallback)).toEqual([]);
  });

  it('V-125: goes to the fallback agent once, whose change is committed and nothing else', () => {
    const { events, repository, run } = runs.fallback;
    const turns = events
      .filter(({ type }) => /^turn\.(?!retried)/.test(type))
      .map(({ type, data }) => [type, data['agent'] ?? data['to']]);

    expect(endOf(runs.fallback)[0]).toBe('merge_ready');
    expect(turns).toEqual([
      ['turn.started', 'script'],
      ['turn.failed', 'script'],
      ['turn.fallback', 'stand-in'],
      ['turn.started', 'stand-in'],
      ['turn.completed', 'stand-in'],
    ]);
    expect(repository.git('diff', '--name-only', 'main', `sluice/${run.runId}`).trim()).toBe('a.txt');
  });

  it('V-125: begins a new conversation with the fallback agent: the same prompt as a whole, in a turn of its own', () => {
    const [failed, second] = dataOf(runs.fallback, 'turn.started').map(({ seq }) => `turns/${Number(seq)}-executing`);
    const prompts = [failed, second].map((turn) =>
      runs.fallback.run.read(`${turn}/prompt.md`).replace(/\b[0-9a-f]{8}\b/g, 'CODE'),
    );

    expect(prompts[1]).toBe(prompts[0]);
    expect(prompts[1]).not.toContain('Not yet.');
    expect(JSON.parse(runs.fallback.run.read(`${second}/turn.json`))).toMatchObject({
      agent: 'stand-in',
      conversationId: null,
    });
  });

  it('V-125: begins a new conversation with the fallback agent where the one that failed went on with its own', () => {
    const { run, result, repository } = runs.fallbackConverses;
    const called = repository
      .git('show', `sluice/${run.runId}:a.txt`)
      .split('\n')
      .filter((line) => line.startsWith('called with: '));

    expect(result.outcome).toBe('merge_ready');
    expect(dataOf(runs.fallbackConverses, 'turn.fallback')).toMatchObject([
      { stage: 'fixing', from: 'one', to: 'two' },
    ]);
    expect(called).toEqual([expect.stringContaining('--output-format')]);
    expect(called.join()).not.toContain('--resume');
  });

  it('V-125: gives the fallback agent the rights of the stage and no others: in a read-only stage its change is rolled back', () => {
    const run = runs.fallbackJudges;

    expect(endOf(run)[0]).toBe('merge_ready');
    expect(run.view.finalDecision).toBe('APPROVED');
    expect(dataOf(run, 'turn.fallback')).toMatchObject([{ stage: 'reviewing', to: 'judge' }]);
    expect(dataOf(run, 'policy.violation')).toMatchObject([
      { rule: 'read_only', stage: 'reviewing', paths: ['prompt.txt'] },
    ]);
  });

  it('V-125: is once for each turn: the next turn begins with its own agent again, and has its own try of the fallback', () => {
    const run = runs.fallbackEachTurn;

    expect(dataOf(run, 'turn.fallback')).toMatchObject([
      { stage: 'executing', from: 'script', to: 'stand-in' },
      { stage: 'fixing', from: 'script', to: 'stand-in' },
    ]);
    expect(dataOf(run, 'turn.started').map(({ stage, agent }) => [stage, agent])).toEqual([
      ['executing', 'script'],
      ['executing', 'stand-in'],
      ['reviewing', 'script'],
      ['fixing', 'script'],
      ['fixing', 'stand-in'],
      ['reviewing', 'script'],
      ['verifying', 'script'],
    ]);
    expect(endOf(run)[0]).toBe('merge_ready');
  });

  it('V-125: is none by default, though the config has another agent', () => {
    expect(endOf(runs.noFallback)).toEqual(['failed', 'hard']);
    expect(dataOf(runs.noFallback, 'turn.started').map(({ agent }) => agent)).toEqual(['script']);
    expect(dataOf(runs.noFallback, 'turn.fallback')).toEqual([]);
  });

  it('V-125: fails the run where the fallback agent fails too: it is tried once', () => {
    expect(endOf(runs.fallbackFails)).toEqual(['failed', 'hard']);
    expect(dataOf(runs.fallbackFails, 'turn.fallback')).toHaveLength(1);
    expect(dataOf(runs.fallbackFails, 'turn.failed').map(({ agent }) => agent)).toEqual(['script', 'stand-in']);
  });
});

describe('a wait', () => {
  let host: TestHost;
  let worker: TestWorker;
  let runs: Record<'rateLimited' | 'usageLimit' | 'untilTomorrow', AttendedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    worker = await host.startWorker();
    const [rateLimited, usageLimit, untilTomorrow] = await Promise.all([
      attendedRun(host, executing(first({ outcome: 'rate_limited after=7' }))),
      attendedRun(host, executing({ ...limited(8), again: WORKS })),
      attendedRun(host, executing(limited(23 * 3600))),
    ]);
    runs = { rateLimited, usageLimit, untilTomorrow };
    await Promise.all(
      Object.values(runs).map(({ run }) => until(async () => /limit/.test((await run.view()).waiting?.kind ?? ''))),
    );
    // Of a usage limit once its account has a gate.
    await Promise.all(Object.values(runs).map(({ run }) => until(async () => (await timersOf(run.handle)).length > 0)));
  }, 300_000);

  afterAll(() => host.close());

  it('V-124: for a usage limit keeps the status, shows what it waits for and until when, and is a durable timer to the reset', async () => {
    const { run } = runs.untilTomorrow;
    const { status, waiting } = await run.view();
    const [timer, ...others] = await timersOf(run.handle);
    await until(
      () => existsSync(join(run.runDir, 'state.json')) && JSON.parse(run.read('state.json')).waiting !== null,
    );

    expect(status).toBe('executing');
    expect(waiting).toMatchObject({ kind: 'usage_limit' });
    expect(JSON.parse(run.read('state.json'))).toMatchObject({ status: 'executing', waiting });
    expect(others).toEqual([]);
    expect(timer?.firedAt).toBeNull();
    expect(Math.abs(endOfTimer(timer) - Date.parse(waiting?.until ?? ''))).toBeLessThan(30 * SECOND_MS);
    // The agent said so a moment earlier.
    expect(23 * HOUR_MS - (timer?.ms ?? 0)).toBeLessThan(60 * SECOND_MS);
    await runs.untilTomorrow.send('abort');
    expect((await run.result()).outcome).toBe('aborted');
  });

  it('V-122, V-124: does not begin again when the worker is killed in the middle of it', async () => {
    const waiting = [runs.rateLimited, runs.usageLimit];
    const gates = await Promise.all(waiting.map(({ run }) => quotaGateOf(run.handle)));
    const before = await Promise.all(waiting.map(({ run }) => timersOf(run.handle)));
    await until(
      () => Date.now() > Math.max(...before.map(([timer]) => (timer?.startedAt ?? 0) + (timer?.ms ?? 0) / 2)),
    );
    await worker.kill();
    worker = await host.startWorker();

    for (const [index, { run, turns }] of waiting.entries()) {
      expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });
      const [timer, ...others] = await timersOf(run.handle);
      // The one timer that was there before the kill is the one that counted, and the turn was taken again after it.
      expect(before[index]).toEqual([{ ...timer, firedAt: null }]);
      expect(others).toEqual([]);
      // The gate's counts; that of the run only bounds it.
      const counted = (await Promise.all(gates.slice(index, index + 1).map(timersOf))).flat();
      expect(counted.filter(({ firedAt }) => firedAt !== null)).toHaveLength(1);
      expect(turns()).toEqual(['executing', 'executing']);
    }
    expect(runs.rateLimited.run.events().filter(({ type }) => type === 'turn.retried')).toHaveLength(1);
  }, 300_000);

  it('V-122, V-124: for a reset that passed while no worker was there is over at once', async () => {
    const { run, repository, started, turns } = await attendedRun(
      host,
      executing({ waitFor: 'go', ...limited(3), again: WORKS }),
    );
    await started('executing');
    await worker.kill();
    repository.release('go');
    await until(() => readLedger(repository.ledgerPath).some(({ event }) => event === 'END'));
    const resetBy = Date.now() + 3 * SECOND_MS;
    await until(() => Date.now() > resetBy);
    worker = await host.startWorker();

    expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(turns()).toEqual(['executing', 'executing']);
    expect((await timersOf(run.handle)).filter(({ ms }) => ms > SECOND_MS)).toEqual([]);
  }, 300_000);
});

/** From the word that a turn is taken again to its start. Unit: ms. */
function betweenTries({ events }: EndedRun): number {
  const retried = events.findIndex(({ type }) => type === 'turn.retried');
  const next = events.slice(retried).find(({ type }) => type === 'turn.started');
  return Date.parse(next?.timestamp ?? '') - Date.parse(events[retried]?.timestamp ?? '');
}

function endOfTimer(timer: HistoryTimer | undefined): number {
  return (timer?.startedAt ?? 0) + (timer?.ms ?? 0);
}

function within20Percent(ms: number, of: number): boolean {
  return ms >= of * 0.8 && ms <= of * 1.2;
}

/** What a turn that never succeeds waits between its attempts; nothing sleeps. */
function virtualWaits(
  kind: 'rate_limited' | 'transient' | 'hard',
  { jitter, afterMs }: { readonly jitter: number; readonly afterMs: number },
): number[] {
  const outcome = kind === 'rate_limited' ? ({ kind, why: '', afterMs } as const) : ({ kind, why: '' } as const);
  const tries: Tries = { rateLimited: 0, transient: 0, timeouts: 0, fresh: false, overflow: null, fallback: null };
  const rules = { usageLimit: { action: 'wait', maxWaitMs: 24 * HOUR_MS, maxWaits: 2 }, usageWaits: 0 } as const;
  const waits: number[] = [];
  for (;;) {
    const next = decideAfterTry(outcome, tries, {
      ...rules,
      fallbackAgent: null,
      larger: false,
      now: waits.reduce((sum, ms) => sum + ms, 0),
      jitter,
    });
    if (next.kind !== 'wait') return waits;
    waits.push(next.ms);
    tries[kind === 'rate_limited' ? 'rateLimited' : 'transient'] += 1;
  }
}
