/** A limit of the forge: whoever lands there waits at one clock, and nobody asks into it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import type { LandingView } from '../../protocol/actors/landing.js';
import type { QuotaGateView } from '../../protocol/actors/quota.js';
import { LANDING_WORKFLOW, landingId, quotaGateId, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { DEFAULT_LANDING } from '../../protocol/run/landing-policy.js';
import { HEAD, openStubWorkers, type StubWorkers, stubPull, stubTerms } from '../support/stub-host.js';
import { until } from '../support/until.js';

let workers: StubWorkers;
beforeAll(async () => {
  workers = await openStubWorkers();
});
afterAll(() => workers.close());

const LANDINGS = 100;

describe('a limit of the forge', () => {
  it('is one timer for a hundred landings, which ask once each before it and go on together after it', async () => {
    let isLimited = true;
    let looks = 0;
    const host = workers.open({
      findBase: async () => ({
        kind: 'branch',
        branch: 'main',
        head: null,
        terms: stubTerms({
          forge: { repo: 'Acme/shop', checksTimeoutMs: 3_600_000, reactRounds: 2 },
          landing: { ...DEFAULT_LANDING, mode: 'pr' },
        }),
      }),
      lookAtPull: async () => {
        looks += 1;
        if (isLimited) return { kind: 'limited', until: END, why: 'too many requests' };
        return { kind: 'pull', pull: stubPull({ state: 'merged', mergeCommit: HEAD }) };
      },
    });
    const END = new Date(Date.now() + 3_600_000).toISOString();
    const run = await host.start({ task: 'x', repo: '/shop' });
    await run.result();
    const { workflow } = host.client;
    const landings: readonly WorkflowHandle[] = await Promise.all(
      Array.from({ length: LANDINGS }, (_, n) =>
        workflow.start(LANDING_WORKFLOW, {
          workflowId: landingId(`limited-${n}`),
          taskQueue: TASK_QUEUE,
          args: [{ isUnasked: true, workflowId: run.workflowId }],
        }),
      ),
    );
    const gate = workflow.getHandle(quotaGateId('github/acme'));
    const view = () => gate.query<QuotaGateView>(STATUS_QUERY).catch(() => null);
    await until(async () => (await view())?.waiting === LANDINGS);

    expect(await view()).toMatchObject({ state: 'closed', limit: 'rate', until: END, waiting: LANDINGS });
    expect(looks).toBe(LANDINGS);
    const { events = [] } = await gate.fetchHistory();
    const timers = events?.filter(({ timerStartedEventAttributes: timer }) => timer != null) ?? [];
    const ended = events?.filter(({ timerCanceledEventAttributes: timer }) => timer != null) ?? [];
    expect(timers.length - ended.length).toBe(1);

    isLimited = false;
    await gate.executeUpdate('open');
    const answers = await Promise.all(landings.map((landing) => landing.result() as Promise<LandingView>));

    expect(answers.filter(({ merge }) => merge === 'merged')).toHaveLength(LANDINGS);
    expect(looks).toBe(2 * LANDINGS);
  });
});
