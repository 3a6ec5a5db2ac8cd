/** What the preset sets, and that it can be widened, on a real host. Source: docs/requirements/skep.md. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { JUDGED, openSkep, PLANNED, say } from '../../support/admitted-project.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const policyOf = (text: string) => resolvePolicy({ user: { text, name: 'user.yaml' }, toLook: true }).policy;

describe('the preset skep', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('S-111, V-06: sets stages, admission, one slot, execution by steps, landing without a second gate and what its branches begin with', () => {
    expect(policyOf('preset: skep')).toMatchObject({
      stages: ['planning', 'executing', 'validating'],
      admission: { order: [['dedup'], ['classify', 'plan']], autoExecuteSmall: false },
      dedup: { onHit: 'block', ask: true },
      execute: { until: 'steps' },
      backlog: { maxConcurrent: 1, order: 'priority' },
      landing: { mode: 'auto', needs: 'checked' },
      gates: { stages: [] },
      branch: { prefix: 'skep/' },
    });
  });

  it('S-23: judges by the cheap model of its agent, unless another is named', () => {
    const claude = 'agents:\n  claude: {adapter: claude-code, model: opus}\n';

    expect(policyOf(claude).asks).toMatchObject({ classify: { model: 'haiku' }, plan: { model: 'opus' } });
    expect(policyOf(`${claude}asks:\n  classify: {model: sonnet}\n`).asks.classify.model).toBe('sonnet');
  });

  it('S-27: gives an answer three minutes where nobody says otherwise', () => {
    expect([policyOf('').asks.classify.timeoutMs, policyOf('').asks.plan.timeoutMs]).toEqual([180_000, 180_000]);
  });

  it('S-112: is widened stage by stage, with nothing else changed', () => {
    const [plain, wider] = ['', '\nstageList: [planning, executing, validating, reviewing]'].map((more) =>
      policyOf(`preset: skep${more}`),
    );

    expect(wider).toEqual({
      ...plain,
      stageList: 'custom',
      stages: ['planning', 'executing', 'validating', 'reviewing'],
    });
  });

  it('S-05, S-55, S-79: works one task at a time, the higher priority first, on branches of its own, and is done once that is merged', async () => {
    const { backlog, repository } = await openSkep(host, 'preset', { classify: say(JUDGED), plan: say(PLANNED) });
    repository.git('switch', '-qc', 'other');
    await backlog.say('pause');
    await backlog.create([
      { task: 'Write the first page of the manual', base: 'main' },
      { task: 'Draw icons for the dark toolbar', base: 'main', priority: 5 },
    ]);
    for (const id of ['1', '2']) {
      await backlog.reaches(id, 'gated');
      await backlog.tell(id, 'approve');
    }
    // Each has told its backlog so.
    await until(async () => (await backlog.status()).counts.queued === 2);
    await backlog.say('resume');
    for (const id of ['1', '2']) await backlog.reaches(id, 'closed');

    const [first, second] = [await backlog.item('1'), await backlog.item('2')];
    expect([first.reason, second.reason]).toEqual(['merged', 'merged']);
    expect(second.result?.branch).toBe('skep/task-2-draw-icons-dark-toolbar');
    const startOf = (item: typeof first) => item.journal.find(({ to }) => to === 'running')?.at ?? '';
    expect(startOf(second) < startOf(first)).toBe(true);
  });
});
