/** A task whose plan runs by its steps, on a real host: real worker, real repositories, scripted agent. Source: docs/requirements/skep.md. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import { trustConfig } from '../../../config/home/trust.js';
import { JUDGED, say } from '../../support/admitted-project.js';
import { openBacklog } from '../../support/backlog-client.js';
import { openProject } from '../../support/backlog-project.js';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../../support/failpoint-home.js';
import {
  artifactOf,
  eventsOf,
  fails,
  makes,
  openStepped,
  parked,
  planOf,
  promptsOf,
  recordsOf,
  runDirOf,
  type SteppedProject,
  stepsTaken,
} from '../../support/stepped-project.js';
import { openTestHost, type TestHost, type TestWorker } from '../../support/test-host.js';
import { until } from '../../support/until.js';

describe('a task that runs by the steps of its plan', () => {
  let host: TestHost;
  let worker: TestWorker;

  beforeAll(async () => {
    host = await openTestHost();
    worker = await host.startWorker();
  });

  afterAll(() => host.close());

  const open = (project: string, stepped: SteppedProject) => openStepped(host, project, stepped);

  it('S-60, S-61, S-68: takes one turn for each step of the plan, in its order, each executing before its turn and done after it', async () => {
    const { backlog, repository } = await open('ordered', {
      plan: ['add', 'modify', 'test'],
      steps: [makes(1), makes(2), makes(3)],
    });

    const { result } = await parked(backlog);

    expect(result).toMatchObject({ outcome: 'merge_ready' });
    expect(stepsTaken(repository)).toEqual(['1', '2', '3']);
    const told = eventsOf(repository, result?.runId).filter(
      ({ type }) => type === 'step.changed' || type === 'turn.started',
    );
    expect(told.map(({ type, data }) => (type === 'turn.started' ? 'turn' : `${data.step} ${data.status}`))).toEqual([
      '1 executing',
      'turn',
      '1 done',
      '2 executing',
      'turn',
      '2 done',
      '3 executing',
      'turn',
      '3 done',
    ]);
  });

  it('S-62, S-63, S-64: tells the agent its step, the task with what people answered, the other steps with their commits, and the tests', async () => {
    const asks = { ...JUDGED, needs_clarification: true, clarifying_questions: ['tabs or spaces?'] };
    const { backlog, repository } = await open('told', {
      plan: ['add', 'modify', 'refactor'],
      steps: [makes(1), makes(2), makes(3)],
      classify: [say(asks), say(JUDGED)],
    });
    await backlog.create(['make all parts']);
    await backlog.reaches('1', 'clarifying');
    await backlog.tell('1', 'answer', { by: 'ann', round: 1, answers: ['spaces of course'] });
    const { result } = await backlog.reaches('1', 'parked');

    const [, second = ''] = promptsOf(repository, result?.runId);
    const commit = recordsOf(repository, result?.runId)[0]?.commits[0];
    for (const part of [
      'Verb: modify',
      'File: 2.txt',
      'Symbols: symbol2',
      '2.txt is there',
      'make part 2',
      'make all parts',
      'tabs or spaces?',
      'spaces of course',
      'grep -q changed a.txt',
      `1. [add] make part 1 (done, commit ${commit})`,
      '2. [modify] make part 2 (your step)',
      '3. [refactor] make part 3 (pending)',
      `Branch ${result?.branch}, from main at commit `,
      'Do only this step',
      'Commit with the message "step 2: modify make part 2"',
    ])
      expect(second).toContain(part);
  });

  it('S-63: keeps the prompt of a step within 24 000 characters, whatever task, plan and failure are', async () => {
    const { backlog, repository } = await open('long', {
      plan: Array.from({ length: 50 }, () => 'add'),
      steps: [fails(fails(makes(1)), { flood: 20_000 })],
      words: `, ${'in many words '.repeat(45)}`,
    });
    const { result } = await parked(backlog, `make a part\n${'many words of it '.repeat(200)}`);

    const prompts = promptsOf(repository, result?.runId);
    expect(prompts).toHaveLength(2);
    for (const prompt of prompts) {
      expect(prompt.length).toBeLessThanOrEqual(24_000);
      for (const seq of [1, 50]) expect(prompt).toContain(`\n${seq}. [add] make part ${seq}, in many words`);
    }
    expect(prompts[1]).toContain('Previous attempt failed: ');
  });

  it('S-65, S-66: gives each step the model of its verb, as the config says when the step starts', async () => {
    const { backlog, repository } = await open('models', {
      plan: ['add', 'refactor', 'modify'],
      steps: [1, 2, 3].map((n) =>
        makes(n, { run: `echo changed > a.txt; echo $SLUICE_MODEL > ${n}.txt`, ...(n === 1 ? { waitFor: 'go' } : {}) }),
      ),
      execute: '  stepCheck: none\n  stepModelByVerb: {add: small/1, refactor: big-2}\n',
    });
    await backlog.create(['make all parts']);
    await until(() => stepsTaken(repository).length === 1);
    const config = repository.configText.replace('big-2', 'bigger:3');
    repository.write('.sluice/config.yaml', config);
    repository.git('commit', '-q', '-a', '-m', 'another model');
    await trustConfig(host.home, repository.path, config);
    repository.release('go');
    const { result } = await backlog.reaches('1', 'parked');

    const made = [1, 2, 3].map((n) => repository.git('show', `${result?.branch}:${n}.txt`).trim());
    expect(made).toEqual(['small/1', 'bigger:3', '']);
    expect(recordsOf(repository, result?.runId).map(({ model }) => model)).toEqual(['small/1', 'bigger:3', null]);
  });

  it.each([
    ['with a blank', 'two words', '"two words"'],
    ['like an option', '--x', '--x'],
    ['behind a dash', '-small', '-small'],
    ['without a letter', '""', '""'],
  ])('S-66: refuses a model that is no name, %s, by its place in the file', async (how, model, told) => {
    const project = `bad-${how.replaceAll(' ', '-')}`;
    const execute = `  stepModelByVerb: {add: ${model}}\n`;
    const { backlog, repository } = await open(project, { plan: ['add'], steps: [makes(1)], execute });
    const lines = repository.configText.split('\n');
    const line = lines.findIndex((text) => text.includes('stepModelByVerb'));
    const place = `.sluice/config.yaml:${line + 1}:${(lines[line]?.indexOf(model) ?? -1) + 1}`;

    const { verdicts } = await backlog.create(['make all parts']);

    const why = expect.stringContaining(`${place}: execute.stepModelByVerb.add is ${told}`);
    expect(verdicts).toEqual([{ kind: 'refused', why }]);
  });

  it('S-71, S-72: tries a failed step once more on the tree before it, with the end of its output, and keeps what it had changed', async () => {
    const { backlog, repository } = await open('retried', {
      plan: ['add', 'modify'],
      steps: [
        makes(1),
        fails(makes(2), {
          text: `the very first word\n${'filler\n'.repeat(2_000)}the last word`,
          stderr: 'and an error',
        }),
      ],
    });
    const { result } = await parked(backlog);

    expect(result).toMatchObject({ outcome: 'merge_ready' });
    const prompt = promptsOf(repository, result?.runId).at(-1) ?? '';
    for (const part of ['Previous attempt failed: ', 'the last word', 'and an error', 'complete the step.'])
      expect(prompt).toContain(part);
    expect(prompt).not.toContain('the very first word');
    expect(repository.git('ls-tree', '--name-only', `${result?.branch}`)).not.toContain('half.txt');
    const second = recordsOf(repository, result?.runId)[1];
    expect(second).toMatchObject({ status: 'done', retryCount: 1 });
    expect(artifactOf(host, runDirOf(repository, result?.runId), second?.attempts[0]?.diff)).toContain('+half');
  });

  it('S-72: leaves what a failed try made to the next one where the config says so', async () => {
    const { backlog, repository } = await open('kept', {
      plan: ['add'],
      steps: [fails(makes(1))],
      execute: '  stepCheck: none\n  keepTree: true\n',
    });
    const { result } = await parked(backlog);

    expect(repository.git('show', `${result?.branch}:half.txt`)).toBe('half\n');
  });

  it('S-73, S-82, S-83: stops at a step that failed twice, and goes on at it with two tries, on the commits of those before it', async () => {
    const { backlog, repository } = await open('stopped', {
      plan: ['add', 'modify', 'refactor'],
      steps: [makes(1), fails(fails(fails(makes(2)))), makes(3)],
    });
    const { reason, result } = await parked(backlog);

    expect(reason).toBe('step_failed');
    expect(stepsTaken(repository)).toEqual(['1', '2', '2']);
    expect(recordsOf(repository, result?.runId).map(({ status }) => status)).toEqual(['done', 'failed', 'pending']);
    const kept = repository.git('rev-parse', `${result?.branch}`).trim();

    await backlog.tell('1', 'run');
    await until(async () => (await backlog.item('1')).result?.runId !== result?.runId);
    const again = await backlog.reaches('1', 'parked');

    expect(again.result).toMatchObject({ outcome: 'merge_ready', branch: result?.branch });
    expect(stepsTaken(repository)).toEqual(['1', '2', '2', '2', '2', '3']);
    expect(repository.git('rev-list', '--reverse', `main..${result?.branch}`).split('\n')[0]).toBe(kept);
    expect(promptsOf(repository, again.result?.runId)[0]).toMatch(
      /\(done, commit [0-9a-f]{40}\)[^]*begun before and not finished/,
    );
    const records = recordsOf(repository, again.result?.runId);
    expect(records.map(({ status, commits }) => [status, commits.length])).toEqual([
      ['done', 1],
      ['done', 1],
      ['done', 1],
    ]);
    expect(records[1]?.attempts).toHaveLength(4);
  });

  it('S-75: keeps the last 8192 bytes of what each try printed in its record, and all of it in a file', async () => {
    const { backlog, repository } = await open('sizes', {
      plan: ['add'],
      steps: [fails(makes(1, { flood: 30_000 }), { flood: 20_000 })],
    });
    const { result } = await parked(backlog);

    const attempts = recordsOf(repository, result?.runId)[0]?.attempts ?? [];
    expect(attempts).toHaveLength(2);
    for (const [at, size] of [20_000, 30_000].entries()) {
      expect(Buffer.byteLength(attempts[at]?.outputTail ?? '')).toBeLessThanOrEqual(8192);
      expect(Buffer.byteLength(attempts[at]?.outputTail ?? '')).toBeGreaterThan(8000);
      expect(artifactOf(host, runDirOf(repository, result?.runId), attempts[at]?.output).length).toBeGreaterThanOrEqual(
        size,
      );
    }
  });

  it('S-76: ends a step that lasts too long with all its processes', async () => {
    const { backlog, repository } = await open('slow', {
      plan: ['add'],
      steps: [{ hang: true }],
      execute: '  stepCheck: none\n  stepTimeout: 700ms\n',
    });
    const { reason } = await parked(backlog);

    expect(reason).toBe('step_failed');
    const pids = readLedger(repository.ledgerPath)
      .filter(({ stage }) => stage === 'executing')
      .map(({ pid }) => pid);
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  it('S-74, S-86: loses no retry to a worker that is killed in a step, and commits each step once', async () => {
    const { backlog, repository } = await open('killed', {
      plan: ['add', 'modify', 'refactor'],
      steps: [makes(1), fails(makes(2), { waitFor: 'go' }), makes(3)],
    });
    await backlog.create(['make all parts']);
    await until(() => stepsTaken(repository).includes('2'));
    await worker.kill();
    worker = await host.startWorker();
    repository.release('go');
    const { result } = await backlog.reaches('1', 'parked');

    expect(result).toMatchObject({ outcome: 'merge_ready' });
    expect(stepsTaken(repository)).toEqual(['1', '2', '2', '3']);
    expect(repository.git('log', '--format=%s', '--reverse', `main..${result?.branch}`).trim().split('\n')).toEqual([
      'step 1: add make part 1',
      'step 2: modify make part 2',
      'step 3: refactor make part 3',
    ]);
  });

  it('S-84: goes on in the conversation that the step recorded, with an instruction, where its agent can', async () => {
    const repository = await host.repository({
      files: TALKING,
      config: `  cli: {adapter: claude-code, command: [sh, stepper.sh]}\nvalidation:\n  commands: ["grep -q changed a.txt"]\nproject:\n  name: talks\nadmission:\n  order: [[classify, plan]]\n  autoExecuteSmall: true\nexecute:\n  until: steps\n  stepCheck: none\nstageList: [planning, executing, validating]\nstages:\n  executing:\n    agent: cli\n`,
      fixture: { stages: {}, asks: { classify: say(JUDGED), plan: say(planOf(['add', 'modify'])) } },
    });
    const backlog = await openBacklog(host.client, { project: 'talks', repo: repository.path, host: host.hostId });
    const { reason, result } = await parked(backlog);
    expect(reason).toBe('step_failed');

    await backlog.tell('1', 'run');
    await until(async () => (await backlog.item('1')).result?.runId !== result?.runId);
    const again = await backlog.reaches('1', 'parked');

    expect(again.result).toMatchObject({ outcome: 'merge_ready' });
    const begun = repository.git('show', `${result?.branch}:begun.txt`).trim().split('\n');
    expect(begun).toEqual([
      expect.not.stringContaining('--resume'),
      expect.stringContaining(`--resume ${CONVERSATION}2`),
    ]);
    expect(promptsOf(repository, again.result?.runId)[0]).toContain('begun before and not finished');
  });
});

const CONVERSATION = '19ef3c95-19df-4018-8009-9e4b4557109';

/** What the real CLI once printed, in a conversation of each step; the second step fails until it goes on with one. */
const TALKING = {
  'printed.txt': readFileSync(
    new URL('../../unit/agent/transcripts/claude-code/success.stdout', import.meta.url),
    'utf8',
  ),
  'stepper.sh': `case "$(cat)" in "[stage:executing]"*"[step:1]"*) n=1 ;; *) n=2 ;; esac
echo "$n $*" >> begun.txt
echo changed > a.txt
sed "s/${CONVERSATION}0/${CONVERSATION}$n/g" printed.txt
case "$n $*" in 1*|*--resume*) ;; *) exit 1 ;; esac
`,
};

