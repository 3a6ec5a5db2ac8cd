/**
 * Real agents behind `adapter: acp`, through the built command line, against a provider on loopback. Each case counts what the provider saw; a
 * case without a request is an error. Only `npm run e2e:agents` starts this.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CliRepository } from '../support/cli-repository.js';
import { jsonLines } from '../support/cli-world.js';
import { until } from '../support/until.js';
import type { AcpCase } from './agent-cases.js';
import type { AcpAgent } from './agent-clis.js';
import { type End, endedTurns, killWorker, noTurnLives, ranTurns, runTask, STALL } from './agent-runs.js';
import { type AgentWorld, noteRan, openAgentWorld } from './agent-world.js';
import { type MockProvider, type ProviderCall, startMockProvider } from './mock-provider.js';
import { plannedAcpAgents, readPlan } from './run-plan.js';

const LIMIT_MS = 600_000;

describe.each(plannedAcpAgents())('$name behind adapter: acp', (agent: AcpAgent) => {
  let provider: MockProvider;
  let agents: AgentWorld;

  beforeAll(async () => {
    provider = await startMockProvider(readPlan().mock);
    agents = openAgentWorld(agent, provider);
  }, LIMIT_MS);
  afterAll(async () => {
    await agents.close();
    await provider.close();
  }, LIMIT_MS);

  const run = (where: CliRepository, task: string, ...options: readonly string[]) =>
    runTask(agents, where, task, ...options);
  const ran = (name: AcpCase) => ranTurns(agents, name);

  describe('a run with a fix round', () => {
    let where: CliRepository;
    let end: End;
    let calls: readonly ProviderCall[];

    beforeAll(async () => {
      where = await agents.repository('full');
      const result = await run(where, `Add a line to a.txt. ${agent.resumeMarker}`);
      end = result.end;
      calls = ran('full run');
      expect({ end, stderr: result.stderr }).toMatchObject({
        end: { how: 'closed', outcome: 'merge_ready', verdict: 'verified' },
      });
    }, LIMIT_MS);

    it('changes the file by the tools of the agent, as executor and as fixer', () => {
      expect(where.git('show', `${String(end['branch'])}:a.txt`)).toBe('one\nchanged\nfixed\n');
      expect(where.git('diff', '--name-only', 'main', String(end['branch'])).trim()).toBe('a.txt');
    });

    it('takes each stage in order, each by a request of the agent', () => {
      const stages = calls.filter(({ results }) => results === 0).map(({ stage, round }) => `${stage} ${round}`);

      expect(stages).toEqual([
        'planning 0',
        'architecting 0',
        'executing 0',
        'reviewing 0',
        'fixing 1',
        'reviewing 1',
        'verifying 1',
      ]);
    });

    it('tells the tokens of each turn, of this turn alone', () => {
      const requests = (stage: string) => calls.filter((call) => call.stage === stage).length;

      // Two reviews, so each has half of the requests.
      for (const { stage, tokensIn, tokensOut } of endedTurns(end)) {
        const share = stage === 'reviewing' ? requests('reviewing') / 2 : requests(String(stage));
        expect({ stage, tokensIn, tokensOut }).toEqual({ stage, tokensIn: share * 1000, tokensOut: share * 100 });
      }
    });

    it("continues the executor's conversation when it fixes, and starts reviews and verification afresh", () => {
      noteRan(agent.name, 'resume', calls.filter(({ stage }) => stage === 'fixing').length);

      expect(calls.filter(({ stage, prompts }) => stage === 'fixing' && prompts < 2)).toEqual([]);
      expect(
        calls.filter(({ stage, prompts }) => (stage === 'reviewing' || stage === 'verifying') && prompts !== 1),
      ).toEqual([]);
    });
  });

  describe('a limit of the provider', () => {
    it.each([
      ['rate limit with a wait', ' after=2'],
      ['rate limit without one', ''],
    ] as const)(
      '%s ends the turn as one, is waited out, and the run goes on',
      async (name, after) => {
        const where = await agents.repository(name.replaceAll(' ', '-'));
        const marker = `[mock:rate-limit stage=planning times=${agent.callsUnderLimit}${after}]`;

        const { end } = await run(where, `Add a line. ${marker}`, '--stages', 'plan-only');
        const calls = ran(name);

        expect(end).toMatchObject({ how: 'closed', error: null });
        expect(calls.map(({ answered }) => answered)).toEqual([
          ...Array<string>(agent.callsUnderLimit).fill(marker),
          'model',
        ]);
        expect(endedTurns(end).map(({ outcome }) => outcome)).toEqual(['rate_limited', 'done']);
      },
      LIMIT_MS,
    );
  });

  describe('a turn', () => {
    it(
      'whose prompt is too long is tried once more with a shorter context, and then ends the run blocked',
      async () => {
        const where = await agents.repository('overflow');

        const { code, end } = await run(where, 'Add a line. [mock:overflow]', '--stages', 'plan-only');
        ran('overflow');

        expect(end).toMatchObject({ how: 'closed', outcome: 'blocked' });
        expect(endedTurns(end).map(({ outcome }) => outcome)).toEqual(['overflow', 'overflow']);
        expect(code).toBe(3);
      },
      LIMIT_MS,
    );

    it(
      'that asks before it starts a program waits for a person, and goes on with the option that is chosen',
      async () => {
        const id = `asks-${agent.name}`;
        // Nobody sits at a terminal here.
        const where = await agents.repository('question', { attended: true });
        const task = 'Add a line. [mock:approve] [mock:shell stage=executing]';
        const started = await agents.sluice(where, 'run', task, '--permissions', 'ask', '--detach', '--run-id', id);
        expect(started).toMatchObject({ code: 0 });

        const question = await openGate(where, id);
        expect(question).toMatchObject({ question: true, source: 'agent', stage: 'executing' });
        expect(question['requestedAction']).toContain("may it execute: printf 'one\\nchanged\\n' > a.txt");
        const once = (question['options'] as string[]).indexOf('Allow') + 1;
        expect(await agents.sluice(where, 'answer', id, String(once))).toMatchObject({ code: 0 });

        // The policy has a gate on the change too.
        expect(await openGate(where, id)).toMatchObject({ question: false });
        expect(await agents.sluice(where, 'approve', id)).toMatchObject({ code: 0 });
        const { stdout } = await agents.sluice(where, 'watch', id, '--json');
        const calls = ran('question');
        const end = jsonLines(stdout).at(-1) ?? {};

        expect(end).toMatchObject({ outcome: 'merge_ready' });
        expect(where.git('show', `${String(end['branch'])}:a.txt`)).toBe('one\nchanged\n');
        const outcomes = endedTurns(end).flatMap(({ stage, outcome }) => (stage === 'executing' ? [outcome] : []));
        expect([outcomes[0], outcomes.at(-1)]).toEqual(['needs_input', 'done']);
        // The program ran in the second turn alone.
        expect(calls.filter(({ stage, results }) => stage === 'executing' && results > 0)).toHaveLength(1);
      },
      LIMIT_MS,
    );

    it(
      'whose provider is silent is ended at the stall limit, and nothing of it lives',
      async () => {
        const where = await agents.repository('hang', { limits: { stall: STALL, killGrace: '1s' } });

        const { end } = await run(where, 'Add a line. [mock:hang]', '--stages', 'plan-only');
        ran('hang');

        expect(end).toMatchObject({ how: 'closed', outcome: 'failed', error: expect.stringContaining('stall') });
        await until(() => noTurnLives(agents));
      },
      LIMIT_MS,
    );

    it(
      'goes on while its worker is killed, and its agent is started once',
      async () => {
        const id = `killed-${agent.name}`;
        const where = await agents.repository('killed');
        const held = '[mock:hold stage=executing times=1]';
        const started = await agents.sluice(
          where,
          'run',
          `Add a line. [mock:approve] ${held}`,
          '--detach',
          '--run-id',
          id,
        );
        expect(started).toMatchObject({ code: 0 });
        await until(() => provider.calls().some(({ answered }) => answered === held), LIMIT_MS / 2);

        await killWorker(agents);
        provider.release();
        const { stdout } = await agents.sluice(where, 'watch', id, '--json');
        const calls = ran('killed worker');

        expect(jsonLines(stdout).at(-1)).toMatchObject({ outcome: 'merge_ready' });
        expect(calls.filter(({ stage, results }) => stage === 'executing' && results === 0)).toHaveLength(1);
      },
      LIMIT_MS,
    );

    it(
      'whose login is refused fails at once and says so',
      async () => {
        const where = await agents.repository('login');

        const { code, end } = await run(where, 'Add a line. [mock:login]', '--stages', 'plan-only');
        ran('login');

        expect(end).toMatchObject({ how: 'closed', outcome: 'failed', error: expect.stringContaining('log in with') });
        expect(endedTurns(end)).toHaveLength(1);
        expect(code).toBe(2);
      },
      LIMIT_MS,
    );
  });

  /** The first open gate of the run, once there is one. */
  async function openGate(where: CliRepository, id: string): Promise<End> {
    let gate: End | undefined;
    await until(async () => {
      const { stdout } = await agents.sluice(where, 'approvals', 'list', id, '--json');
      gate = jsonLines(stdout).find(({ status }) => status === 'pending');
      return gate !== undefined;
    }, LIMIT_MS / 2);
    return gate ?? {};
  }
});
