import { describe, expect, it } from '@jest/globals';
import { createColors } from 'picocolors';
import type { RunEnd } from '../../../client/cli/watch/run-end.js';
import { endObject, endObjectOfView, renderEnd, type SummaryFacts } from '../../../client/cli/watch/summary.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { aView } from '../../support/gate-builder.js';
import { began, moved, told } from '../../support/told-stages.js';

const ALL_FILES = ['review.md', 'verification.md', 'validation.json', 'events.jsonl', 'turns/4-executing/stream.jsonl'];

const someFacts = (over: Partial<SummaryFacts> = {}): SummaryFacts => ({
  runId: 'shop-1',
  title: 'Fix it',
  runDir: '/shop/.sluice/runs/shop-1',
  worktree: '/home/worktrees/shop 1',
  branch: 'sluice/shop-1',
  waits: null,
  baseBranch: 'main',
  diff: { files: 2, insertions: 10, deletions: 3 },
  lastTurn: '4-executing',
  files: new Set(ALL_FILES),
  noChecksRan: false,
  events: [],
  ...over,
});

const aClosed = (over: Partial<RunResult> = {}): RunEnd => ({
  kind: 'closed',
  result: {
    runId: 'shop-1',
    outcome: 'merge_ready',
    blockedReason: null,
    error: null,
    branch: 'sluice/shop-1',
    baseSha: 'a'.repeat(40),
    headSha: 'b'.repeat(40),
    verdict: 'verified',
    report: '/shop/.sluice/runs/shop-1/report.md',
    merge: 'unmerged',
    source: null,
    isLanding: false,
    document: null,
    ...over,
  },
});

const textOf = (end: RunEnd, facts = someFacts()) => renderEnd(end, facts, createColors(false)).join('\n');

describe('the last words of a run', () => {
  it('shows branch, numbers, report and what to do next', () => {
    const text = textOf(aClosed());

    expect(text).toContain('merge_ready  Fix it');
    expect(text).toContain('sluice/shop-1  2 files changed, +10 -3');
    expect(text).toContain('/shop/.sluice/runs/shop-1/report.md');
    expect(text).toContain('sluice land shop-1');
    expect(text).not.toContain('review.md');
  });

  it('leaves the story of its stages above them: result, time and cost', () => {
    const ended = { durationMs: 1, tokensIn: 1200, tokensOut: 80, costMicroUsd: 300_000 };
    const events = [
      moved('created', 'executing'),
      began('executing'),
      told('turn.completed', { stage: 'executing', ...ended }),
      moved('executing', 'validating', 12),
      began('validating', 12),
      told('validation.command.completed', { status: 'failed', failedOnBase: false }, 15),
      moved('validating', 'reviewing', 15),
      moved('reviewing', 'waiting_for_approval', 15),
      moved('waiting_for_approval', 'blocked', 75),
    ];
    const lines = renderEnd(aClosed(), someFacts({ events }), createColors(false));

    expect(lines.slice(0, 4)).toEqual([
      '✓ executing     0:12  $0.30 (1200 tokens in, 80 out)',
      '✗ validating    0:03  red checks',
      '· reviewing     0:00  waited 1:00',
      'merge_ready  Fix it',
    ]);
  });

  it('points a blocked run to review.md and verification.md', () => {
    const text = textOf(
      aClosed({ outcome: 'blocked', blockedReason: 'review_blocked', error: 'the reviewer said stop' }),
    );

    expect(text).toContain('blocked: review_blocked');
    expect(text).toContain('/shop/.sluice/runs/shop-1/review.md');
    expect(text).toContain('/shop/.sluice/runs/shop-1/verification.md');
  });

  it('points a failed run to events.jsonl and the stream log of its last turn', () => {
    const text = textOf(aClosed({ outcome: 'failed', error: 'the agent exited with 1' }));

    expect(text).toContain('/shop/.sluice/runs/shop-1/events.jsonl');
    expect(text).toContain('/shop/.sluice/runs/shop-1/turns/4-executing/stream.jsonl');
    expect(text).not.toContain('review.md');
  });

  it('never points to a file that is not there', () => {
    const text = textOf(
      aClosed({ outcome: 'blocked', blockedReason: 'validation_failed' }),
      someFacts({ files: new Set(['validation.json']) }),
    );

    expect(text).toContain('validation.json');
    expect(text).not.toContain('review.md');
  });

  it('prints the commands that remove worktree and branch of an aborted run', () => {
    const text = textOf(aClosed({ outcome: 'aborted' }));

    expect(text).toContain("git worktree remove --force '/home/worktrees/shop 1'");
    expect(text).toContain('git branch -D sluice/shop-1');
  });

  it('prints them for a run that was ended from outside, too', () => {
    expect(textOf({ kind: 'aborted', message: 'terminated' })).toContain('git branch -D sluice/shop-1');
  });

  it('points a run that was rejected to its gates, and to a rewind', () => {
    const text = textOf(
      aClosed({ outcome: 'blocked', blockedReason: 'approval_rejected' }),
      someFacts({ files: new Set([...ALL_FILES, 'approvals.json']) }),
    );

    expect(text).toContain('/shop/.sluice/runs/shop-1/approvals.json');
    expect(text).toContain('sluice rewind shop-1');
  });

  it.each(['approval_expired', 'needs_input'] as const)(
    'says of %s that nobody was there to decide',
    (blockedReason) => {
      expect(textOf(aClosed({ outcome: 'blocked', blockedReason }))).toMatch(/nobody decided it in time.*--unattended/);
    },
  );

  it('tells a person who detaches what the run waits for', () => {
    expect(textOf({ kind: 'detached' }, someFacts({ waits: 'for a decision' }))).toMatch(
      /It waits: for a decision\n.*sluice watch shop-1/,
    );
  });

  it('says that no checks ran', () => {
    expect(textOf(aClosed({ verdict: 'partially_verified' }), someFacts({ noChecksRan: true }))).toContain(
      'partially_verified (no checks ran)',
    );
  });

  it('tells a detached person how to come back', () => {
    expect(textOf({ kind: 'detached' })).toContain('sluice watch shop-1');
  });

  it('lets no control sequence of a reason through', () => {
    expect(textOf(aClosed({ outcome: 'failed', error: 'x\u001b]0;owned\u0007y\nz' }))).not.toMatch(/[\u0007\u001b]/);
  });

  it('gives the same end as one object', () => {
    expect(endObject(aClosed(), someFacts())).toMatchObject({
      kind: 'ended',
      how: 'closed',
      outcome: 'merge_ready',
      diff: { files: 2 },
    });
    expect(
      endObject(
        { kind: 'refused', type: 'BadInput', message: 'no', parts: { what: 'no', why: '', now: '', mend: '' } },
        someFacts(),
      ),
    ).toMatchObject({
      outcome: null,
      failure: 'BadInput',
      error: 'no',
    });
  });

  it('gives an end that only files tell with the same keys, null where they do not say', () => {
    const { runDir, diff } = someFacts();
    const view = aView({ outcome: 'blocked', blockedReason: 'needs_input', branch: 'sluice/shop-1', worktree: '/w' });

    const object = endObjectOfView(view, { runDir, diff });

    expect(Object.keys(object).toSorted()).toEqual(Object.keys(endObject(aClosed(), someFacts())).toSorted());
    expect(object).toMatchObject({
      how: 'closed',
      blockedReason: 'needs_input',
      branch: 'sluice/shop-1',
      worktree: '/w',
      runDir,
      diff,
      verdict: null,
    });
  });
});
