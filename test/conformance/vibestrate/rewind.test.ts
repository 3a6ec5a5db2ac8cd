import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunResult } from '../../../protocol/messages/messages.js';
import type { ValidationReport } from '../../../protocol/run/outcomes.js';
import { STAGES, type Stage } from '../../../protocol/run/stages.js';
import { jsonLines } from '../../support/cli-world.js';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { footprintOf } from '../../support/run-footprint.js';
import { detailsOf } from '../../support/run-steps.js';
import { openTestHost, runOf, type TestHost, type TestRun } from '../../support/test-host.js';

const CHECKED = 'rounds: 1\nvalidation:\n  commands: ["grep -q fixed a.txt"]\n';

const SOURCES = {
  /** Red at first, fixed once, approved, passed. */
  fixed: {
    config: CHECKED,
    stages: { fixing: { text: 'Fixed.', append: { 'a.txt': 'fixed\n' } } },
    input: { task: 'the task of the source', title: 'The title' },
  },
  red: { config: `stageList: [executing, validating, reviewing, verifying]\n${CHECKED}` },
  refused: { stages: { reviewing: { text: 'Never.', decision: 'BLOCKED' } } },
  failed: { stages: { architecting: { text: 'Broke.', exit: 1 } } },
} satisfies Record<string, RunCase>;

/** Where the way of a rewound run begins: what judges a tree has its checks before it. */
const WAYS: Readonly<Record<Stage, readonly string[]>> = {
  planning:
    'planning planned architecting architected executing validating reviewing fixing validating reviewing verifying'.split(
      ' ',
    ),
  architecting: 'architecting architected executing validating reviewing fixing validating reviewing verifying'.split(
    ' ',
  ),
  executing: 'executing validating reviewing fixing validating reviewing verifying'.split(' '),
  validating: 'validating reviewing verifying'.split(' '),
  reviewing: 'validating reviewing verifying'.split(' '),
  fixing: 'fixing validating reviewing verifying'.split(' '),
  verifying: 'validating verifying'.split(' '),
};

/** What the rewound run adds to the code that it begins with. */
const COMMITS: Readonly<Record<Stage, number>> = {
  planning: 2,
  architecting: 2,
  executing: 2,
  validating: 0,
  reviewing: 0,
  fixing: 1,
  verifying: 0,
};

interface Rewound {
  readonly run: TestRun;
  readonly result: RunResult;
}

