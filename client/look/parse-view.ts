/**
 * The run view in a state.json, as far as it can be believed: a file in a repository can hold anything, so every field that is sorted,
 * branched on or shown has its type here, or the whole is none.
 */

import { MAX_TASK_BYTES } from '../../protocol/limits.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { isRunStatus } from '../../protocol/run/lifecycle.js';
import { RUN_OUTCOMES } from '../../protocol/run/outcomes.js';
import { isRunId } from '../../protocol/run/run-id.js';
import { isRecord, parseRecord } from '../../protocol/text/json.js';

const TEXTS = [
  'workflowId',
  'task',
  'title',
  'repo',
  'startedAt',
  'updatedAt',
] as const satisfies readonly (keyof RunView)[];
const COUNTS = ['reviewLoopCount', 'maxReviewLoops', 'seq'] as const satisfies readonly (keyof RunView)[];
const TEXTS_OR_NULL = [
  ...([
    'preset',
    'stage',
    'worktree',
    'host',
    'branch',
    'baseBranch',
    'baseSha',
    'headSha',
    'finalDecision',
    'verification',
  ] as const),
  ...(['pausedAtStatus', 'pendingApprovalId', 'approvalRequestedFromStatus', 'blockedReason', 'error'] as const),
] as const satisfies readonly (keyof RunView)[];

/** **Unit** characters: as long as a path; all but the task are names, times and sentences. What is longer is none that a run wrote. */
const MAX_CHARS = 4096;
/** A task is redacted, which can make it longer. */
const MAX_TASK_CHARS = 2 * MAX_TASK_BYTES;

/** Null for a text that holds no view. */
export function parseView(text: string): RunView | null {
  const value = parseRecord(text);
  return value !== null && isView(value) ? (value as unknown as RunView) : null; // Every field was looked at.
}

function isView(fields: Record<string, unknown>): boolean {
  const { outcome, waiting, agent, resumedFrom } = fields;
  return (
    isRunId(fields['runId']) &&
    isRunStatus(fields['status']) &&
    (outcome === null || RUN_OUTCOMES.some((known) => known === outcome)) &&
    TEXTS.every((name) => isText(fields[name], name === 'task' ? MAX_TASK_CHARS : MAX_CHARS)) &&
    COUNTS.every((name) => Number.isSafeInteger(fields[name]) && Number(fields[name]) >= 0) &&
    TEXTS_OR_NULL.every((name) => isTextOrNull(fields[name])) &&
    typeof fields['pauseRequested'] === 'boolean' &&
    typeof fields['merge'] === 'string' &&
    (waiting === null ||
      (isRecord(waiting) &&
        typeof waiting['kind'] === 'string' &&
        isTextOrNull(waiting['until']) &&
        isTextOrNull(waiting['account']))) &&
    (agent === null || hasTexts(agent, ['name', 'adapter'])) &&
    (resumedFrom === null || hasTexts(resumedFrom, ['sourceRunId', 'fromStage']))
  );
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return isRecord(value) && names.every((name) => isText(value[name]));
}

function isText(value: unknown, maxChars = MAX_CHARS): boolean {
  return typeof value === 'string' && value.length <= maxChars;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}
