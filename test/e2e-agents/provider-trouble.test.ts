/**
 * A provider that is in trouble for as long as it is asked: whatever a CLI does about it by itself, each turn ends typed, the turns are
 * few, and the run ends. Only `npm run e2e:agents` starts this.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentCase } from './agent-cases.js';
import type { AgentCli } from './agent-clis.js';
import { endedTurns, runTask, STALL } from './agent-runs.js';
import { type AgentWorld, noteRan, openAgentWorld } from './agent-world.js';
import { type MockProvider, startMockProvider } from './mock-provider.js';
import { plannedClis, readPlan } from './run-plan.js';

const LIMIT_MS = 900_000;

/** Some try for minutes by themselves, with ever longer pauses; the first calls are made by then, also beside much else. */
const TURN = '60s';

/** The first and four more: protocol limits of `transient`. */
const MOST_TURNS = 5;

describe.each(plannedClis())('a provider in trouble and $name', (cli: AgentCli) => {
  let provider: MockProvider;
  let agents: AgentWorld;

  beforeAll(async () => {
    provider = await startMockProvider(readPlan().mock);
    agents = openAgentWorld(cli, provider);
  }, LIMIT_MS);

  afterAll(async () => {
    await agents.close();
    await provider.close();
  }, LIMIT_MS);

  async function ended(name: AgentCase, marker: string, limits: Readonly<Record<string, string>>) {
    const repository = await agents.repository(name.replaceAll(' ', '-'), { limits: { ...limits, killGrace: '1s' } });
    const { code, end } = await runTask(agents, repository, `Add a line. [mock:${marker}]`, '--stages', 'plan-only');
    noteRan(cli.name, name, agents.newCalls().length);
    return { code, end, outcomes: endedTurns(end).map(({ outcome }) => outcome) };
  }

  it.each([
    ['provider fails', 'http-500'],
    ['provider cuts', 'reset'],
  ] as const)(
    '(%s): the turn is tried some times more, and the run fails',
    async (name, marker) => {
      const { code, end, outcomes } = await ended(name, marker, { turn: TURN });

      expect(end).toMatchObject({ how: 'closed', outcome: 'failed' });
      expect(code).toBe(2);
      expect(outcomes.length).toBeGreaterThan(1);
      expect(outcomes.length).toBeLessThanOrEqual(MOST_TURNS);
      expect(outcomes.filter((outcome) => outcome !== 'transient' && outcome !== 'timeout')).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    '(provider trickles): the turn is ended at the stall limit, once more, and the run fails',
    async () => {
      const { end, outcomes } = await ended('provider trickles', 'trickle', { stall: STALL });

      expect(end).toMatchObject({ how: 'closed', outcome: 'failed', error: expect.stringContaining('stall') });
      expect(outcomes).toEqual(['timeout', 'timeout']);
    },
    LIMIT_MS,
  );
});
