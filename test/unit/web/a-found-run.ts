/** A run as a look at the server and the folders finds it. */
import type { FoundRun } from '../../../client/look/find-runs.js';

export function aFoundRun(runId: string, fields: Partial<FoundRun> = {}): FoundRun {
  return {
    runId,
    workflowId: runId,
    status: 'executing',
    stage: 'executing',
    waiting: null,
    waitingUntil: null,
    since: '2026-01-01T00:00:00.000Z',
    round: 0,
    costMicroUsd: null,
    title: runId,
    repo: '/repo',
    branch: null,
    host: null,
    execution: 'RUNNING',
    refused: false,
    startedAt: '2026-01-01T00:00:00.000Z',
    closedAt: null,
    retrying: null,
    merged: false,
    landing: null,
    runDir: null,
    ...fields,
  };
}
