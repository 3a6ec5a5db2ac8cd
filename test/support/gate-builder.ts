/** Gates, runs and their views, for tests that need one and no server. */
import type { ListedRun } from '../../client/calls/listed-run.js';
import type { RunDetails, RunView } from '../../protocol/messages/run-view.js';
import type { Gate } from '../../protocol/run/gate.js';

export const COMMIT = 'c0ffee'.repeat(6).concat('c0ff');

export const aGate = (over: Partial<Gate> = {}): Gate => ({
  id: 'gate-1',
  runId: 'shop-1',
  stage: 'executing',
  status: 'pending',
  source: 'policy',
  alsoRequiredByPolicy: false,
  reason: 'the policy asks for a person',
  requestedAction: null,
  riskLevel: 'medium',
  files: ['src/a.ts'],
  commit: COMMIT,
  round: 0,
  createdAt: '2026-11-21T10:00:00.000Z',
  expiresAt: null,
  resolvedAt: null,
  resolvedBy: null,
  decisionNote: null,
  guidance: null,
  question: false,
  options: null,
  changesGoTo: 'architecting',
  ...over,
});

export const aQuestion = (over: Partial<Gate> = {}): Gate =>
  aGate({ question: true, source: 'agent', requestedAction: 'Which port?', changesGoTo: null, ...over });

export const someDetails = (gates: readonly Gate[], over: Partial<RunDetails> = {}): RunDetails => ({
  policy: null,
  attended: true,
  used: { turns: 0, minutes: 0, microUsd: 0, tokens: 0, grants: 0 },
  stages: [],
  ledger: null,
  gates,
  waitingNotes: 0,
  ...over,
});

export const aListedRun = (runId: string, over: Partial<ListedRun> = {}): ListedRun => ({
  runId,
  workflowId: runId,
  status: 'executing',
  stage: 'executing',
  waiting: null,
  waitingUntil: null,
  since: null,
  round: 0,
  costMicroUsd: null,
  title: 'Fix it',
  repo: '/shop',
  branch: null,
  host: null,
  execution: 'RUNNING',
  refused: false,
  merged: false,
  startedAt: '2026-11-21T10:00:00.000Z',
  closedAt: null,
  retrying: null,
  landing: null,
  ...over,
});

export const aView = (over: Partial<RunView> = {}): RunView => ({
  runId: 'shop-1',
  workflowId: 'shop-1',
  task: 'fix it',
  title: 'Fix it',
  preset: 'default',
  status: 'executing',
  outcome: null,
  stage: 'executing',
  repo: '/shop',
  worktree: null,
  host: null,
  branch: null,
  baseBranch: null,
  baseSha: null,
  headSha: null,
  reviewLoopCount: 0,
  maxReviewLoops: 2,
  finalDecision: null,
  verification: null,
  pauseRequested: false,
  pausedAtStatus: null,
  pendingApprovalId: null,
  approvalRequestedFromStatus: null,
  waiting: null,
  blockedReason: null,
  error: null,
  resumedFrom: null,
  merge: 'none',
  agent: null,
  startedAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:09.000Z',
  seq: 3,
  ...over,
});
