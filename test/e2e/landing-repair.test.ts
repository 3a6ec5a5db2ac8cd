/** Heads that do not land as they are: another run makes another head of them, which then lands, or a person is asked. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LandingView } from '../../protocol/actors/landing.js';
import type { RunInput } from '../../protocol/messages/messages.js';
import { LANDING_WORKFLOW, landingId, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { closedRun } from '../support/queued-runs.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 120_000;

/** Fixes what it is told to: a conflict by both sides in their order, red checks by removing a file, and a text of a person by a file that holds it. */
const AGENT = `prompt=$(cat)
says() { printf '%s' "$prompt" | grep -q -e "$1"; }
if says 'between markers'; then
  if says 'do: .*one-sided'; then git checkout -q HEAD^2 -- a.txt 2>/dev/null || printf 'base\\nyours one-sided\\n' > a.txt
  else sed -i '/^<<<<<<< /d;/^=======$/d;/^>>>>>>> /d' a.txt; fi
elif says 'The checks are red'; then rm two
elif says 'Say hello'; then echo hello > hello.txt
else eval "$(printf '%s' "$prompt" | sed -n 's/^do: //p')"; fi
echo done
`;

const REPAIRED = (more = '') => ({
  files: { 'agent.sh': AGENT, 'a.txt': 'base\n' },
  config: `  own: {adapter: command, command: sh, args: [agent.sh]}
stageList: [executing, validating, reviewing, fixing, verifying]
stages: { executing: { agent: own }, fixing: { agent: own } }
validation:
  commands: ["test ! -e one -o ! -e two"]
${more}`,
});

describe('a repair', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  const run = (repository: TestRepository, task: string, input: Partial<RunInput> = {}) =>
    closedRun(host, repository, { task: `change\ndo: ${task}`, ...input });
  const land = async (runId: string) => {
    await host.client.workflow.start(LANDING_WORKFLOW, {
      ...{ workflowId: landingId(runId), taskQueue: TASK_QUEUE, args: [{}] },
    });
    return host.client.workflow.getHandle(landingId(runId));
  };
  const viewOf = (runId: string) => host.client.workflow.getHandle(landingId(runId)).query<LandingView>(STATUS_QUERY);
  const settled = async (runId: string) => {
    const isOver = ({ merge, gate }: LandingView) => merge === 'merged' || merge === 'abandoned' || gate !== null;
    await until(async () => isOver(await viewOf(runId)));
    return viewOf(runId);
  };

  it(
    'of a conflict keeps both sides, and no commit with markers reaches the base',
    async () => {
      const repository = await host.repository(REPAIRED());
      const first = await run(repository, 'echo mine >> a.txt');
      const second = await run(repository, 'echo yours >> a.txt');
      repository.git('checkout', '-q', '--detach');
      await land(first);
      expect(await settled(first)).toMatchObject({ merge: 'merged' });
      await land(second);

      expect(await settled(second)).toMatchObject({ merge: 'merged', gates: [] });
      expect(repository.git('show', 'main:a.txt')).toBe('base\nmine\nyours\n');
      for (const commit of repository.git('rev-list', 'main').trim().split('\n'))
        expect(repository.git('show', `${commit}:a.txt`)).not.toContain('<<<<<<<');
      expect(repository.git('rev-list', '--count', '--first-parent', 'main').trim()).toBe('3');
      expect(repository.git('log', '-1', '--format=%P', 'main').trim().split(' ')).toContain(
        repository.git('rev-parse', `sluice/${second}`).trim(),
      );
    },
    LIMIT_MS,
  );

  it(
    'of red checks begins at what both come to, and lands once they are green',
    async () => {
      const repository = await host.repository(REPAIRED());
      const first = await run(repository, 'touch one');
      const second = await run(repository, 'touch two; echo more > more.txt');
      repository.git('checkout', '-q', '--detach');
      await land(first);
      await settled(first);
      await land(second);

      expect(await settled(second)).toMatchObject({ merge: 'merged' });
      const files = repository.git('ls-tree', '--name-only', 'main').split('\n');
      expect(files).toEqual(expect.arrayContaining(['one', 'more.txt']));
      expect(files).not.toContain('two');
    },
    LIMIT_MS,
  );

  it(
    'that drops one side waits for a person, who may land it all the same',
    async () => {
      const repository = await host.repository(REPAIRED());
      const first = await run(repository, 'echo mine >> a.txt');
      const second = await run(repository, 'echo yours one-sided >> a.txt');
      repository.git('checkout', '-q', '--detach');
      await land(first);
      await settled(first);
      const handle = await land(second);

      expect(await settled(second)).toMatchObject({
        gate: { reason: 'unresolved', files: ['a.txt'], why: expect.stringContaining('nothing of one side is left') },
      });
      await handle.executeUpdate('approve', { args: [{ gate: 'gate-1' }] });
      expect(await settled(second)).toMatchObject({ merge: 'merged' });
    },
    LIMIT_MS,
  );

  it(
    'is not tried where the policy wants a person at a conflict',
    async () => {
      const repository = await host.repository(REPAIRED('landing: { conflict: gate }\n'));
      const runs = [await run(repository, 'echo mine >> a.txt'), await run(repository, 'echo yours >> a.txt')];
      repository.git('checkout', '-q', '--detach');
      for (const one of runs) {
        await land(one);
        await settled(one);
      }

      expect(await settled(runs[1] ?? '')).toMatchObject({ gate: { reason: 'conflict', files: ['a.txt'] } });
    },
    LIMIT_MS,
  );

  it(
    'by recreation does the task anew on the base as it is now',
    async () => {
      const repository = await host.repository(REPAIRED('landing: { conflict: recreate }\n'));
      const runs = [await run(repository, 'echo mine >> a.txt'), await run(repository, 'echo yours >> a.txt')];
      repository.git('checkout', '-q', '--detach');
      for (const one of runs) {
        await land(one);
        await settled(one);
      }

      expect(await settled(runs[1] ?? '')).toMatchObject({ merge: 'merged' });
      expect(repository.git('show', 'main:a.txt')).toBe('base\nmine\nyours\n');
    },
    LIMIT_MS,
  );

  it(
    'V-47: changes requested at the gate into landing run fixing with the text, and the gate opens again; after as many as are allowed it is given up',
    async () => {
      const repository = await host.repository(REPAIRED('gates: { stages: [landing], maxChangeRounds: 1 }\n'));
      const [asked, refused] = [await run(repository, 'touch one'), await run(repository, 'touch three')];
      repository.git('checkout', '-q', '--detach');
      const changes = { decision: 'request_changes', note: 'Say hello.' };
      for (const runId of [asked, refused]) {
        const handle = await land(runId);
        expect(await settled(runId)).toMatchObject({ gates: [{ stage: 'landing', changesGoTo: 'fixing' }] });
        await handle.executeUpdate('approve', { args: [{ gate: 'gate-1', ...changes }] });
        await until(async () => (await viewOf(runId)).gate?.id === 'gate-2');
        await handle.executeUpdate('approve', {
          args: [{ gate: 'gate-2', ...(runId === asked ? { decision: 'approve' } : changes) }],
        });
      }

      expect(await settled(asked)).toMatchObject({ merge: 'merged' });
      expect(repository.git('show', 'main:hello.txt')).toBe('hello\n');
      expect(repository.git('ls-tree', '--name-only', 'main')).toContain('one');
      expect(await settled(refused)).toMatchObject({
        merge: 'abandoned',
        abandoned: expect.stringContaining('changes were requested 2 times'),
      });
    },
    LIMIT_MS,
  );
});
