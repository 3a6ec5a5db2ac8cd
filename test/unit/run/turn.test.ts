import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { artifactsOf } from '../../../activities/unit/run-projection.js';
import { readRunToTell } from '../../../activities/unit/run-record.js';
import type { AfterOverflow, RunTurnInput, RunTurnResult } from '../../../protocol/messages/messages.js';
import type { ArtifactRef } from '../../../protocol/run/artifact.js';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

const FINDING = {
  id: 'F1',
  severity: 'high',
  category: 'tests',
  claim: 'No test.',
  evidence: ['a.txt:1'],
  recommendation: 'Add one.',
};

/** One turn a round. */
const STAGES = {
  planning: [
    { text: 'A plan.', costUsd: 0.25 },
    { outcome: 'rate_limited after=2', costUsd: 0.5 },
  ],
  executing: [
    { question: 'Which key?', text: 'Stuck.' },
    {
      append: { 'a.txt': 'asked\n' },
      humanApproval: { reason: 'drops a table', risk: 'high', action: 'look' },
      text: 'Done.',
    },
    { text: 'Nothing.', humanApproval: {} },
    { append: { 'a.txt': 'changed\n' }, question: 'And the rest?', exit: 9 },
    { append: { 'model.txt': '' }, run: 'echo "$SLUICE_MODEL $SLUICE_EFFORT" > model.txt', text: 'Done.' },
  ],
  reviewing: [
    { text: 'Hm.', findings: [FINDING, FINDING], decision: 'CHANGES_REQUESTED' },
    { text: 'The loop never ends.', decision: 'CHANGES_REQUESTED' },
    { text: 'Hm.', findings: [FINDING], decision: 'MAYBE', decisionAsk: 'CHANGES_REQUESTED' },
    { text: 'Fine.', append: { 'a.txt': 'mine\n' }, commit: 'Mine', decision: 'APPROVED' },
    { text: 'Fine.', commit: 'Empty', decision: 'APPROVED', humanApproval: { risk: 'low' } },
  ],
  fixing: [
    {
      append: { 'a.txt': 'fixed\n' },
      text: 'Fixed.',
      responses: [{ id: 'f1', disposition: 'fix', rationale: 'Added.' }],
    },
  ],
};

const AGENT = (name: string) =>
  `  ${name}:\n    adapter: scripted\n    model: ${name}-model\n    fallback: script\n    args: [FIXTURE]\n`;

let host: RewindHost;
let readOnly: RewindHost;

beforeAll(async () => {
  const fixture = fixtureWith(STAGES);
  host = await aRewindHost({ fixture, config: 'stages:\n  executing: {model: stage-model, effort: high}\n' });
  readOnly = await aRewindHost({ fixture, config: 'permissions: read-only\n' });
});

afterAll(() => {
  host.close();
  readOnly.close();
});

let runs = 0;

function aRun(of: RewindHost = host): Promise<DrivenRun> {
  runs += 1;
  return of.start(`run-${runs}`);
}

/** A turn of a stage in a round, in a run of its own. */
async function aTurn(
  stage: TurnStage,
  round: number,
  given: { readonly of?: RewindHost; readonly input?: Partial<RunTurnInput> } = {},
) {
  const run = await aRun(given.of);
  const input = run.turnInput(stage, { round, ...given.input });
  return { run, input, result: await run.runTurn(input) };
}

function artifact(run: DrivenRun, ref: ArtifactRef | null | undefined, of: RewindHost = host): Promise<string> {
  if (ref === null || ref === undefined) throw new Error('no artifact');
  return artifactsOf(of.deps, readRunToTell(of.deps.home, { runId: run.runId, repoKey: run.opened.repoKey })).get(ref);
}

const shown = (run: DrivenRun, name: string) => readFileSync(join(run.opened.runDir, name), 'utf8');
const promptOf = (run: DrivenRun, { place, stage }: RunTurnInput) =>
  shown(run, `turns/${place.seq}-${stage}/prompt.md`);

