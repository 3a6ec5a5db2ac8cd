/**
 * The real CLIs behind the built command line, against a provider on loopback: what a person has who pays for one. Each case counts what the
 * provider saw; a case without a request is an error. Only `npm run e2e:agents` starts this.
 */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CliRepository } from '../support/cli-repository.js';
import { jsonLines } from '../support/cli-world.js';
import { until } from '../support/until.js';
import type { AgentCase } from './agent-cases.js';
import type { AgentCli } from './agent-clis.js';
import { type End, endedTurns, killWorker, noTurnLives, ranTurns, runTask, STALL } from './agent-runs.js';
import { type AgentWorld, noteRan, openAgentWorld } from './agent-world.js';
import { type MockProvider, type ProviderCall, startMockProvider } from './mock-provider.js';
import { plannedClis, readPlan } from './run-plan.js';

/** A turn of the slowest takes 5 s on a free machine, and a minute beside much else. */
const LIMIT_MS = 600_000;

describe.each(plannedClis())('$name', (cli: AgentCli) => {
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

  const run = (repository: CliRepository, task: string, ...options: readonly string[]) =>
    runTask(agents, repository, task, ...options);
  const ran = (name: AgentCase) => ranTurns(agents, name);

  describe('a run with a fix round', () => {
    let repository: CliRepository;
    let end: End;
    let calls: readonly ProviderCall[];

    beforeAll(async () => {
      repository = await agents.repository('full');
      const result = await run(repository, 'Add a line to a.txt.');
      end = result.end;
      calls = ran('full run');
      expect({ end, stderr: result.stderr }).toMatchObject({
        end: { how: 'closed', outcome: 'merge_ready', verdict: 'verified' },
      });
    }, LIMIT_MS);

    it('changes the file by the tools of the CLI, as executor and as fixer', () => {
      expect(repository.git('show', `${String(end['branch'])}:a.txt`)).toBe('one\nchanged\nfixed\n');
      expect(repository.git('diff', '--name-only', 'main', String(end['branch'])).trim()).toBe('a.txt');
    });

    it('takes each stage in order, each by a request of the CLI', () => {
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

    it('tells what each turn used, of this turn alone', () => {
      const used = endedTurns(end).map(({ stage, tokensIn, tokensOut }) => ({ stage, tokensIn, tokensOut }));
      const requests = (stage: string) => calls.filter((call) => call.stage === stage).length;

      // Two reviews, so each has half of the requests.
      for (const { stage, tokensIn, tokensOut } of used) {
        const share = stage === 'reviewing' ? requests('reviewing') / 2 : requests(String(stage));
        expect({ stage, tokensIn, tokensOut }).toEqual({ stage, tokensIn: share * 1000, tokensOut: share * 100 });
      }
    });

    it("continues the executor's conversation when it fixes, and starts reviews and verification afresh", () => {
      noteRan(cli.name, 'resume', calls.filter(({ stage }) => stage === 'fixing').length);

      expect(calls.filter(({ stage, prompts }) => stage === 'fixing' && prompts < 2)).toEqual([]);
      expect(
        calls.filter(({ stage, prompts }) => (stage === 'reviewing' || stage === 'verifying') && prompts !== 1),
      ).toEqual([]);
    });
  });

  describe('a limit of the provider', () => {
    it.each([
      ['rate limit with a wait', '[mock:rate-limit stage=planning times=1 after=2]'],
      ['rate limit without one', '[mock:rate-limit stage=planning times=1]'],
      ['usage limit', '[mock:usage-limit stage=planning times=1 in=5]'],
    ] as const)(
      '%s is waited out, and the run goes on',
      async (name, marker) => {
        const config =
          name === 'usage limit' ? { agents: { main: { adapter: cli.name, env: agents.subscription } } } : {};
        const repository = await agents.repository(name.replaceAll(' ', '-'), config);

        const { end } = await run(repository, `Add a line. ${marker}`, '--stages', 'plan-only');
        const calls = ran(name);

        expect(end).toMatchObject({ how: 'closed', error: null });
        expect(calls.map(({ answered }) => answered)).toEqual([marker, 'model']);
      },
      LIMIT_MS,
    );
  });

  describe('a turn', () => {
    it(
      'whose prompt is too long is tried once more with a shorter context, and then ends the run blocked',
      async () => {
        const repository = await agents.repository('overflow');

        const { code, end } = await run(repository, 'Add a line. [mock:overflow]', '--stages', 'plan-only');
        ran('overflow');

        expect(end).toMatchObject({ how: 'closed', outcome: 'blocked' });
        expect(endedTurns(end).map(({ outcome }) => outcome)).toEqual(['overflow', 'overflow']);
        expect(code).toBe(3);
      },
      LIMIT_MS,
    );

    it(
      'that wants what it may not is refused by the CLI and asks nobody',
      async () => {
        const repository = await agents.repository('permission', { stages: { executing: { tools: 'edit' } } });

        const { end } = await run(repository, 'Add a line. [mock:denied stage=executing]');
        const calls = ran('permission');

        expect(end).toMatchObject({ how: 'closed', outcome: 'no_changes' });
        expect(calls.filter(({ stage, results }) => stage === 'executing' && results > 0).length).toBe(1);
        expect(existsSync('/etc/sluice-denied')).toBe(false);
      },
      LIMIT_MS,
    );

    it(
      'whose provider is silent is ended at the stall limit, and nothing of it lives',
      async () => {
        const repository = await agents.repository('hang', { limits: { stall: STALL, killGrace: '1s' } });

        const { end } = await run(repository, 'Add a line. [mock:hang]', '--stages', 'plan-only');
        ran('hang');

        expect(end).toMatchObject({ how: 'closed', outcome: 'failed', error: expect.stringContaining('stall') });
        await until(() => noTurnLives(agents));
      },
      LIMIT_MS,
    );

    it(
      'goes on while its worker is killed, and its CLI is started once',
      async () => {
        const repository = await agents.repository('killed');
        const started = await agents.sluice(
          repository,
          'run',
          'Add a line. [mock:approve] [mock:hold stage=executing times=1]',
          '--detach',
          '--run-id',
          `killed-${cli.name}`,
        );
        expect(started.code).toBe(0);
        const isHeld = () =>
          provider.calls().some(({ answered }) => answered === '[mock:hold stage=executing times=1]');
        await until(isHeld, LIMIT_MS / 2);

        await killWorker(agents);
        provider.release();
        const { stdout } = await agents.sluice(repository, 'watch', `killed-${cli.name}`, '--json');
        const calls = ran('killed worker');

        expect(jsonLines(stdout).at(-1)).toMatchObject({ outcome: 'merge_ready' });
        expect(calls.filter(({ stage, results }) => stage === 'executing' && results === 0).length).toBe(1);
      },
      LIMIT_MS,
    );

    it(
      'whose login is refused fails at once and says so',
      async () => {
        const repository = await agents.repository('login');

        const { code, end } = await run(repository, 'Add a line. [mock:login]', '--stages', 'plan-only');
        ran('login');

        expect(end).toMatchObject({
          how: 'closed',
          outcome: 'failed',
          error: expect.stringMatching(/api.key|log ?in|auth/i),
        });
        expect(endedTurns(end).length).toBe(1);
        expect(code).toBe(2);
      },
      LIMIT_MS,
    );

    it(
      'whose connection is cut is taken again',
      async () => {
        const repository = await agents.repository('reset');

        const { end } = await run(
          repository,
          'Add a line. [mock:reset stage=planning times=1]',
          '--stages',
          'plan-only',
        );
        const calls = ran('cut connection');

        expect(end).toMatchObject({ how: 'closed', error: null });
        expect(calls.map(({ answered }) => answered)).toEqual(['[mock:reset stage=planning times=1]', 'model']);
      },
      LIMIT_MS,
    );
  });

  it(
    'that is missing is named before anything is started',
    async () => {
      const without = openAgentWorld(cli, provider, { installed: false });
      const repository = await without.repository('missing');

      const { code, stderr } = await without.sluice(repository, 'run', 'Add a line.');
      await without.close();

      expect(stderr).toContain(cli.program);
      expect(stderr).toContain('Nothing was started');
      expect(code).toBe(1);
      expect(without.newCalls()).toEqual([]);
    },
    LIMIT_MS,
  );
});
