import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttendedRun, attendedRun, beside } from '../../support/attended-run.js';
import { attendedAgain, heldIn, letGo } from '../../support/held-stage.js';
import { detailsOf } from '../../support/run-steps.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';

const LIMIT_MS = 120_000;
const FOUR = 'stageList: [planning, architecting, executing, verifying]\n';
const USED_UP = { outcome: 'blocked', blockedReason: 'budget' };

const usedBy = async ({ run }: AttendedRun) => (await detailsOf(run.handle)).used;
const limits = ({ run }: AttendedRun) => run.events().flatMap(({ type, data }) => (type === 'budget.limit' ? [data] : []));

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
      expect(limits(plain)).toEqual([{ limit: 'turns', used: 2, allowed: 2 }]);
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
        attendedRun(host, { config: `budget: {run: {minutes: 0.01}}\n${FOUR}`, stages: { planning: { text: 'Plan.', delayMs: 700 } } }),
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
      expect(limits(dear)).toEqual([{ limit: 'usd', used: 0.5, allowed: 0.5 }]);
      expect(await usedBy(dear)).toMatchObject({ turns: 2, microUsd: 500_000 });
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

describe('the budget of a run whose worker is killed', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it(
    'V-130: keeps its count: no turn is counted twice, none is forgotten',
    async () => {
      const held = heldIn(host, 'executing', { costUsd: 0.25 });
      const repository = await host.repository({ ...held, config: `${held.config ?? ''}budget: {run: {turns: 3, usd: 10}}\n` });
      const worker = await host.startWorker();
      const person = beside(host, repository, await host.startRun(repository));
      await person.started('executing');
      const before = await usedBy(person);
      await worker.kill();
      await host.startWorker();
      await attendedAgain(host, person.run);
      const after = await usedBy(person);
      letGo(host);

      expect(await person.result()).toMatchObject(USED_UP);
      expect(before).toMatchObject({ turns: 2, microUsd: 0 });
      expect(after).toEqual(before);
      expect(await usedBy(person)).toMatchObject({ turns: 3, microUsd: 250_000 });
      expect(person.turns()).toEqual(['planning', 'architecting', 'executing']);
    },
    LIMIT_MS,
  );
});