describe('a run by steps whose worker dies between two of them', () => {
  it.each([
    ['turn.before-start', 2],
    ['turn.after-commit', 1],
    ['turn.after-commit', 2],
    ['turn.after-record', 3],
    ['validate.before-record', 1],
  ] as const)(
    'S-86: commits each step once, and starts each agent once, after a kill at %s, the %i. time',
    async (name, nth) => {
      const host = await openTestHost();
      try {
        armFailpoint(host.home, { name, nth });
        const { process: worker } = await host.startWorker({ main: WORKER_WITH_FAILPOINT });
        const { backlog, repository } = await openProject(host, 'dying', {
          config:
            'admission:\n  order: [[classify, plan]]\n  autoExecuteSmall: true\nexecute:\n  until: steps\n  stepCheck: none\nstageList: [planning, executing, validating]\n',
          fixture: {
            ledger: 'ledger.txt',
            stages: {},
            steps: [makes(1), makes(2), makes(3)],
            asks: { classify: say(JUDGED), plan: say(planOf(['add', 'modify', 'test'])) },
          },
        });
        const isDead = once(worker, 'exit');
        await backlog.create(['make all parts']);
        await isDead;
        expect(firedFailpoint(host.home)).toContain(name);
        await host.startWorker();
        const { result } = await backlog.reaches('1', 'parked');

        expect(result).toMatchObject({ outcome: 'merge_ready' });
        const subjects = repository
          .git('log', '--format=%s', '--reverse', `main..${result?.branch}`)
          .trim()
          .split('\n');
        expect(subjects).toEqual(['step 1: add make part 1', 'step 2: modify make part 2', 'step 3: test make part 3']);
        expect(
          readLedger(repository.ledgerPath).flatMap(({ event, step }) => (event === 'START' ? (step ?? []) : [])),
        ).toEqual(['1', '2', '3']);
      } finally {
        await host.close();
      }
    },
  );
});