describe('a review', () => {
  it('gives its findings, as an artifact and in review.md', async () => {
    const { run, result } = await aTurn('reviewing', 0);

    expect(result).toMatchObject({
      outcome: { kind: 'done' },
      decision: { kind: 'review', value: 'CHANGES_REQUESTED' },
    });
    expect(JSON.parse(await artifact(run, result.findings))).toEqual([FINDING, { ...FINDING, id: 'F1-2' }]);
    expect(shown(run, 'review.md')).toContain('### F1-2 (high, tests)');
  });

  it('that asks for changes and lists no finding is itself the finding', async () => {
    const { run, result } = await aTurn('reviewing', 1);

    const findings = JSON.parse(await artifact(run, result.findings)) as { claim: string }[];
    expect(findings).toEqual([
      expect.objectContaining({ id: 'F1', severity: 'medium', claim: 'The loop never ends.' }),
    ]);
  });

  it('whose decision was asked for again gives the findings of its first answer', async () => {
    const { run, input, result } = await aTurn('reviewing', 2);
    const again = await run.runTurn(
      run.turnInput('reviewing', { round: 2, ask: 'decision', previousTurn: input.place }),
    );

    expect(result.decision).toEqual({ kind: 'unreadable' });
    expect(again.decision).toEqual({ kind: 'review', value: 'CHANGES_REQUESTED' });
    expect(JSON.parse(await artifact(run, again.findings))).toEqual([FINDING]);
  });

  it.each([
    ['a commit of a change', 3],
    ['an empty commit', 4],
  ])('with %s of its own is rolled back, and the branch stands where it stood', async (_what, round) => {
    const { run, result } = await aTurn('reviewing', round);

    expect(result).toMatchObject({ rolledBack: true, head: run.opened.baseSha, decision: { value: 'APPROVED' } });
    expect(result.observations.map(({ type }) => type)).toContain('policy.violation');
    expect(host.repository.git('rev-parse', run.opened.branch).trim()).toBe(run.opened.baseSha);
  });
});

describe('a prompt', () => {
  it('that was written over since is not shown, and that is told', async () => {
    const run = await aRun();
    const input = run.turnInput('planning', { round: 0 });
    host.armed = 'turn.after-outcome';
    await expect(run.runTurn(input)).rejects.toThrow('killed at turn.after-outcome');

    writeFileSync(join(host.deps.home.turnDir(run.opened.repoKey, run.runId, input.place), 'prompt.md'), 'FORGED');
    const result = await run.runTurn(input);

    expect(result.outcome).toEqual({ kind: 'done' });
    expect(promptOf(run, input)).toBe(
      'What is kept of this prompt is not what the agent was given, so it is not shown.\n',
    );
    expect(result.observations).toContainEqual(expect.objectContaining({ type: 'policy.violation' }));
  });
});

describe('a fixing turn', () => {
  it('is shown the findings and what red checks printed, and its answers stand in finding-responses.md', async () => {
    const { run, result } = await aTurn('reviewing', 0);
    const artifacts = artifactsOf(
      host.deps,
      readRunToTell(host.deps.home, { runId: run.runId, repoKey: run.opened.repoKey }),
    );
    const report = {
      round: 0,
      commit: run.head,
      tree: 't',
      commands: [RED],
      summary: SUMMARY,
      treeChanged: false,
      note: null,
    };
    const context = {
      ...run.context,
      findings: result.findings ?? null,
      validation: await artifacts.put(JSON.stringify(report), 'application/json'),
      validationOutput: await artifacts.put(
        JSON.stringify([{ command: 'npm test', text: 'not ok 3' }]),
        'application/json',
      ),
    };
    const input = run.turnInput('fixing', { round: 1, context });

    expect((await run.runTurn(input)).outcome).toEqual({ kind: 'done' });

    expect(promptOf(run, input)).toContain('### F1-2 (high, tests)\n\n<finding>\nNo test.\n\nEvidence:\n- a.txt:1\n');
    expect(promptOf(run, input)).toContain('### npm test: failed, exit code 1\n\n<output>\nnot ok 3\n</output>');
    expect(shown(run, 'finding-responses.md')).toContain('### F1: fix\n\nAdded.');
    expect(shown(run, 'finding-responses.md')).toContain('## Unanswered\n\n- F1-2');
    for (const stage of ['reviewing', 'verifying'] as const) {
      const look = run.turnInput(stage, {
        round: 0,
        context,
        expectedHead: host.repository.git('rev-parse', run.opened.branch).trim(),
      });
      await run.runTurn(look);
      expect(promptOf(run, look)).toContain('<output>\nnot ok 3\n</output>');
    }
  });

  it('goes on without findings that cannot be read', async () => {
    const run = await aRun();
    const artifacts = artifactsOf(
      host.deps,
      readRunToTell(host.deps.home, { runId: run.runId, repoKey: run.opened.repoKey }),
    );
    const findings = await artifacts.put('[{"id":', 'application/json');

    const result = await run.runTurn(run.turnInput('fixing', { round: 1, context: { ...run.context, findings } }));

    expect(result.outcome).toEqual({ kind: 'done' });
  });
});

