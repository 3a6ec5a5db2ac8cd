/**
 * A task of a backlog by a real CLI, through the built command line: judged and planned with tools that only look, approved by a person, and done step
 * by step, each in a conversation of its own. Only `npm run e2e:agents` starts this.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StepRecord } from '../../activities/steps/step-records.js';
import type { CliRepository } from '../support/cli-repository.js';
import { jsonLines } from '../support/cli-world.js';
import { until } from '../support/until.js';
import type { SkepCase } from './agent-cases.js';
import type { AgentCli } from './agent-clis.js';
import { ranTurns } from './agent-runs.js';
import { type AgentWorld, openAgentWorld } from './agent-world.js';
import { JUDGED, PLANNED, SAME_REASON } from './ask-answers.js';
import { type MockProvider, type ProviderCall, startMockProvider } from './mock-provider.js';
import { plannedOfAll, readPlan } from './run-plan.js';

/** A dozen turns, beside much else. */
const LIMIT_MS = 900_000;

const PROJECT = 'skep';

/** Whoever judges and plans tries to change a file first, by a program and by the tools of the CLI; the second step is half done until it is taken up again. */
const TASK = 'Add two lines to a.txt. [mock:tries stage=classify] [mock:tries stage=plan] [mock:half step=2]';

/** The same, in words that none of the layers takes for it. */
const OTHER_WORDS = 'That text file wants a pair of further rows';

/** The first step alone is green, half of the second is not. */
const VALIDATION = { commands: ['grep -q changed a.txt', '! grep -q half a.txt'] };

/** States of a task that goes on by itself. `unmerged`: it is about to land. */
const PASSING: readonly string[] = ['admitting', 'queued', 'running'];

type Item = Readonly<Record<string, unknown>>;

