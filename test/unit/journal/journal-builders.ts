/** Builders with defaults for tests of the journal. */
import type { FoundEntry } from '../../../activities/journal/clear-way.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { BudgetPolicy } from '../../../protocol/run/policy.js';

export const NO_BUDGET: BudgetPolicy = {
  turns: null,
  minutes: null,
  microUsd: null,
  tokens: null,
  onLimit: 'stop',
  day: null,
};

export const NO_FAIL = { fsync: false, failpoint: noFailpoint, outputBytes: 4_000_000 };

/** Keeps what a projection tells. */
export function aListener() {
  const entries: FoundEntry[] = [];
  const skips: string[] = [];
  return {
    entries,
    skips,
    found: (entry: FoundEntry) => void entries.push(entry),
    skipped: (what: string, error: unknown) => void skips.push(`${what}: ${String(error)}`),
  };
}

export function anEvent(seq: number, overrides: Partial<JournalEvent> = {}): JournalEvent {
  return {
    seq,
    timestamp: '2026-11-21T10:00:00.000Z',
    type: 'state.changed',
    message: `event ${seq}`,
    data: { from: 'created', to: 'planning', round: 0 },
    ...overrides,
  };
}

export function events(from: number, to: number, overrides: Partial<JournalEvent> = {}): JournalEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => anEvent(from + index, overrides));
}

export function aView(overrides: Partial<RunView> = {}): RunView {
  return {
    runId: 'demo-261121-abcd',
    workflowId: 'demo-261121-abcd',
    task: 'fix setKey',
    title: 'fix setKey',
    preset: 'default',
    status: 'merge_ready',
    outcome: 'merge_ready',
    stage: 'verifying',
    repo: '/r',
    worktree: null,
    host: 'h',
    branch: 'sluice/demo-261121-abcd',
    baseBranch: 'main',
    baseSha: 'b'.repeat(40),
    headSha: 'c'.repeat(40),
    reviewLoopCount: 0,
    maxReviewLoops: 0,
    finalDecision: 'APPROVED',
    verification: 'PASSED',
    pauseRequested: false,
    pausedAtStatus: null,
    pendingApprovalId: null,
    approvalRequestedFromStatus: null,
    waiting: null,
    blockedReason: null,
    error: null,
    resumedFrom: null,
    merge: 'unmerged',
    agent: { name: 'robot', adapter: 'scripted' },
    startedAt: '2026-11-21T10:00:00.000Z',
    updatedAt: '2026-11-21T10:01:00.000Z',
    seq: 0,
    ...overrides,
  };
}
