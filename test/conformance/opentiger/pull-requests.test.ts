/** Required checks and reviews of a pull request as opentiger asks for them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  FORGE_ENV,
  type ForgedRepository,
  forgedRepository,
  forgedRun,
  landingWhere,
  mergesAsked,
  tellLanding,
} from '../../support/forge/forged-runs.js';
import { VirtualLanding } from '../../support/forge/virtual-landing.js';
import { MINUTE_MS } from '../../support/landing-world.js';
import { QUEUED_RUNS } from '../../support/queued-repository.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { removeFolders } from '../../unit/git/repository-fixture.js';

afterAll(removeFolders);

const LIMIT_MS = 300_000;
const STARTED_AT = '2026-01-01T00:00:00Z';

describe('the required checks of a pull request', () => {
  // By the table of the landing and a clock of the test's; each look is the real activity, at the forge over HTTP.
  it(
    'T-64: are pending, passed, failed, or timed out after an hour; pending waits, and nothing is fixed for it',
    async () => {
      const landing = await VirtualLanding.open('pr');
      const { forge, head } = landing.at;
      forge.state.rules.requiredChecks = [{ context: 'ci', app: null }];
      const seen: unknown[] = [];
      for (const conclusion of [null, 'FAILURE', 'SUCCESS', null]) {
        forge.state.checks.set(head, [{ name: 'ci', app: null, conclusion, startedAt: STARTED_AT }]);
        await landing.pass(MINUTE_MS);
        seen.push(landing.view.pull?.at);
      }
      forge.state.checks.clear();
      // Counted from the look that first shows them pending again.
      await landing.pass(61 * MINUTE_MS);
      seen.push(landing.view.pull?.at);

      expect(seen).toEqual(['checks_pending', 'checks_failed', 'draft', 'checks_pending', 'checks_timed_out']);
      expect(landing.view).toMatchObject({ gates: [], repair: null });
      expect(landing.kinds).not.toEqual(expect.arrayContaining(['plan']));
      forge.close();
    },
    LIMIT_MS,
  );
});

describe('a pull request that is to land unasked', () => {
  let host: TestHost;
  let one: ForgedRepository;
  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker({ env: FORGE_ENV });
    one = await forgedRepository(host, {
      ...QUEUED_RUNS,
      config: `${QUEUED_RUNS.config}landing: { mode: auto, needs: checked }\n`,
    });
  }, LIMIT_MS);
  afterAll(async () => {
    await host.close();
    one.forge.close();
  }, LIMIT_MS);

  it(
    'T-64, T-78: waits for a check without a repair; what is pushed after the approval is not merged with it, but asked about, and lands reviewed and checked anew',
    async () => {
      const { state } = one.forge;
      state.protect('main');
      state.rules.requiredChecks = [{ context: 'ci', app: null }];
      state.rules.approvals = 1;
      const before = state.tip('main');
      const run = await forgedRun(host, one, 'change');
      await landingWhere(host, run, ({ pull }) => pull?.at === 'checks_pending');
      await expect(host.client.workflow.getHandle(`${run}-l1`).describe()).rejects.toThrow('not found');
      const pull = one.pullOf(run);
      const pass = (commit: string) => {
        state.checks.set(commit, [{ name: 'ci', app: null, conclusion: 'SUCCESS', startedAt: STARTED_AT }]);
        pull.reviews = [{ author: 'ann', state: 'APPROVED', commit }];
      };
      pass(state.headOf(pull));
      const late = state.commit(`sluice/${run}`, 'late.txt', 'late\n');
      await tellLanding(host, run, 'look');

      expect(await landingWhere(host, run, ({ gate }) => gate !== null)).toMatchObject({
        gate: { reason: 'pushed_by_other', why: expect.stringContaining(late.slice(0, 12)) },
      });
      expect([state.tip('main'), mergesAsked(one.forge)]).toEqual([before, 0]);
      await tellLanding(host, run, 'approve');
      await landingWhere(host, run, ({ pull: seen }) => seen?.at === 'checks_pending');
      pass(late);
      await tellLanding(host, run, 'look');
      await landingWhere(host, run, ({ merge }) => merge === 'merged');
      expect(one.files()).toEqual(expect.arrayContaining([`${run}.txt`, 'late.txt']));
      expect(mergesAsked(one.forge)).toBe(1);
    },
    LIMIT_MS,
  );
});