describe.each(plannedOfAll())('a task of a backlog and $name', (cli: AgentCli) => {
  let provider: MockProvider;
  let agents: AgentWorld;
  let repository: CliRepository;

  const sluice = (...args: readonly string[]) => agents.sluice(repository, ...args);
  const ran = (name: SkepCase) => ranTurns(agents, name);

  beforeAll(async () => {
    provider = await startMockProvider(readPlan().mock);
    agents = openAgentWorld(cli, provider);
    repository = await agents.repository(PROJECT, { preset: 'skep', validation: VALIDATION });
    // Nobody stands on the base, so that it is moved.
    repository.git('switch', '-q', '-c', 'other');
  }, LIMIT_MS);

  afterAll(async () => {
    await agents.close();
    await provider.close();
  }, LIMIT_MS);

  async function create(task: string, title: string): Promise<string> {
    const { code, stdout, stderr } = await sluice('task', 'create', task, '--title', title, '--base', 'main', '--json');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return String(jsonLines(stdout)[0]?.['id']);
  }

  async function shown(id: string): Promise<Item> {
    return jsonLines((await sluice('task', 'show', id, '--json')).stdout)[0] ?? {};
  }

  /** Once it waits for somebody, or is closed. */
  async function atRest(id: string): Promise<Item> {
    let item: Item = {};
    await until(async () => {
      item = await shown(id);
      return !PASSING.includes(String(item['state'])) && item['reason'] !== 'unmerged';
    }, LIMIT_MS / 3);
    return item;
  }

  const stepsOf = (runId: string) => {
    const file = join(repository.path, '.sluice/runs', runId, 'steps.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly steps: readonly StepRecord[] }).steps; // Ours.
  };

  describe('that is judged and planned', () => {
    let gated: Item;
    let failed: Item;
    let calls: readonly ProviderCall[];

    beforeAll(async () => {
      const id = await create(TASK, 'two lines');
      gated = await atRest(id);
      const { code, stderr } = await sluice('task', 'approve', id);
      expect({ code, stderr, gated }).toMatchObject({ code: 0 });
      failed = await atRest(id);
      calls = ran('task by steps');
    }, LIMIT_MS);

    const requestsOf = (stage: string) => calls.filter((call) => call.stage === stage);

    it('waits for a person with what was read out of the answers', () => {
      expect(gated).toMatchObject({ state: 'gated', reason: 'plan' });
      expect(gated['admission']).toMatchObject({
        scope: JUDGED.classification,
        confidence: JUDGED.confidence,
        why: JUDGED.reason,
        questions: [],
        plan: {
          lines: PLANNED.plan.map(({ verb, description }, at) => `${at + 1}. [${verb}] ${description} → a.txt`),
        },
      });
    });

    it('is asked about once each, by an agent that changes nothing though it tries to', () => {
      // A plan whose checkout was changed is refused, and asked for once more.
      for (const stage of ['classify', 'plan']) {
        const requests = requestsOf(stage);

        expect({ stage, first: requests.filter(({ results }) => results === 0).length }).toEqual({ stage, first: 1 });
        expect({ stage, tried: requests.some(({ results }) => results > 1) }).toEqual({ stage, tried: true });
      }
      expect(requestsOf('dedup')).toEqual([]);
      expect(repository.git('show', 'main:a.txt')).toBe('one\n');
    });

    it('takes each step in a conversation of its own, and the one that failed once more', () => {
      const begun = requestsOf('executing').filter(({ results }) => results === 0);

      expect({ failed, begun }).toMatchObject({
        failed: { state: 'parked', reason: 'step_failed' },
        begun: [{ steps: [1] }, { steps: [2] }, { steps: [2] }],
      });
      const [first, second] = stepsOf(`${PROJECT}-1`);
      expect([first?.status, second?.status]).toEqual(['done', 'failed']);
      const ids = [first, second].flatMap((step) => step?.attempts.map(({ conversationId }) => conversationId) ?? []);
      expect([ids.length, new Set(ids).size, ids.includes(null)]).toEqual([3, 3, false]);
    });

    it(
      'is the same as one in other words, where the agent says so',
      async () => {
        const id = await create(OTHER_WORDS, 'a pair of rows');
        const item = await atRest(id);
        const asked = ran('duplicate asked');

        expect(item).toMatchObject({ state: 'closed', reason: 'duplicate', admission: { duplicateOf: '1' } });
        expect(item['why']).toContain(SAME_REASON);
        expect(asked.map(({ stage, results }) => [stage, results])).toEqual([['dedup', 0]]);
      },
      LIMIT_MS,
    );

    it(
      'goes on in the conversation of the step that failed, and lands with the commits of its steps',
      async () => {
        await pastTheMinute();
        expect(await sluice('task', 'run', '1')).toMatchObject({ code: 0 });
        const item = await atRest('1');
        const resumed = ran('step resumed');

        expect(item).toMatchObject({ state: 'closed', reason: 'merged' });
        expect(resumed.filter(({ steps }) => steps.join() !== '2,2')).toEqual([]);
        const [, second] = stepsOf(`${PROJECT}-1.2`);
        const ids = second?.attempts.map(({ conversationId }) => conversationId) ?? [];
        expect({ status: second?.status, tries: ids.length }).toEqual({ status: 'done', tries: 3 });
        expect(ids[2]).toBe(ids[1]);
        expect(repository.git('show', 'main:a.txt')).toBe('one\nchanged\nfixed\n');
        // What was half done in the run before stays, and is finished by a commit behind it.
        const trailers = repository.git('log', '--reverse', '--format=%(trailers:key=Sluice-Step,valueonly)', 'main');
        expect(trailers.split('\n').filter((line) => line !== '')).toEqual(['1', '2', '2']);
      },
      LIMIT_MS,
    );
  });

  /** Of a session that was opened until now. */
  async function pastTheMinute(): Promise<void> {
    const minute = new Date().getUTCMinutes();
    if (cli.losesSessionsOfTheMinute) await until(() => new Date().getUTCMinutes() !== minute);
  }
});
