/** The hand-written check of what a start input says of the run that it goes back to. */

import { MAX_FINDINGS, MAX_TASK_BYTES } from '../limits.js';
import { FINDING_CATEGORIES, type Finding, SEVERITIES } from '../run/finding.js';
import { isRunId } from '../run/run-id.js';
import { isInRound, STAGES, type Stage } from '../run/stages.js';
import { isRecord } from '../text/json.js';
import type { RewindInput } from './messages.js';

export type RewindCheck =
  | { readonly kind: 'ok'; readonly rewind: RewindInput }
  | { readonly kind: 'bad'; readonly message: string };

const FIELDS: readonly string[] = ['runId', 'stage', 'findings', 'onto'];
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const LOOKS_LIKE = `rewind must be an object like {"runId":"…","stage":"executing"}; stages are ${STAGES.join(', ')}`;

export function checkRewind(value: unknown): RewindCheck {
  if (!isRecord(value) || Object.keys(value).some((key) => !FIELDS.includes(key))) return bad(LOOKS_LIKE);
  const { runId, stage: name, findings, onto } = value;
  const stage: Stage | undefined = STAGES.find((candidate) => candidate === name);
  if (typeof runId !== 'string' || !isRunId(runId) || (name !== undefined && stage === undefined))
    return bad(LOOKS_LIKE);
  if (findings !== undefined && (stage === undefined || !isInRound(stage) || !areFindings(findings)))
    return bad(
      `rewind.findings must be a list of 1 to ${MAX_FINDINGS} findings as a review gives them, of at most ${MAX_TASK_BYTES} characters in all, beside one of the stages ${STAGES.filter(isInRound).join(', ')}`,
    );
  if (onto !== undefined && (stage === undefined || !isOnto(onto)))
    return bad(
      'rewind.onto must be an object {"base":"<commit>","start":"<commit>"} of whole commit ids, beside a stage',
    );
  return {
    kind: 'ok',
    rewind: {
      runId,
      ...(stage === undefined ? {} : { stage }),
      ...(findings === undefined ? {} : { findings }),
      ...(onto === undefined ? {} : { onto }),
    },
  };
}

function bad(message: string): RewindCheck {
  return { kind: 'bad', message };
}

function isOnto(value: unknown): value is NonNullable<RewindInput['onto']> {
  return isRecord(value) && Object.keys(value).length === 2 && [value['base'], value['start']].every(isCommit);
}

function isCommit(value: unknown): boolean {
  return typeof value === 'string' && COMMIT.test(value);
}

function areFindings(value: unknown): value is readonly Finding[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_FINDINGS || !value.every(isFinding))
    return false;
  const ids = new Set(value.map(({ id }) => id));
  return ids.size === value.length && JSON.stringify(value).length <= MAX_TASK_BYTES;
}

function isFinding(value: unknown): value is Finding {
  if (!isRecord(value)) return false;
  const { id, severity, category, claim, evidence, recommendation } = value;
  return (
    [id, claim, recommendation].every(isText) &&
    SEVERITIES.some((known) => known === severity) &&
    FINDING_CATEGORIES.some((known) => known === category) &&
    Array.isArray(evidence) &&
    evidence.length > 0 &&
    evidence.every(isText)
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
