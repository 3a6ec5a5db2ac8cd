import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import type { DayBudgetView } from '../../../protocol/actors/day-budget.js';
import { STATUS_QUERY } from '../../../protocol/names.js';
import { type AttendedRun, attendedRun, beside } from '../../support/attended-run.js';
import { attendedAgain, heldIn, letGo } from '../../support/held-stage.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { openedOnce } from '../../support/opened.js';
import { detailsOf } from '../../support/run-steps.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';

const LIMIT_MS = 300_000;
const FOUR = 'stageList: [planning, architecting, executing, verifying]\n';
const USED_UP = { outcome: 'blocked', blockedReason: 'budget' };

const TOKENS = 100;
const tokens = (of: 'run' | 'day') => `budget: {${of}: {tokens: ${TOKENS}}}\n`;
/** What the real CLI once printed of a turn that went well, its tokens included. */
const TELLS = {
  'answer.txt': readFileSync(new URL('../../unit/agent/transcripts/codex/success.stdout', import.meta.url), 'utf8'),
  'codex.sh': 'cat > /dev/null; cat answer.txt\n',
};
const CODEX =
  '  one: {adapter: codex, command: [sh, codex.sh]}\nstages: {planning: {agent: one}, architecting: {agent: one}}\n';

const NO_LIMITS = { turns: null, minutes: null, microUsd: null, tokens: null };

const usedBy = async ({ run }: AttendedRun) => (await detailsOf(run.handle)).used;
/** What the ledger of the run's project says. */
const dayOf = async (host: TestHost, { run }: AttendedRun) => {
  const { ledger } = await detailsOf(run.handle);
  return host.client.workflow.getHandle(ledger ?? '').query<DayBudgetView>(STATUS_QUERY);
};
const limits = ({ run }: AttendedRun) =>
  run.events().flatMap(({ type, data }) => (type === 'budget.limit' ? [data] : []));

describe('the budget of a run', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it(
    'V-130: turns are checked before each turn; failed attempts count',
    async () => {
      const again = { text: 'Architecture.' };
      const [plain, failing] = await Promise.all([
        attendedRun(host, { config: `budget: {run: {turns: 2}}\n${FOUR}` }),
        attendedRun(host, {
          config: `budget: {run: {turns: 3}}\n${FOUR}`,
          stages: { architecting: { outcome: 'transient the network is away', again } },
        }),
      ]);

      expect(await plain.result()).toMatchObject(USED_UP);
      expect(plain.turns()).toEqual(['planning', 'architecting']);
      expect(limits(plain)).toMatchObject([{ limit: 'turns', used: 2, allowed: 2 }]);
      expect(await failing.result()).toMatchObject(USED_UP);
      expect(failing.turns()).toEqual(['planning', 'architecting', 'architecting']);
      expect(await usedBy(failing)).toMatchObject({ turns: 3 });
      expect(failing.run.events().filter(({ type }) => type === 'turn.failed')).toHaveLength(1);
    },
    LIMIT_MS,
  );

  it(
    'V-130: minutes of agents at work are counted, and so is money',
    async () => {
      const [slow, dear] = await Promise.all([
        attendedRun(host, {
          config: `budget: {run: {minutes: 0.01}}\n${FOUR}`,
          stages: { planning: { text: 'Plan.', delayMs: 700 } },
        }),
        attendedRun(host, {
          config: `budget: {run: {usd: 0.5}}\n${FOUR}`,
          stages: { planning: { text: 'Plan.', costUsd: 0.3 }, architecting: { text: 'Design.', costUsd: 0.2 } },
        }),
      ]);

      expect(await slow.result()).toMatchObject(USED_UP);
      expect(slow.turns()).toEqual(['planning']);
      expect(limits(slow)).toMatchObject([{ limit: 'minutes', allowed: 0.01 }]);
      expect(await dear.result()).toMatchObject(USED_UP);
      expect(dear.turns()).toEqual(['planning', 'architecting']);
      expect(limits(dear)).toMatchObject([{ limit: 'usd', used: 0.5, allowed: 0.5 }]);
      expect(await usedBy(dear)).toMatchObject({ turns: 2, microUsd: 500_000 });
    },
    LIMIT_MS,
  );

  it(
    'V-130, T-106: tokens that a turn read and wrote are counted, of a run and of a day, and stop new attempts with the reason budget; nothing else is limited by default',
    async () => {
      const [own, first] = await Promise.all([
        attendedRun(host, { files: TELLS, config: `${CODEX}stageList: [planning, architecting]\n${tokens('run')}` }),
        attendedRun(host, { files: TELLS, config: `${CODEX}stageList: plan-only\n${tokens('day')}` }),
      ]);
      expect(await first.result()).toMatchObject({ outcome: 'merge_ready' });
      const late = beside(host, first.repository, await host.startRun(first.repository));

      for (const stopped of [own, late]) expect(await stopped.result()).toMatchObject(USED_UP);
      const { tokens: used } = await usedBy(own);
      expect(used).toBeGreaterThan(TOKENS);
      expect(limits(own)).toMatchObject([{ limit: 'tokens', used, allowed: TOKENS, day: null }]);
      expect(limits(late)).toMatchObject([{ limit: 'tokens', used, allowed: TOKENS, day: expect.any(String) }]);
      expect(own.run.events().filter(({ type }) => type === 'turn.started')).toHaveLength(1);
      expect(late.run.events().filter(({ type }) => type === 'turn.started')).toEqual([]);
      const budgets = await Promise.all(
        [own, late].map(async ({ run }) => (await detailsOf(run.handle)).policy?.budget),
      );
      expect(budgets).toEqual([
        { ...NO_LIMITS, tokens: TOKENS, onLimit: 'stop', day: null },
        { ...NO_LIMITS, onLimit: 'stop', day: { ...NO_LIMITS, tokens: TOKENS } },
      ]);
    },
    LIMIT_MS,
  );

  it(
    'V-130: onLimit pause opens a gate, and each approval allows the whole budget once more',
    async () => {
      const person = await attendedRun(host, { config: `budget: {run: {turns: 1}, onLimit: pause}\n${FOUR}` });
      expect(await person.gate('gate-1')).toMatchObject({ source: 'budget', stage: 'architecting', changesGoTo: null });
      await person.approve(1);
      expect(await person.gate('gate-2')).toMatchObject({ source: 'budget', stage: 'executing' });
      expect(await usedBy(person)).toMatchObject({ turns: 2, grants: 1 });
      await person.send('approve', { decision: 'reject' });

      expect(await person.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rejected' });
      expect(person.turns()).toEqual(['planning', 'architecting']);
      expect(limits(person)).toHaveLength(2);
    },
    LIMIT_MS,
  );
});

