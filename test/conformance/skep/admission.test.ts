/** What is asked about a task before it may start, on a real host: real worker, real repositories, scripted agent. Source: docs/requirements/skep.md. */
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
  classification: 'small',
  confidence: 0.9,
  reason: 'one line of one file',
  needs_clarification: false,
  clarifying_questions: [],
  reject_reason: null,
};

const STEP = {
  ...{ verb: 'modify', target_file: 'a.txt', symbols: ['a'], acceptance: 'a.txt says changed', depends_on: [] },
  description: 'change the line',
};

const PLANNED = { plan: [STEP], files_affected: ['a.txt'], symbols_affected: [] };

const say = (answer: unknown): ScriptedTurn => ({ text: `Here it is.\n\n${JSON.stringify(answer)}` });

interface Asked {
  readonly classify?: ScriptedTurn | readonly ScriptedTurn[];
  readonly plan?: ScriptedTurn | readonly ScriptedTurn[];
  /** More lines of that section. */
  readonly admission?: string;
}

describe('the admission of a task', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  async function open(project: string, { classify = say(JUDGED), plan = say(PLANNED), admission = '' }: Asked = {}) {
    const executing = { run: 'cat > prompt.txt; echo changed > a.txt', text: 'Changed.' };
    return openProject(host, project, {
      config: `admission:\n  order: [[classify, plan]]${admission}\nstageList: [planning, executing, validating]\n`,
      fixture: { ledger: 'ledger.txt', stages: { executing }, asks: { classify, plan } },
    });
  }

  const startsOf = ({ ledgerPath }: Pick<TestRepository, 'ledgerPath'>) =>
    readLedger(ledgerPath).filter(({ event }) => event === 'START');

  const taken = async (backlog: BacklogOf, task = 'change the line') => {
    await backlog.create([task]);
    return '1';
  };

  it('S-22, S-33, S-34, S-38, S-41: is asked by JSON how large it is and how it is to be made, and waits for a person who approves that plan', async () => {
    const { backlog, repository } = await open('planned');
    const id = await taken(backlog);

    const gated = await backlog.reaches(id, 'gated');

    expect(gated).toMatchObject({ reason: 'plan', waits: 'person', runs: 0 });
    expect(gated.admission).toMatchObject({ scope: 'small', confidence: 0.9, why: 'one line of one file' });
    expect(gated.admission?.plan).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      lines: ['1. [modify] change the line → a.txt'],
    });
    expect(
      startsOf(repository)
        .map(({ stage }) => stage)
        .toSorted(),
    ).toEqual(['classify', 'plan']);

    await backlog.tell(id, 'approve', { by: 'ann', planHash: gated.admission?.plan?.hash });
    const { result, runs } = await backlog.reaches(id, 'parked');

    expect([result?.outcome, runs]).toEqual(['merge_ready', 1]);
    // Nothing was planned again.
    expect(startsOf(repository).map(({ stage }) => stage)).not.toContain('planning');
    const shown = readFileSync(join(repository.path, `.sluice/runs/${result?.runId}/plan.md`), 'utf8');
    expect(shown).toContain('done when: a.txt says changed');
  });

  it('S-39, S-50: takes an approval for the plan that it names alone, and the same twice as one', async () => {
    const { backlog } = await open('named');
    const id = await taken(backlog);
    const gated = await backlog.reaches(id, 'gated');
    const planHash = gated.admission?.plan?.hash;

    await expect(backlog.tell(id, 'approve', { by: 'ann', planHash: 'f'.repeat(64) })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('its plan is another by now') },
    });
    await backlog.tell(id, 'approve', { by: 'ann', planHash });
    await backlog.reaches(id, 'parked');

    const { journal } = await backlog.item(id);
    expect(journal.filter(({ driver }) => driver === 'approve')).toHaveLength(1);
  });

  it('S-41: starts a small one without a person where the config says so', async () => {
    const { backlog } = await open('auto', { admission: '\n  autoExecuteSmall: true' });
    const id = await taken(backlog);

    const { journal, result } = await backlog.reaches(id, 'parked');

    expect(result?.outcome).toBe('merge_ready');
    expect(journal.map(({ to }) => to)).not.toContain('gated');
  });
});
