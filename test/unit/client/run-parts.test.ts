/** What a run left, read part by part, whatever somebody else put there. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { checkText, readChecks, readPart, readReview } from '../../../client/look/run-parts.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
let runDir: string;

beforeEach(() => {
  runDir = freshFolder();
});

function write(name: string, text: string): void {
  mkdirSync(dirname(join(runDir, name)), { recursive: true });
  writeFileSync(join(runDir, name), text);
}

const REVIEW = `# Review, round 1

DECISION: CHANGES_REQUESTED
Commit: ${'c'.repeat(40)}
Source: agent

## Summary

None.

## Findings

### F1 (high, correctness)

It divides by zero.

Evidence:
- a.ts:3

Recommendation: do not

## Raw

DECISION: APPROVED

### F9 (low, tests)

not ours
`;

const check = (over: object = {}) => ({
  command: 'npm test',
  exitCode: 1,
  status: 'failed',
  timedOut: false,
  failedOnBase: false,
  durationMs: 12_000,
  stdoutPath: 'validation/1-1.stdout.txt',
  stderrPath: 'validation/1-1.stderr.txt',
  ...over,
});

const report = (commands: readonly unknown[]) => JSON.stringify({ round: 1, commit: 'c'.repeat(40), commands });

describe('the parts of a run', () => {
  it('are those of the turn before while the last one is at work', async () => {
    write('turns/2-planning/prompt.md', 'plan it');
    write('turns/3-executing/live.md', 'I read');

    expect(await readPart('prompt', { runDir })).toBe('plan it');
    expect(await readPart('output', { runDir, stage: 'executing' })).toBeNull();
  });

  it('are its files, the last round of each unless one is named', async () => {
    for (const [name, text] of Object.entries({
      'plan.md': 'the plan',
      'architecture.md': 'the design',
      'report.md': 'the report',
      'verification.md': 'verified',
      'finding-responses.md': 'answers',
      'review.md': REVIEW,
      'rounds/0/review.md': 'the first review',
    }))
      write(name, text);
    const parts = (['plan', 'architecture', 'report', 'verification', 'responses'] as const).map((part) =>
      readPart(part, { runDir }),
    );

    expect(await Promise.all(parts)).toEqual(['the plan', 'the design', 'the report', 'verified', 'answers']);
    expect(await readPart('review', { runDir })).toBe(REVIEW);
    expect(await readPart('review', { runDir, round: 0 })).toBe('the first review');
    expect(await readPart('review', { runDir, round: 7 })).toBeNull();
  });

  it('tell the findings of a review by what the engine wrote, not by what an agent wrote behind it', async () => {
    write('review.md', REVIEW);

    expect(await readPart('findings', { runDir })).toBe(
      '## Findings\n\n### F1 (high, correctness)\n\nIt divides by zero.\n\nEvidence:\n- a.ts:3\n\nRecommendation: do not\n',
    );
    expect(await readReview({ runDir })).toEqual({
      decision: 'CHANGES_REQUESTED',
      commit: 'c'.repeat(40),
      findings: ['F1 (high, correctness): It divides by zero.'],
    });
  });

  it('tell of checks what each came to, and what the red ones printed', async () => {
    write('validation.json', report([check({ command: 'lint', status: 'passed' }), check()]));
    write('validation/1-1.stdout.txt', '1 failing\n');
    write('validation/1-1.stderr.txt', 'Error: boom\n');

    expect(await readPart('checks', { runDir })).toBe(
      `# Checks, round 1, of ${'c'.repeat(40)}\n- lint  passed, 0:12\n- npm test  failed, 0:12\n\n## npm test\n\n1 failing\nError: boom\n`,
    );
  });

  it('follow no path out of the run, and take nothing that is no report', async () => {
    write('validation.json', report([check({ stdoutPath: '../../etc/passwd', stderrPath: '/etc/passwd' }), 7, {}]));

    expect((await readChecks({ runDir }))?.commands.map(({ outputs }) => outputs)).toEqual([[]]);
    expect(await readPart('checks', { runDir })).toContain('It printed nothing.');
    for (const text of ['', '[]', '{"round":1}', 'x'.repeat(100)]) {
      write('validation.json', text);
      expect(await readChecks({ runDir })).toBeNull();
    }
  });

  it('say where no checks are configured, and which command is red on the base too', async () => {
    write('validation.json', report([]));

    expect(await readPart('checks', { runDir })).toContain('No checks are configured.');
    expect(checkText({ ...check({ failedOnBase: true }), status: 'environment', outputs: [] })).toBe(
      'npm test  could not be run, as on the base, 0:12',
    );
  });

  it('are a prompt and an output of the last turn, of a stage, of a round', async () => {
    for (const [turn, round] of [
      ['2-executing', 0],
      ['10-fixing', 1],
      ['9-fixing', 0],
    ] as const) {
      write(`turns/${turn}/prompt.md`, turn);
      write(`turns/${turn}/turn.json`, JSON.stringify({ round }));
    }

    expect(await readPart('prompt', { runDir })).toBe('10-fixing');
    expect(await readPart('prompt', { runDir, stage: 'executing' })).toBe('2-executing');
    expect(await readPart('prompt', { runDir, stage: 'fixing', round: 0 })).toBe('9-fixing');
    expect(await readPart('prompt', { runDir, stage: 'planning' })).toBeNull();
    expect(await readPart('output', { runDir })).toBeNull();
  });
});
