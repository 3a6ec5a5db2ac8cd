import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Keeper,
  keepingTurn,
  keepingValidation,
  readProgress,
  startProgress,
} from '../../../activities/unit/stage-progress.js';
import { homePaths } from '../../../config/home/home.js';
import type {
  RunTurnInput,
  RunTurnResult,
  ValidateInput,
  ValidateResult,
} from '../../../protocol/messages/messages.js';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { tempFolders } from '../../support/temp-folder.js';

describe('the progress of a run', () => {
  const freshFolder = tempFolders();
  let root: string;
  let stateDir: string;

  beforeEach(() => {
    root = freshFolder();
    const home = homePaths(root);
    stateDir = home.stateDir('repository', 'run-1');
    mkdirSync(stateDir, { recursive: true });
    startProgress(stateDir, [], 'process');
  });

  const at = (seq: number, token: string): Keeper => ({
    run: { stateDir },
    place: { seq, token, durability: 'process' },
  });
  const inputOf = (stage: TurnStage) =>
    ({
      stage,
      round: 0,
      expectedHead: 'before',
    }) as RunTurnInput;
  const resultOf = (part: Partial<RunTurnResult> = {}) =>
    ({
      outcome: { kind: 'done' },
      head: 'after',
      decision: null,
      output: null,
      rolledBack: false,
      request: null,
      findings: null,
      ...part,
    }) as RunTurnResult;
  const turn = (seq: number, token: string, stage: TurnStage, part?: Partial<RunTurnResult>) =>
    keepingTurn(at(seq, token), inputOf(stage), async () => resultOf(part));
  const known = () => readProgress(stateDir) ?? { inherited: [], entries: [] };
  const shown = () => known().entries.map(({ seq, token, end }) => `${seq} ${token} ${end?.outcome ?? 'begun'}`);

  it('has a turn from its begin, and completes it once the turn has an answer', async () => {
    let during: readonly string[] = [];

    await keepingTurn(at(2, 'a'), inputOf('planning'), async () => {
      during = shown();
      return resultOf();
    });

    expect(during).toEqual(['2 a begun']);
    expect(shown()).toEqual(['2 a done']);
  });

  it('keeps a turn that was aborted as begun', async () => {
    const aborted = keepingTurn(at(2, 'a'), inputOf('planning'), () => Promise.reject(new Error('aborted')));

    await expect(aborted).rejects.toThrow('aborted');
    expect(shown()).toEqual(['2 a begun']);
  });

  it('has one entry for all attempts of a place', async () => {
    await turn(2, 'a', 'planning');
    await turn(3, 'b', 'architecting');

    await turn(2, 'a', 'planning');

    expect(shown()).toEqual(['2 a done', '3 b done']);
  });

  it('drops what a reset abandoned, and takes no end of it any more', async () => {
    await turn(2, 'a', 'planning');
    await turn(3, 'b', 'architecting');
    const late = keepingTurn(at(4, 'c'), inputOf('executing'), async () => {
      await turn(3, 'd', 'architecting');
      return resultOf();
    });

    await late;

    expect(shown()).toEqual(['2 a done', '3 d done']);
  });

  it('begins anew when the run is opened again, and still has what it inherited', async () => {
    await turn(2, 'a', 'planning');
    const inherited = known().entries;

    startProgress(stateDir, inherited, 'process');
    await turn(2, 'b', 'architecting');

    expect(known().inherited).toEqual(inherited);
    expect(shown()).toEqual(['2 b done']);
  });

  it('keeps the decision of a review, an unreadable one as BLOCKED, and who asks for a person', async () => {
    await turn(2, 'a', 'reviewing', { decision: { kind: 'unreadable' } });
    await turn(3, 'b', 'reviewing', { decision: { kind: 'review', value: 'APPROVED' } });
    await turn(4, 'c', 'verifying', { decision: { kind: 'verification', value: 'PASSED' }, rolledBack: true });

    const ends = known().entries.map(({ end }) => [end?.review, end?.stopsHere]);
    expect(ends).toEqual([
      ['BLOCKED', false],
      ['APPROVED', false],
      [null, true],
    ]);
  });

  it('keeps the report, findings and output of a validation', async () => {
    const ref = (sha256: string) => ({ sha256, bytes: 1, mediaType: 'application/json' }) as const;
    const input = { ...inputOf('executing'), stage: 'validating', commit: 'checked' } as unknown as ValidateInput;
    const result = {
      outcome: { kind: 'failed', why: 'red' },
      report: ref('r'),
      findings: ref('f'),
      output: ref('o'),
    } as ValidateResult;

    await keepingValidation(at(2, 'a'), input, async () => result);

    expect(known().entries).toEqual([
      expect.objectContaining({
        stage: 'validating',
        headBefore: 'checked',
        end: expect.objectContaining({
          outcome: 'failed',
          output: ref('r'),
          findings: ref('f'),
          commandOutput: ref('o'),
        }),
      }),
    ]);
  });

  it('has what was entered and ended behind a line that was torn, as on a full disk', async () => {
    await turn(2, 'a', 'planning');
    appendFileSync(join(stateDir, 'progress.jsonl'), '\n{"entered":{"seq":3,"tok');
    await turn(3, 'b', 'architecting');

    expect(shown()).toEqual(['2 a done', '3 b done']);
  });

  it('is written by nobody who finds something else in its place', async () => {
    rmSync(join(stateDir, 'progress.jsonl'));
    mkdirSync(join(stateDir, 'progress.jsonl'));

    expect((await turn(2, 'a', 'planning')).outcome).toEqual({ kind: 'done' });

    expect(readProgress(stateDir)).toBeNull();
    startProgress(stateDir, [], 'power');
    await turn(2, 'a', 'planning');
    expect(shown()).toEqual(['2 a done']);
  });

  it.each([
    '{"version":1,',
    '[]',
    '{"version":2}',
    '{"version":1}',
    '{"version":1,"inherited":[1]}',
    '{"version":1,"inherited":[]}\n{"entered":1}',
    '{"version":1,"inherited":[]}\n{"ended":{"token":"a","end":null}}',
  ])(
    'that is damaged (%s) costs the run nothing, and stays unknown, for half of it would be taken for all',
    async (text) => {
      writeFileSync(join(stateDir, 'progress.jsonl'), text);

      expect((await turn(2, 'a', 'planning')).outcome).toEqual({ kind: 'done' });

      expect(readProgress(stateDir)).toBeNull();
    },
  );
});
