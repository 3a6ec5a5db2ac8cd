import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { artifactsOf } from '../../../activities/unit/run-projection.js';
import { readRunToTell } from '../../../activities/unit/run-record.js';
import { readProgress } from '../../../activities/unit/stage-progress.js';
import { revokeTrust, trustConfig } from '../../../config/home/trust.js';
import type { RunInput } from '../../../protocol/messages/messages.js';
import type { Finding } from '../../../protocol/run/finding.js';
import { STAGES } from '../../../protocol/run/stages.js';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

const CONFIG = 'rounds: 1\nvalidation:\n  commands: ["grep -q fixed a.txt"]\n';

const FINDING: Finding = {
  id: 'L1',
  severity: 'high',
  category: 'correctness',
  claim: 'main says otherwise',
  evidence: ['a.txt'],
  recommendation: 'keep both',
};

/** Red once, fixed, approved, passed. */
async function driveSource(host: RewindHost, runId: string) {
  const run = await host.start(runId, { title: 'The title', task: 'the task of the source' });
  await run.turn('planning');
  await run.turn('architecting');
  await run.turn('executing');
  const executed = run.head;
  await run.validate();
  run.round = 1;
  await run.turn('fixing');
  const fixed = run.head;
  await run.validate();
  await run.turn('reviewing');
  await run.turn('verifying');
  await run.close('merge_ready');
  return { run, base: run.opened.baseSha, executed, fixed };
}

/** Path, time and content of every file below, and where the refs of the run stand. */
function tracesOf(host: RewindHost, run: DrivenRun): readonly string[] {
  const filesOf = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
      const stat = lstatSync(join(folder, name));
      const content = stat.isFile()
        ? createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex')
        : '';
      return `${folder}/${name} ${stat.mtimeMs} ${content}`;
    });
  const refs = host.repository.git('for-each-ref').split('\n');
  const own = refs.filter((line) => line.includes(`/${run.runId}`) || line.includes('refs/heads/main'));
  return [...[run.stateDir, run.opened.runDir, run.opened.worktree].flatMap(filesOf), ...own];
}

