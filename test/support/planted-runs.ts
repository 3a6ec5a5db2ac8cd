/** Run folders that no engine made: what anybody can write who can write a repository. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunView } from '../../protocol/messages/run-view.js';

type Shown = Omit<RunView, 'runId' | 'workflowId'>;

const VIEW: Shown = {
  task: 'a task',
  title: 'a title',
  repo: '',
  preset: null,
  status: 'merge_ready',
  stage: null,
  outcome: 'merge_ready',
  reviewLoopCount: 0,
  maxReviewLoops: 1,
  seq: 1,
  worktree: null,
  host: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:01.000Z',
  waiting: null,
  agent: null,
  branch: 'a-branch',
  baseBranch: null,
  baseSha: null,
  headSha: null,
  finalDecision: null,
  verification: null,
  pausedAtStatus: null,
  pendingApprovalId: null,
  approvalRequestedFromStatus: null,
  blockedReason: null,
  error: null,
  pauseRequested: false,
  merge: 'unmerged',
  resumedFrom: null,
};

/** Answers its folder. */
export function plantRun(repository: string, runId: string, fields: Partial<Shown> = {}): string {
  const folder = join(repository, '.sluice/runs', runId);
  mkdirSync(folder, { recursive: true });
  const view = { ...VIEW, repo: repository, runId, workflowId: runId, ...fields };
  writeFileSync(join(folder, 'state.json'), JSON.stringify(view));
  return folder;
}

export function journalLine(seq: number, message = `line ${seq}`): string {
  return `${JSON.stringify({ seq, timestamp: '2026-01-01T00:00:00.000Z', type: 'state.changed', message, data: {} })}\n`;
}