describe('rewind', () => {
  let host: TestHost;
  let sources: Record<keyof typeof SOURCES, EndedRun>;
  let before: readonly string[];
  let rewound: Record<Stage, Rewound>;

  /** By the command, as a person types it. */
  async function rewind({ run, repository }: EndedRun, stage?: Stage): Promise<TestRun> {
    const named = stage === undefined ? [] : ['--stage', stage];
    const { stdout, stderr } = await sluiceBeside(host, ['rewind', run.runId, ...named, '--detach', '--json'], {
      cwd: repository.path,
    });
    const runId = jsonLines(stdout)[0]?.['runId'];
    if (typeof runId !== 'string') throw new Error(`nothing was started: ${stderr}`);
    return runOf(host.client.workflow.getHandle(runId), join(repository.path, '.sluice/runs', runId));
  }

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    sources = await endedRuns(host, SOURCES);
    before = footprintOf(host, sources.fixed);
    // Neither trusted, nor with the stages of the source, nor at its base.
    const { repository } = sources.fixed;
    repository.write('.sluice/config.yaml', `${repository.configText}stageList: express\n`);
    repository.git('commit', '-qam', 'another config');
    const started: (readonly [Stage, TestRun])[] = [];
    for (const stage of STAGES) started.push([stage, await rewind(sources.fixed, stage)]);
    const ended = await Promise.all(
      started.map(async ([stage, run]) => [stage, { run, result: await run.result() }] as const),
    );
    rewound = Object.fromEntries(ended) as Record<Stage, Rewound>; // One entry a stage.
  }, 300_000);

  afterAll(() => host.close());

  const commitOf = (name: string) => sources.fixed.repository.git('rev-parse', name).trim();
  const reports = (events: EndedRun['events']) =>
    events.filter(({ type }) => type === 'validation.started').map(({ data }) => data['commit']);

  it.each(STAGES)('V-131: from %s goes from there to its end, on the code of that stage', async (stage) => {
    const { run, result } = rewound[stage];
    const view = await run.view();
    const fixed = `sluice/${sources.fixed.run.runId}`;
    const code = { planning: 'main~1', architecting: 'main~1', executing: 'main~1', fixing: `${fixed}~1` } as const;
    const begun = commitOf(stage in code ? code[stage as keyof typeof code] : fixed);

    expect(view.resumedFrom).toEqual({ sourceRunId: sources.fixed.run.runId, fromStage: stage });
    expect(result.outcome).toBe('merge_ready');
    expect(run.statuses()).toEqual([...WAYS[stage], 'merge_ready']);
    expect(run.events().find(({ type }) => type === 'run.rewound')?.data).toMatchObject({
      fromStage: stage,
      commit: begun,
    });
    expect(commitOf(`sluice/${run.runId}${'^'.repeat(COMMITS[stage])}`)).toBe(begun);
    expect(view.baseSha).toBe(sources.fixed.view.baseSha);
    expect(sources.fixed.repository.git('show', `sluice/${run.runId}:a.txt`)).toBe('one\nchanged\nfixed\n');
  });

  it('V-131: from any stage changes nothing of its source', () => {
    expect(before.length).toBeGreaterThan(50);
    expect(footprintOf(host, sources.fixed)).toEqual(before);
  });

  it.each([
    ['planning', [], ['Plan: add a line', 'Architecture: one file']],
    ['architecting', ['Plan: add a line'], ['Architecture: one file']],
    ['executing', ['Plan: add a line', 'Architecture: one file'], []],
    ['fixing', ['Plan: add a line', 'Architecture: one file', 'grep -q fixed a.txt'], []],
    ['reviewing', ['Plan: add a line', 'Architecture: one file'], []],
    ['verifying', ['Plan: add a line', 'Looks right.'], []],
  ] as const)('V-131: from %s its first turn reads the artifacts of the stages before', (stage, present, absent) => {
    const { run } = rewound[stage];
    const turn = run.events().find(({ type }) => type === 'turn.started')?.data;
    const prompt = run.read(`turns/${Number(turn?.['seq'])}-${stage}/prompt.md`);

    expect(turn?.['stage']).toBe(stage);
    expect(prompt).toContain('the task of the source');
    expect(present.filter((text) => !prompt.includes(text))).toEqual([]);
    expect(absent.filter((text) => prompt.includes(text))).toEqual([]);
  });

  it('V-131: takes over task, title and policy as they were frozen, whatever the repository says now', async () => {
    const { handle } = rewound.reviewing.run;
    const frozen = await detailsOf(sources.fixed.run.handle);
    const details = await detailsOf(handle);
    const { task, title } = await rewound.reviewing.run.view();

    expect([task, title]).toEqual(['the task of the source', 'The title']);
    expect(details.policy).toEqual(frozen.policy);
    expect(details.policy?.stages).toEqual(STAGES);
  });

  it('V-131: without a stage goes from the one where its source ended', async () => {
    const runs = [await rewind(sources.failed), await rewind(sources.refused)];
    await Promise.all(runs.map((run) => run.result()));
    const views = await Promise.all(runs.map((run) => run.view()));

    expect(views.map(({ resumedFrom }) => resumedFrom?.fromStage)).toEqual(['architecting', 'reviewing']);
    expect(runs.map((run) => run.statuses()[0])).toEqual(['architecting', 'validating']);
  });

  it('V-112: of a red run to reviewing validates again and does not end merge_ready', async () => {
    const run = await rewind(sources.red, 'reviewing');
    const result = await run.result();

    expect(sources.red.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(run.events().filter(({ type }) => type === 'turn.started')).toEqual([]);
    expect(reportOf(run).summary).toMatchObject({ total: 1, failed: 1 });
  });

  it('V-112: and a fix both end merge_ready on checks of their own, which name commit and tree', () => {
    const { fixed } = sources;
    const head = commitOf(`sluice/${fixed.run.runId}`);

    expect(reports(fixed.events)).toEqual([commitOf(`${head}~1`), head]);
    for (const run of [fixed.run, rewound.reviewing.run, rewound.verifying.run]) {
      expect(reports(run.events()).at(-1)).toBe(head);
      expect(reportOf(run)).toMatchObject({
        commit: head,
        tree: commitOf(`${head}^{tree}`),
        summary: { passed: 1, failed: 0 },
      });
    }
  });
});

function reportOf(run: TestRun): ValidationReport {
  return JSON.parse(run.read('validation.json')) as ValidationReport; // Written by the engine.
}