const RED = {
  command: 'npm test',
  exitCode: 1,
  status: 'failed',
  timedOut: false,
  failedOnBase: false,
  durationMs: 1,
  stdoutPath: 'x',
  stderrPath: 'y',
};
const SUMMARY = { total: 1, passed: 0, failed: 1, environment: 0 };

describe('a turn that asks', () => {
  const asked = ({ outcome, request }: RunTurnResult) => ({ outcome: outcome.kind, request });

  it('a question and changed nothing is done, and says the same on every attempt', async () => {
    const run = await aRun();
    const input = run.turnInput('executing', { round: 0 });
    const request = { kind: 'question', reason: 'Which key?', risk: 'medium', action: 'Which key?' };
    host.armed = 'turn.before-record';
    await expect(run.runTurn(input)).rejects.toThrow('killed at turn.before-record');

    const results = [await run.runTurn(input), await run.runTurn(input)];

    expect(results.map(asked)).toEqual([
      { outcome: 'done', request },
      { outcome: 'done', request },
    ]);
    expect(results[0]?.head).toBe(run.opened.baseSha);
  });

  it('for approval keeps its commit and its outcome', async () => {
    const { run, result } = await aTurn('executing', 1);

    expect(asked(result)).toEqual({
      outcome: 'done',
      request: { kind: 'approval', reason: 'drops a table', risk: 'high', action: 'look' },
    });
    expect(result.head).not.toBe(run.opened.baseSha);
  });

  it('for approval and changed nothing is still no_change', async () => {
    const { result } = await aTurn('executing', 2);

    expect(asked(result)).toEqual({
      outcome: 'no_change',
      request: { kind: 'approval', reason: expect.stringContaining('gives no reason'), risk: 'medium', action: null },
    });
  });

  it('in a review decides as it said', async () => {
    const { result } = await aTurn('reviewing', 4);

    expect(asked(result)).toMatchObject({ outcome: 'done', request: { kind: 'approval', risk: 'low' } });
    expect(result.decision).toEqual({ kind: 'review', value: 'APPROVED' });
  });

  it('and fails asks nobody', async () => {
    const { result } = await aTurn('executing', 3);

    expect(asked(result)).toEqual({ outcome: 'hard', request: null });
  });
});

describe('a run that may not write', () => {
  it.each([
    ['executing', 1],
    ['fixing', 1],
  ] as const)('rolls %s back like a read-only turn, and tells it before', async (stage, round) => {
    const { run, input, result } = await aTurn(stage, round, { of: readOnly });

    expect(result).toMatchObject({ outcome: { kind: 'done' }, rolledBack: true, head: run.opened.baseSha });
    expect(readFileSync(join(run.opened.worktree, 'a.txt'), 'utf8')).toBe('one\n');
    expect(promptOf(run, input)).toContain('This run may not write');
  });
});

describe('what people wrote', () => {
  it('stands in the prompt of the turn', async () => {
    const notes = [{ kind: 'steer', text: 'Mind the arrays.', by: 'ada', at: '2026-11-21T10:00:00.000Z' }] as const;

    const { run, input } = await aTurn('planning', 0, { input: { notes } });

    expect(promptOf(run, input)).toContain('## What people wrote');
    expect(promptOf(run, input)).toContain('> Mind the arrays.');
  });
});

