import { describe, expect, it } from '@jest/globals';
import { fitResult } from '../../../activities/unit/fit-result.js';
import { MAX_TURN_RESULT_BYTES } from '../../../protocol/limits.js';
import type { Observation } from '../../../protocol/messages/journal.js';
import type { RunTurnResult } from '../../../protocol/messages/messages.js';

const END = anObservation('the end', { type: 'turn.completed' });
const COMMIT = anObservation('the commit', { type: 'git.committed' });

function anObservation(message: string, rest: Partial<Observation> = {}): Observation {
  return { timestamp: '2026-11-21T10:00:00.000Z', type: 'repository.changed', message, data: { gate: true }, ...rest };
}

function aResult(observations: readonly Observation[], rest: Partial<RunTurnResult> = {}): RunTurnResult {
  return {
    outcome: { kind: 'done' },
    said: null,
    head: 'c'.repeat(40),
    decision: null,
    output: null,
    rolledBack: false,
    agent: 'robot',
    exitCode: 0,
    durationMs: 1,
    observations,
    journalSeq: 3,
    branchMoved: false,
    costMicroUsd: null,
    tokens: null,
    request: null,
    guarded: [],
    findings: null,
    started: true,
    ...rest,
  };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe('the answer of a turn', () => {
  it('that fits stays as it is', () => {
    const result = aResult([END, anObservation('x', { data: { paths: ['a'] } }), COMMIT]);

    expect(fitResult(result)).toEqual(result);
  });

  it.each([
    ['12 000 observations', Array.from({ length: 12_000 }, (_, n) => anObservation(`the hook ${n} changed`))],
    ['sentences of many bytes a character', Array.from({ length: 40 }, () => anObservation('🦥'.repeat(150)))],
    ['sentences without an end', Array.from({ length: 3 }, () => anObservation('x'.repeat(100_000)))],
    ['control characters', Array.from({ length: 30 }, () => anObservation('\u0001'.repeat(300)))],
  ])('with %s fits, and has its end, its commit and the first of the rest', (_what, rest) => {
    const fitted = fitResult(aResult([END, ...rest, COMMIT]));

    expect(bytesOf(fitted)).toBeLessThanOrEqual(MAX_TURN_RESULT_BYTES);
    expect(fitted.observations[0]).toEqual(END);
    expect(fitted.observations.at(-1)).toEqual(COMMIT);
    expect(fitted.observations[1]?.message.slice(0, 10)).toBe(rest[0]?.message.slice(0, 10));
  });

  it('keeps its commit and its end also where they stand in the middle', () => {
    const many = Array.from({ length: 500 }, (_, n) => anObservation(`note ${n}`));

    const { observations } = fitResult(aResult([...many, COMMIT, END, ...many]));

    expect(observations.filter(({ type }) => type !== 'repository.changed')).toEqual([COMMIT, END]);
  });

  it('says how many observations it leaves out of the middle', () => {
    const many = Array.from({ length: 500 }, (_, n) => anObservation(`note ${n}`));

    const { observations } = fitResult(aResult([END, ...many]));

    const at = observations.findIndex(({ message }) => message.startsWith('… and '));
    expect(observations[at]?.message).toContain(`… and ${500 - (observations.length - 2)} more`);
    expect(observations[at - 1]?.message).toBe(`note ${at - 2}`);
    expect(observations.at(-1)?.message).toBe('note 499');
  });

  it('loses lists of paths before any sentence', () => {
    const notes = Array.from({ length: 10 }, (_, n) =>
      anObservation(`note ${n}`, { data: { rule: 'read_only', paths: ['p'.repeat(2000)] } }),
    );

    const { observations } = fitResult(aResult([END, ...notes]));

    expect(observations).toHaveLength(11);
    expect(observations[1]?.data).toEqual({ rule: 'read_only' });
  });

  it('keeps the first of the guarded paths', () => {
    const paths = Array.from({ length: 10 }, (_, n) => `${n}${'é'.repeat(800)}`);

    const fitted = fitResult(aResult([END], { outcome: { kind: 'guarded_paths', why: 'guarded', paths } }));

    expect(bytesOf(fitted)).toBeLessThanOrEqual(MAX_TURN_RESULT_BYTES);
    expect(fitted.outcome).toEqual({ kind: 'guarded_paths', why: 'guarded', paths: [paths[0], '… and more'] });
  });

  it('keeps the first of the guarded paths also where it says something else', () => {
    const guarded = Array.from({ length: 10 }, (_, n) => `${n}/${'d'.repeat(1_500)}/AGENTS.md`);

    const fitted = fitResult(aResult([END, COMMIT], { outcome: { kind: 'repository_changed', why: 'x' }, guarded }));

    expect(bytesOf(fitted)).toBeLessThanOrEqual(MAX_TURN_RESULT_BYTES);
    expect(fitted.guarded).toEqual([guarded[0], '… and more']);
    expect(fitted.observations).toEqual([END, COMMIT]);
  });

  it.each(['é', '"', '🦥'])('with the longest request of %s fits, and keeps what is asked', (letter) => {
    const request = {
      kind: 'question',
      reason: letter.repeat(300),
      risk: 'high',
      action: letter.repeat(1000),
    } as const;
    const paths = Array.from({ length: 10 }, (_, n) => `${n}${letter.repeat(300)}`);
    const outcome = { kind: 'guarded_paths', why: letter.repeat(300 / letter.length), paths } as const;
    const end = anObservation(letter.repeat(300 / letter.length), {
      type: 'turn.completed',
      data: { agent: letter.repeat(60) },
    });

    const fitted = fitResult(
      aResult([end, ...Array.from({ length: 20 }, () => anObservation(letter.repeat(150))), COMMIT], {
        request,
        outcome,
      }),
    );

    expect(bytesOf(fitted)).toBeLessThanOrEqual(MAX_TURN_RESULT_BYTES);
    expect(fitted.request).toMatchObject({ kind: 'question', risk: 'high' });
    expect(fitted.request?.action).toMatch(new RegExp(`^${letter}{100,}…$`, 'u'));
    expect(fitted.observations.at(-1)).toEqual(COMMIT);
  });

  it('with a request that fits keeps it whole', () => {
    const request = { kind: 'approval', reason: 'r'.repeat(300), risk: 'low', action: 'a'.repeat(1000) } as const;

    expect(fitResult(aResult([END], { request })).request).toEqual(request);
  });
});