describe('a rewound run', () => {
  let host: RewindHost;
  let source: Awaited<ReturnType<typeof driveSource>>;

  beforeAll(async () => {
    const stages = {
      executing: { append: { 'a.txt': 'changed\n' } },
      fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.' },
    };
    host = await aRewindHost({ config: CONFIG, fixture: fixtureWith(stages) });
    source = await driveSource(host, 'source');
  });

  afterAll(() => host.close());

  const rewind = (runId: string, stage?: (typeof STAGES)[number], more: Partial<RunInput> = {}) =>
    host.start(runId, { rewind: { runId: 'source', ...(stage === undefined ? {} : { stage }) }, ...more });

  const refusal = (runId: string, input: Partial<RunInput>) =>
    host.open(host.openInput(runId, input)).then(
      () => 'opened',
      (error: unknown) => error as { message: string; type: string; nonRetryable: boolean; details: unknown[] },
    );

  it.each(STAGES)(
    'from %s begins at the commit of that stage, with what came before it, and leaves its source as it is',
    async (stage) => {
      const commit = { planning: 'base', architecting: 'base', executing: 'base', fixing: 'executed' } as const;
      const expected = source[stage in commit ? commit[stage as keyof typeof commit] : 'fixed'];
      const before = tracesOf(host, source.run);

      const { opened } = await rewind(`from-${stage}`, stage);

      expect(opened.resumed).toMatchObject({
        sourceRunId: 'source',
        fromStage: stage,
        commit: expected,
        wroteCode: expected !== source.base,
      });
      expect(opened.baseSha).toBe(source.base);
      expect(host.repository.git('rev-parse', opened.branch).trim()).toBe(expected);
      expect(host.repository.git('-C', opened.worktree, 'status', '--porcelain')).toBe('');
      expect(host.repository.git('-C', opened.worktree, 'rev-parse', 'HEAD').trim()).toBe(expected);
      expect(tracesOf(host, source.run)).toEqual(before);
    },
  );

  it.each([
    ['planning', []],
    ['architecting', ['plan']],
    ['executing', ['plan', 'architecture']],
    ['validating', ['plan', 'architecture']],
    ['reviewing', ['plan', 'architecture', 'validation']],
    ['fixing', ['plan', 'architecture', 'validation']],
    ['verifying', ['plan', 'architecture', 'validation', 'review']],
  ] as const)('to %s holds the artifacts %j in a store of its own', async (stage, names) => {
    const run = await rewind(`store-${stage}`, stage);

    const { findings: _findings, validationOutput: _output, ...context } = run.opened.resumed?.context ?? run.context;
    const held = Object.entries(context).filter(([, ref]) => ref !== null);
    expect(held.map(([name]) => name).sort()).toEqual([...names].sort());
    const store = artifactsOf(
      host.deps,
      readRunToTell(host.deps.home, { runId: run.runId, repoKey: run.opened.repoKey }),
    );
    for (const [, ref] of held) if (ref !== null) expect((await store.get(ref)).length).toBeGreaterThan(0);
    for (const name of ['plan', 'architecture']) {
      expect(existsSync(join(run.opened.runDir, `${name}.md`))).toBe(names.some((held) => held === name));
    }
  });

  it('goes on from there: its turns read the plan and commit on top of the code that it took over', async () => {
    const run = await rewind('goes-on', 'fixing');

    const input = run.turnInput('fixing');
    const result = await run.runTurn(input);

    const prompt = readFileSync(
      join(host.deps.home.turnDir(run.opened.repoKey, run.runId, input.place), 'prompt.md'),
      'utf8',
    );
    expect(prompt).toContain('the task of the source');
    expect(prompt).toContain('Plan: add a line to a.txt.');
    expect(result.outcome).toEqual({ kind: 'done' });
    expect(host.repository.git('rev-parse', `${result.head}^`).trim()).toBe(source.executed);
    expect(host.repository.git('rev-parse', run.opened.branch).trim()).toBe(result.head);
  });

  it('can be reset to its begin: the commit after it is kept, and the turn is done again on the code that was taken over', async () => {
    const run = await rewind('reset', 'fixing');
    const first = await run.turn('fixing');
    run.resetTo(2, source.executed);

    const second = await run.turn('fixing');

    expect(host.repository.git('rev-parse', `${second.head}^`).trim()).toBe(source.executed);
    expect(host.repository.git('rev-parse', 'refs/sluice/reset/reset-1').trim()).toBe(first.head);
    expect(readProgress(run.stateDir)?.entries.map(({ stage, end }) => [stage, end?.headAfter])).toEqual([
      ['fixing', second.head],
    ]);
  });

  it('takes over task, title and frozen policy, and journals where it comes from', async () => {
    // Neither trusted nor with the stages of the source.
    host.repository.write('.sluice/config.yaml', `${host.repository.configText}stageList: express\n`);
    host.repository.git('commit', '-qam', 'another config');

    const { opened, runId } = await rewind('frozen', 'reviewing', { task: 'another task' });

    host.repository.git('reset', '--hard', '--quiet', 'HEAD~1');
    const { record } = readRunToTell(host.deps.home, { runId, repoKey: opened.repoKey });
    const frozen = readRunToTell(host.deps.home, { runId: 'source', repoKey: opened.repoKey }).record;
    expect([record.input.task, record.input.title]).toEqual(['the task of the source', 'The title']);
    expect(record.policy).toEqual(frozen.policy);
    expect(opened.policy.stages).toEqual(STAGES);
    expect(opened.observations[0]).toMatchObject({
      type: 'run.rewound',
      data: { sourceRunId: 'source', fromStage: 'reviewing', commit: source.fixed },
    });
  });

  it.each([
    ['verifying', true],
    ['reviewing', false],
    ['validating', false],
    ['fixing', false],
    ['executing', false],
  ] as const)('to %s counts as approved: %s', async (stage, approved) => {
    expect((await rewind(`approved-${stage}`, stage)).opened.resumed?.approved).toBe(approved);
  });

  it('begins where its source ended when no stage is named', async () => {
    expect((await rewind('no-stage')).opened.resumed?.fromStage).toBe('verifying');
  });

  it('can be rewound itself, before it did anything and to a stage that only its source did', async () => {
    const first = await rewind('first', 'reviewing');
    await first.close('aborted');

    const second = await host.start('second', { rewind: { runId: 'first' } });
    const third = await host.start('third', { rewind: { runId: 'first', stage: 'fixing' } });

    expect(second.opened.resumed).toMatchObject({ sourceRunId: 'first', fromStage: 'reviewing', commit: source.fixed });
    expect(third.opened.resumed).toMatchObject({ sourceRunId: 'first', fromStage: 'fixing', commit: source.executed });
  });

  it('mends what it is given, against another base and from another commit, and can be rewound with it', async () => {
    const { git } = host.repository;
    const base = git('commit-tree', '-p', source.base, '-m', 'base went on', `${source.base}^{tree}`).trim();
    const start = git('commit-tree', '-p', base, '-m', 'joined', `${source.fixed}^{tree}`).trim();
    const rewindInput = { runId: 'source', stage: 'fixing', findings: [FINDING], onto: { base, start } } as const;

    const mended = await host.start('mended', { rewind: rewindInput });
    await mended.close('aborted');
    const again = await host.start('mended-again', { rewind: { runId: 'mended' } });

    for (const run of [mended, again]) {
      const { opened } = run;
      expect(opened).toMatchObject({ baseSha: base, resumed: { fromStage: 'fixing', commit: start, wroteCode: true } });
      expect(git('rev-parse', opened.branch).trim()).toBe(start);
      const { findings } = opened.resumed?.context ?? run.context;
      const store = artifactsOf(
        host.deps,
        readRunToTell(host.deps.home, { runId: run.runId, repoKey: opened.repoKey }),
      );
      expect(findings && JSON.parse(await store.get(findings))).toEqual([FINDING]);
    }
  });

  it.each(['open.after-worktree', 'open.before-record'] as const)(
    'that is killed at %s opens at the next attempt, without its source',
    async (name) => {
      const doomed = `doomed-${name.length}`;
      await driveSource(host, doomed);
      const input = host.openInput(`killed-${name.length}`, { rewind: { runId: doomed, stage: 'verifying' } });
      host.armed = name;
      await expect(host.open(input)).rejects.toThrow(`killed at ${name}`);
      rmSync(host.deps.home.stateDir(source.run.opened.repoKey, doomed), { recursive: true });

      const opened = await host.open(input);

      expect(host.armed).toBeNull();
      expect(opened.resumed).toMatchObject({ sourceRunId: doomed, approved: true });
      expect(await host.open(input)).toEqual(opened);
    },
  );

  it('is refused for what its source cannot give, with what can be chosen, and leaves nothing', async () => {
    const state = join(source.run.stateDir, '..');
    const before = [readdirSync(state), host.repository.git('for-each-ref')];
    const cases: readonly (readonly [Partial<RunInput>, RegExp, string])[] = [
      [{ rewind: { runId: 'unheard-of' } }, /no such run/, 'rewind'],
      [{ rewind: { runId: 'refused' } }, /id of the new run itself/, 'rewind'],
      [{ rewind: { runId: '../source' } }, /single dots/, 'rewind'],
      [{ rewind: { runId: 'source' }, policy: { rounds: 1 } }, /policy is given[\s\S]*policy of its source/, 'policy'],
      [{ rewind: { runId: 'source' }, preset: 'default' }, /preset is given/, 'preset'],
      [{ rewind: { runId: 'source' }, commandHash: 'a'.repeat(64) }, /commandHash is given/, 'commandHash'],
      [{ rewind: { runId: 'source' }, configHash: 'a'.repeat(64) }, /configHash is given/, 'configHash'],
      [
        { rewind: { runId: 'source', stage: 'executing', onto: { base: source.base, start: 'a'.repeat(40) } } },
        /has no such commit/,
        'rewind',
      ],
      [{ rewind: { runId: 'source' }, base: 'elsewhere' }, /base is "elsewhere"[\s\S]*base of its source/, 'base'],
    ];

    for (const [input, message, field] of cases) {
      const error = await refusal('refused', input);
      expect(error).toMatchObject({
        type: 'BadInput',
        nonRetryable: true,
        details: [field, { now: 'Nothing was started.' }],
        message: expect.stringMatching(message),
      });
      expect(error).toMatchObject({ message: expect.stringMatching(/\nNothing was started\.\n(Mend: )?sluice /) });
    }
    expect([readdirSync(state), host.repository.git('for-each-ref')]).toEqual(before);
  });

  it('is refused while its source is open, and for a stage that it has not reached', async () => {
    const open = await host.start('still-open');
    await open.turn('planning');

    expect(await refusal('early', { rewind: { runId: 'still-open' } })).toMatchObject({
      message: expect.stringContaining('still open'),
    });

    await open.close('aborted');
    expect(await refusal('early', { rewind: { runId: 'still-open', stage: 'reviewing' } })).toMatchObject({
      message: expect.stringMatching(
        /never reached it\.\n.*: planning, architecting\.\n.*\nsluice rewind still-open --stage architecting$/,
      ),
    });
  });

  it('is refused where what its source did is not known, and can go to the first stage, which needs nothing of it', async () => {
    const unknown = await driveSource(host, 'unknown');
    rmSync(join(unknown.run.stateDir, 'progress.jsonl'));

    for (const stage of [undefined, 'reviewing', 'executing'] as const) {
      const refused = await refusal('from-unknown', {
        rewind: { runId: 'unknown', ...(stage === undefined ? {} : { stage }) },
      });
      expect(refused).toMatchObject({
        type: 'BadInput',
        message: expect.stringMatching(/what it did is not known[\s\S]*\nsluice rewind unknown --stage planning$/),
      });
    }

    const { opened } = await host.start('from-unknown', { rewind: { runId: 'unknown', stage: 'planning' } });
    expect(opened.resumed).toMatchObject({ fromStage: 'planning', commit: source.base });
  });

  it('is refused once the person took back the trust in the config that its source was opened with', async () => {
    await driveSource(host, 'distrusted');
    await host.start('heir', { rewind: { runId: 'distrusted' } }).then((heir) => heir.close('aborted'));
    await revokeTrust(host.deps.home.root, host.repository.path, null);

    for (const runId of ['distrusted', 'heir']) {
      const refused = await refusal('late', { rewind: { runId } });
      expect(refused).toMatchObject({
        type: 'NotTrusted',
        nonRetryable: true,
        message: expect.stringContaining('sluice trust'),
      });
    }

    await trustConfig(host.deps.home.root, host.repository.path, host.repository.configText);
    for (const runId of ['distrusted', 'heir']) {
      expect((await host.start(`trusted-${runId}`, { rewind: { runId } })).opened.resumed?.sourceRunId).toBe(runId);
    }
  });

  it('is refused where the artifacts or the code of its source are gone', async () => {
    const gone = await driveSource(host, 'gone');
    const plan = gone.run.context.plan?.sha256 ?? '';
    writeFileSync(join(gone.run.stateDir, 'artifacts', plan), 'something else');
    const damaged = await refusal('late', { rewind: { runId: 'gone', stage: 'verifying' } });
    expect(damaged).toMatchObject({
      type: 'BadInput',
      message: expect.stringMatching(/not whole any more: .*damaged[\s\S]*sluice clean/),
    });
    expect(existsSync(join(gone.run.stateDir, '..', 'late'))).toBe(false);

    const collected = await driveSource(host, 'collected');
    const { git } = host.repository;
    git('worktree', 'remove', '--force', collected.run.opened.worktree);
    git('branch', '-D', collected.run.opened.branch);
    git('update-ref', '-d', 'refs/sluice/collected/head');
    const object = join(host.repository.path, '.git/objects', collected.fixed.slice(0, 2), collected.fixed.slice(2));
    rmSync(object, { force: true });
    const late = await refusal('late', { rewind: { runId: 'collected', stage: 'verifying' } });
    expect(late).toMatchObject({
      type: 'BadInput',
      message: expect.stringMatching(/is gone from .*git gc[\s\S]*--stage executing/),
    });
  });
});