describe('the budget of a day', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it(
    'V-130, T-106: money and turns of all runs of a project count together, and stop new attempts with the reason budget',
    async () => {
      const config = `budget: {day: {turns: 3, usd: 0.5}}\nstageList: [planning]\n`;
      const dear = await attendedRun(host, { config, stages: { planning: { text: 'Plan.', costUsd: 0.5 } } });
      const first = await dear.result();
      const again = beside(host, dear.repository, await host.startRun(dear.repository));

      expect(first.blockedReason).not.toBe('budget');
      expect(await again.result()).toMatchObject(USED_UP);
      const told = await Promise.all(
        ['budget', 'status'].map((command) => sluiceBeside(host, [command, dear.run.runId])),
      );
      expect(told[0]?.stdout).toMatch(
        /\ncost {5}planning \$0\.50\nthe day \S+ \(UTC\) of .*\n {2}turns +1 used, of 3, 2 left\n.*\n {2}usd +0\.5 used, of 0\.5, 0 left/,
      );
      expect(told[1]?.stdout).toMatch(/\ncost +planning \$0\.50\n/);
      expect(limits(again)).toMatchObject([{ limit: 'usd', used: 0.5, allowed: 0.5, day: expect.any(String) }]);
      expect(again.turns()).toEqual(['planning']);
      expect(await dayOf(host, again)).toMatchObject({
        settled: { turns: 1, microUsd: 500_000 },
        reserved: { turns: 0 },
      });
      expect(dear.run.read('report.md')).toMatch(/\| planning \| 1 \| .* \| 0\.5000 \|/);
    },
    LIMIT_MS,
  );
});

describe('the other limits of a day', () => {
  const host = openedOnce(openTestHost);

  /** The second of two runs of a project, whose first used up the limit. */
  async function lateRun(budget: string, planning: ScriptedTurn): Promise<AttendedRun> {
    await host.startWorker();
    const config = `budget: {${budget}}\nstageList: [planning]\n`;
    const early = await attendedRun(host, { config, stages: { planning } });
    expect(await early.result()).toMatchObject({ outcome: 'merge_ready' });
    return beside(host, early.repository, await host.startRun(early.repository));
  }

  it(
    'V-130: turns of all runs of a project count together and are checked before each turn',
    async () => {
      const late = await lateRun('day: {turns: 1}', { text: 'Plan.' });

      expect(await late.result()).toMatchObject(USED_UP);
      expect(limits(late)).toMatchObject([{ limit: 'turns', used: 1, allowed: 1, day: expect.any(String) }]);
      expect(late.turns()).toEqual(['planning']);
    },
    LIMIT_MS,
  );

  it(
    'V-130: minutes of all runs of a project count together, and onLimit pause opens a gate at a limit of the day too',
    async () => {
      const late = await lateRun('day: {minutes: 0.01}, onLimit: pause', { text: 'Plan.', delayMs: 700 });

      expect(await late.gate()).toMatchObject({ source: 'budget', stage: 'planning' });
      await late.send('approve', { decision: 'reject' });
      expect(await late.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'approval_rejected' });
      expect(limits(late)).toMatchObject([{ limit: 'minutes', allowed: 0.01, day: expect.any(String) }]);
      expect(late.turns()).toEqual(['planning']);
    },
    LIMIT_MS,
  );
});

describe('the budget of a run whose worker is killed', () => {
  const host = openedOnce(openTestHost);

  it(
    'V-130: keeps its count: no turn is counted twice, none is forgotten',
    async () => {
      const options = heldIn(host, 'executing', { costUsd: 0.25 });
      const repository = await host.repository({
        ...options,
        config: `${options.config ?? ''}budget: {run: {turns: 3, usd: 10}, day: {turns: 9}}\n`,
      });
      const worker = await host.startWorker();
      const person = beside(host, repository, await host.startRun(repository));
      await person.started('executing');
      const before = await usedBy(person);
      await worker.kill();
      await host.startWorker();
      await attendedAgain(host, person.run);
      const after = await usedBy(person);
      const held = await dayOf(host, person);
      letGo(host);

      expect(await person.result()).toMatchObject(USED_UP);
      expect(before).toMatchObject({ turns: 2, microUsd: 0 });
      expect(after).toEqual(before);
      expect(await usedBy(person)).toMatchObject({ turns: 3, microUsd: 250_000 });
      expect(person.turns()).toEqual(['planning', 'architecting', 'executing']);
      expect(held).toMatchObject({ settled: { turns: 2 }, reserved: { turns: 1 } });
      expect(await dayOf(host, person)).toMatchObject({
        settled: { turns: 3, microUsd: 250_000 },
        reserved: { turns: 0 },
      });
    },
    LIMIT_MS,
  );
});
