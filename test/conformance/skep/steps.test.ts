/** A task whose plan runs by its steps, on a real host: real worker, real repositories, scripted agent. Source: docs/requirements/skep.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import type { BacklogOf } from '../../support/backlog-client.js';
import { openProject } from '../../support/backlog-project.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import type { TestRepository } from '../../support/test-repository.js';

const JUDGED = {
  ...{ classification: 'small', confidence: 0.9, reason: 'three files', needs_clarification: false },
  ...{ clarifying_questions: [], reject_reason: null },
};

interface PlannedStep {
  readonly verb: string;
  readonly depends_on?: readonly number[];
}

const planOf = (steps: readonly PlannedStep[]) => ({
  plan: steps.map(({ verb, depends_on = [] }, at) => ({
    ...{ verb, target_file: `${at + 1}.txt`, symbols: [`symbol${at + 1}`], depends_on },
    ...{ acceptance: `${at + 1}.txt is there`, description: `make part ${at + 1}` },
  })),
  ...{ files_affected: [], symbols_affected: [] },
});

const say = (answer: unknown): ScriptedTurn => ({ text: JSON.stringify(answer) });

/** Makes a file of its own name, with the prompt that it was given. */
const makes = (n: number, more: ScriptedTurn = {}): ScriptedTurn => ({
  ...{ run: `cat > /dev/null; echo changed > a.txt; echo ${n} >> ${n}.txt`, text: `Part ${n} is made.` },
  ...more,
});

interface Project {
  readonly plan: readonly PlannedStep[];
  readonly steps: readonly ScriptedTurn[];
  /** More lines of section `execute`. */
  readonly execute?: string;
  readonly more?: string;
}

describe('a task that runs by the steps of its plan', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  const open = (project: string, { plan, steps, execute = '', more = '' }: Project) =>
    openProject(host, project, {
      config: `admission:\n  order: [[classify, plan]]\n  autoExecuteSmall: true\nexecute:\n  until: steps\n${execute}stageList: [planning, executing, validating]\n${more}`,
      fixture: { ledger: 'ledger.txt', stages: {}, steps, asks: { classify: say(JUDGED), plan: say(planOf(plan)) } },
    });

  const turnsOf = ({ ledgerPath }: Pick<TestRepository, 'ledgerPath'>) =>
    readLedger(ledgerPath).filter(({ event, stage }) => event === 'START' && stage === 'executing');

  const parked = async (backlog: BacklogOf, task = 'make three parts') => {
    await backlog.create([task]);
    return backlog.reaches('1', 'parked');
  };

  const fileOf = ({ path }: Pick<TestRepository, 'path'>, runId: string | undefined, name: string) =>
    readFileSync(join(path, `.sluice/runs/${runId}/${name}`), 'utf8');

  it('S-60, S-61, S-68: takes one turn for each step of the plan, in its order, each executing before its turn and done after it', async () => {
    const { backlog, repository } = await open('ordered', {
      plan: [{ verb: 'add' }, { verb: 'modify' }, { verb: 'test' }],
      steps: [makes(1), makes(2), makes(3)],
    });

    const { result } = await parked(backlog);

    expect(result).toMatchObject({ outcome: 'merge_ready' });
    expect(turnsOf(repository).map(({ step }) => step)).toEqual(['1', '2', '3']);
    const events = fileOf(repository, result?.runId, 'events.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const told = events.filter(({ type }) => type === 'step.changed' || type === 'turn.started');
    expect(told.map(({ type, data }) => (type === 'turn.started' ? 'turn' : `${data.step} ${data.status}`))).toEqual([
      ...['1 executing', 'turn', '1 done', '2 executing', 'turn', '2 done', '3 executing', 'turn', '3 done'],
    ]);
  });
});