describe('a turn after one that was too long', () => {
  let small: RewindHost;

  beforeAll(async () => {
    const args = JSON.stringify([host.repository.fixturePath]);
    const agents = `  small: {adapter: scripted, model: small-model, extendedModel: large-model, args: ${args}}\n`;
    const executing = '  executing: {agent: small, contextBytes: 64kB, prompt: "Change it.\\n\\n{{task}}"}\n';
    small = await aRewindHost({ fixture: fixtureWith(STAGES), config: `${agents}stages:\n${executing}` });
  });

  afterAll(() => small.close());

  const attempt = async (afterOverflow: AfterOverflow | null = null) => {
    runs += 1;
    const run = await small.start(`run-${runs}`, { task: 'ü'.repeat(5_000) });
    const input = run.turnInput('executing', { round: 4, afterOverflow });
    const result = await run.runTurn(input);
    const turn = JSON.parse(shown(run, `turns/${input.place.seq}-executing/turn.json`)) as Record<string, unknown>;
    return { prompt: promptOf(run, input), turn, ended: result.observations[0]?.data };
  };

  it('has the template of its stage, and the whole task where its context has room for it', async () => {
    const { prompt, turn, ended } = await attempt();

    expect(prompt).toContain('[ask:work]\n\nChange it.\n\n## Task: ');
    expect(prompt).toContain('ü'.repeat(5_000));
    expect(prompt).toContain('- Your tools in this turn look, change files and run programs.');
    expect(turn).toMatchObject({ promptCut: false });
    expect(ended).toMatchObject({ model: 'small-model' });
  });

  it('has a quarter of its context, is told to read less, and its files say that something is missing', async () => {
    const { prompt, turn, ended } = await attempt('shorter');

    expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(16_000);
    expect(prompt).toContain('bytes left out');
    expect(prompt).toContain('ran out of its context window');
    expect(turn).toMatchObject({ model: 'small-model', promptCut: true });
    expect(ended).toMatchObject({ promptCut: true });
  });

  it('has its whole context again with the larger model', async () => {
    const { prompt, turn, ended } = await attempt('extended');

    expect(prompt).toContain('ü'.repeat(5_000));
    expect(turn).toMatchObject({ agent: 'small', model: 'large-model' });
    expect(ended).toMatchObject({ model: 'large-model' });
  });
});

describe('an agent that stands in for the stage’s own', () => {
  it('works with its own model, and is named wherever the agent is', async () => {
    const { run, input, result } = await aTurn('executing', 4, { input: { agent: 'other' }, of: await withOther() });

    expect(result).toMatchObject({ agent: 'other', outcome: { kind: 'done' } });
    expect(result.observations[0]?.data).toMatchObject({ agent: 'other', adapter: 'scripted', model: 'other-model' });
    expect(JSON.parse(shown(run, `turns/${input.place.seq}-executing/turn.json`))).toMatchObject({
      agent: 'other',
      model: 'other-model',
    });
    expect(readFileSync(join(run.opened.worktree, 'model.txt'), 'utf8')).toBe('other-model \n');
  });

  it('is refused where the policy does not know it', async () => {
    await expect(aTurn('executing', 4, { input: { agent: 'nobody' } })).rejects.toThrow(
      '"nobody", which is not configured',
    );
  });

  let made: RewindHost | null = null;

  async function withOther(): Promise<RewindHost> {
    made = await aRewindHost({
      fixture: fixtureWith(STAGES),
      config: `${AGENT('other').replace('FIXTURE', JSON.stringify(host.repository.fixturePath))}stages:\n  executing: {model: stage-model, effort: high}\n`,
    });
    return made;
  }

  afterAll(() => made?.close());
});

describe('the agents of six stages', () => {
  const NAMES = ['planning', 'architecting', 'executing', 'reviewing', 'fixing', 'verifying'] as const;
  let six: RewindHost;

  beforeAll(async () => {
    const fixture = JSON.stringify(host.repository.fixturePath);
    const agents = NAMES.map((stage) => AGENT(`the-${stage}`).replace('FIXTURE', fixture)).join('');
    const stages = NAMES.map((stage) => `  ${stage}: {agent: the-${stage}, instructions: "Mind ${stage}."}\n`).join('');
    six = await aRewindHost({ fixture: fixtureWith(STAGES), config: `${agents}stages:\n${stages}` });
  });

  afterAll(() => six.close());

  it.each(NAMES)('are their own, with model and instructions, in %s', async (stage) => {
    const { run, input, result } = await aTurn(stage, 1, { of: six });

    const turn = JSON.parse(shown(run, `turns/${input.place.seq}-${stage}/turn.json`)) as unknown;
    expect(turn).toMatchObject({ agent: `the-${stage}`, model: `the-${stage}-model` });
    expect(result.agent).toBe(`the-${stage}`);
    expect(promptOf(run, input)).toContain(`## Instructions for this stage\n\nMind ${stage}.`);
  });
});

describe('a scripted turn', () => {
  it('says what it cost', async () => {
    expect((await aTurn('planning', 0)).result).toMatchObject({ outcome: { kind: 'done' }, costMicroUsd: 250_000 });
  });

  it('that fails as it was told says so, and its cost too', async () => {
    const { result } = await aTurn('planning', 1);

    expect(result).toMatchObject({
      outcome: { kind: 'rate_limited', afterMs: 2000 },
      costMicroUsd: 500_000,
      exitCode: 1,
    });
    expect(result.observations[0]?.data).toMatchObject({ outcome: 'rate_limited', costMicroUsd: 500_000 });
  });
});
