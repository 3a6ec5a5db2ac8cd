/** Where the answers of classifier and planner lead, and what people decide then, on a real host. Source: docs/requirements/skep.md. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Asked, JUDGED, openAdmitted, PLANNED, STEP, say } from '../../support/admitted-project.js';
import type { BacklogOf } from '../../support/backlog-client.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const ASKS = { ...JUDGED, needs_clarification: true, clarifying_questions: ['tabs or spaces?', 'which line?'] };
const SMALL = '\n  autoExecuteSmall: true';

describe('the gates of a task that is judged', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  async function taken(project: string, asked: Asked = {}): Promise<BacklogOf> {
    const { backlog } = await openAdmitted(host, project, asked);
    await backlog.create(['change the line']);
    return backlog;
  }

  const refusal = async (said: Promise<unknown>): Promise<string> => {
    const error = await said.then(
      () => null,
      (reason: unknown) => reason,
    );
    return String((error as { readonly cause?: { readonly message?: string } } | null)?.cause?.message ?? 'taken');
  };

  it.each(['large', 'ambiguous'])(
    'S-40: waits for a person where it is %s, whatever small tasks may',
    async (scope) => {
      const backlog = await taken(`is-${scope}`, {
        classify: say({ ...JUDGED, classification: scope }),
        admission: SMALL,
      });

      expect(await backlog.reaches('1', 'gated')).toMatchObject({ reason: 'plan', admission: { scope } });
    },
  );

  it('S-30: waits for a person where the classifier is sure by 0.4 and 0.6 is asked for', async () => {
    const backlog = await taken('unsure', {
      classify: say({ ...JUDGED, confidence: 0.4 }),
      admission: `${SMALL}\n  minConfidence: 0.6`,
    });

    expect(await backlog.reaches('1', 'gated')).toMatchObject({ reason: 'low_confidence' });
  });

  it('S-43: is rejected where it is rejected and asked about', async () => {
    const backlog = await taken('both', {
      classify: say({ ...ASKS, classification: 'reject', reject_reason: 'spam' }),
    });

    expect(await backlog.reaches('1', 'closed')).toMatchObject({ reason: 'rejected', why: 'spam' });
  });

  it.each([
    ['S-35: has no plan with a verb that is none', { verb: 'rewrite' }, 'verb'],
    ['S-36: has no plan whose steps wait for later ones', { depends_on: [1] }, 'depends_on'],
    ['S-36: has no plan whose step waits for itself', { depends_on: [0] }, 'depends_on'],
    ['S-34: has no plan without a description of each step', { description: 7 }, 'description'],
    ['S-34: has no plan with a path that leads out of the repository', { target_file: '../x' }, 'target_file'],
  ])('%s', async (title, part, what) => {
    const plan = { ...PLANNED, plan: [{ ...STEP, ...part }, STEP] };
    const backlog = await taken(`bad-${title.length}`, { plan: say(plan) });
    const { reason, why } = await backlog.reaches('1', 'gated');

    expect(reason).toBe('plan_failed');
    expect(why).toContain(what);
  });

  it('S-37: is planned again, or runs as one step, where its plan failed and a person says so', async () => {
    const backlog = await taken('unplanned', { plan: [{ text: 'no' }, { text: 'no' }] });
    await backlog.reaches('1', 'gated');

    expect(await refusal(backlog.tell('1', 'approve'))).toContain('it has no plan; say what to do');
    await backlog.tell('1', 'approve', { by: 'ann', choice: 'again' });
    await backlog.reaches('1', 'gated');
    await backlog.tell('1', 'approve', { by: 'ann', choice: 'one_step' });

    const { result, journal } = await backlog.reaches('1', 'parked');
    expect(result?.outcome).toBe('merge_ready');
    expect(journal.filter(({ to }) => to === 'admitting')).not.toEqual([]);
  });

  it('S-47: is answered wholly or not at all, and names the questions that are left', async () => {
    const backlog = await taken('half', { classify: [say(ASKS), say(JUDGED)] });
    await backlog.reaches('1', 'clarifying');
    const answer = (answers: readonly string[]) => backlog.tell('1', 'answer', { by: 'ann', round: 1, answers });

    expect(await refusal(answer(['tabs', '']))).toContain('Q2 has no answer');
    expect(await refusal(answer(['', '']))).toContain('no question is answered');
    expect((await backlog.item('1')).state).toBe('clarifying');
    await answer(['tabs', 'N/A']);
    await backlog.reaches('1', 'gated');
  });

  it('S-45, S-49: may come to a gate, to further questions or to its end after each round, and waits for a person after the third', async () => {
    const backlog = await taken('asked-on', { classify: say(ASKS) });
    for (const round of [1, 2, 3]) {
      await backlog.reaches('1', 'clarifying');
      await backlog.tell('1', 'answer', { by: 'ann', round, answers: ['tabs', 'the first'] });
      expect(await refusal(backlog.tell('1', 'answer', { by: 'ann', round, answers: ['x', 'y'] }))).not.toBe('taken');
    }

    expect(await backlog.reaches('1', 'gated')).toMatchObject({ reason: 'clarification_limit' });
    const rejected = await taken('asked-off', {
      classify: [say(ASKS), say({ ...JUDGED, classification: 'reject', reject_reason: 'done already' })],
    });
    await rejected.reaches('1', 'clarifying');
    await rejected.tell('1', 'answer', { by: 'ann', round: 1, answers: ['tabs', 'none'] });
    expect(await rejected.reaches('1', 'closed')).toMatchObject({ reason: 'rejected' });
  });

  it('S-45: comes to the queue, to a gate, to further questions or to its end, as it is judged with the answers', async () => {
    const outcomes = [
      ['to-queue', say(JUDGED), 'parked', 'unmerged'],
      ['to-gate', say({ ...JUDGED, classification: 'large' }), 'gated', 'plan'],
      ['to-more', say({ ...ASKS, clarifying_questions: ['which file?'] }), 'clarifying', 'questions'],
      ['to-end', say({ ...JUDGED, classification: 'reject', reject_reason: 'no task' }), 'closed', 'rejected'],
    ] as const;
    for (const [project, then, state, reason] of outcomes) {
      const backlog = await taken(project, { classify: [say(ASKS), then], admission: SMALL });
      await backlog.reaches('1', 'clarifying');
      await backlog.tell('1', 'answer', { by: 'ann', round: 1, answers: ['tabs', 'n/a'] });
      await until(async () => (await backlog.item('1')).journal.filter(({ to }) => to === 'admitting').length === 2);

      expect(await backlog.reaches('1', state)).toMatchObject({ reason });
      const { journal, admission } = await backlog.item('1');
      const told = journal.map(({ to }) => to).slice(0, 4);
      const next = state === 'parked' ? 'queued' : state;
      expect(told).toEqual(['admitting', 'clarifying', 'admitting', next]);
      // The answers of the first round stand.
      expect(admission?.round).toBe(state === 'clarifying' ? 2 : 1);
    }
  });

  it('S-42: admits a rejected task again by force, with actor and reason, past its classifier, and keeps why it was rejected', async () => {
    const reject = say({ ...JUDGED, classification: 'reject', reject_reason: 'another repository' });
    const { backlog, repository } = await openAdmitted(host, 'reopened', { classify: reject, admission: SMALL });
    await backlog.create(['change the line']);
    await backlog.reaches('1', 'closed');
    const reopen = (...words: readonly string[]) =>
      sluiceBeside(host, ['task', 'reopen', '1', ...words], { cwd: repository.path });

    // Without force its classifier says the same again.
    expect(await reopen('-m', 'look again')).toMatchObject({ code: 0 });
    await until(async () => (await backlog.item('1')).journal.some(({ note }) => note === 'look again'));
    expect(await backlog.reaches('1', 'closed')).toMatchObject({ reason: 'rejected', why: 'another repository' });
    expect(await reopen('--force', '-m', 'it is ours')).toMatchObject({ code: 0 });
    const { reason, why, admission, journal } = await backlog.reaches('1', 'gated');

    expect([reason, why]).toEqual(['plan', 'ambiguous: rejected (another repository) and forced']);
    expect(admission).toMatchObject({ scope: 'reject', plan: { lines: ['1. [modify] change the line → a.txt'] } });
    expect(journal.slice(0, 2)).toMatchObject([
      { from: 'admitting', to: 'closed', reason: 'rejected', driver: 'classify', note: 'another repository' },
      { from: 'closed', to: 'admitting', driver: 'run', actor: expect.any(String), note: 'it is ours' },
    ]);
    const shown = await sluiceBeside(host, ['task', 'show', '1'], { cwd: repository.path });
    expect(shown.stdout).toMatch(/ {2}rejected {2}by classify: another repository\n/);
    expect(await reopen('--force')).toMatchObject({ code: 3, stderr: expect.stringContaining('is gated, not closed') });
    await backlog.tell('1', 'approve', { by: 'ann', planHash: admission?.plan?.hash });
    expect((await backlog.reaches('1', 'parked')).result?.outcome).toBe('merge_ready');
  });

  it('S-51: notes who let it start, as what, when and for which plan, and takes no word of an agent', async () => {
    const backlog = await taken('by-whom');
    const { admission } = await backlog.reaches('1', 'gated');
    const planHash = admission?.plan?.hash ?? '';

    expect(await refusal(backlog.tell('1', 'approve', { by: 'bot', as: 'agent', planHash }))).toContain(
      'only a person may',
    );
    await backlog.tell('1', 'approve', { by: 'ann', as: 'person', planHash });
    const { journal } = await backlog.reaches('1', 'parked');

    expect(journal.find(({ driver }) => driver === 'approve')).toMatchObject({
      actor: 'ann',
      at: expect.stringMatching(/^\d{4}-/),
      decided: { as: 'person', plan: planHash },
    });
  });
});
