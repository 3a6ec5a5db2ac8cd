/**
 * The page that tells what became of a task, when its run has closed and again when its landing has ended: all from what the engine recorded, and nothing is
 * decided by it. Source: S-80, S-100, S-101.
 */
import { join } from 'node:path';
import { log } from '@temporalio/activity';
import { z } from 'zod';
import { messageOf } from '../../config/system/error-code.js';
import { readForeignFileSync, textOf } from '../../config/system/foreign-file.js';
import { renderResult, resultFileName, type TaskResult } from '../../protocol/admission/result-file.js';
import { parseJson } from '../../protocol/text/json.js';
import { computeMetrics } from '../../protocol/views/metrics.js';
import type { ListedCommit } from '../git/inspect/list-commits.js';
import { openRunGit } from '../git/run/open-run-git.js';
import { readEvents } from '../journal/events-file.js';
import { shownValidation } from '../journal/shown-validation.js';
import type { HostDeps } from '../unit/host-deps.js';
import { type ProjectionDeps, projectionOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import { readEntries, readGivenPlan } from './given-steps.js';
import { recordSteps } from './step-records.js';

/** Of the run's state.json. */
const SHOWN_STATE = z.object({
  title: z.string(),
  outcome: z.string(),
  merge: z.string(),
  headSha: z.string().nullable(),
  startedAt: z.string(),
  updatedAt: z.string(),
});

/** Unit: bytes. */
const MAX_STATE_BYTES = 4 * 1024 * 1024;

/** Effects: one file of the run directory, where the run is one of a task and has closed; what cannot be read is left out. */
export async function writeTaskResult(deps: HostDeps & ProjectionDeps, run: RunOnHost): Promise<void> {
  const { item } = run.record.input;
  const state = SHOWN_STATE.safeParse(parseJson(readShown(run, 'state.json'))).data;
  if (item === undefined || state === undefined) return;
  const { baseSha, branch, runDir } = run.record;
  const readOrNothing = makeReader(deps, run);
  const { steps, commits, files } = await readRecorded(deps, run, state.headSha);
  const metrics = computeMetrics(
    await readOrNothing(() => readEvents(join(runDir, 'events.jsonl'))),
    state.startedAt,
    state.updatedAt,
  );
  const result: TaskResult = {
    id: item.id,
    title: state.title,
    outcome: state.outcome,
    merge: state.merge,
    branch,
    base: baseSha,
    head: state.headSha,
    durationMs: metrics.wallMs,
    tokens: { input: metrics.tokensIn, cacheRead: null, output: metrics.tokensOut },
    costMicroUsd: metrics.costMicroUsd,
    steps,
    commits,
    files,
    symbols: null,
    validation: shownValidation(runDir)?.commands ?? [],
    notes: '',
  };
  await projectionOf(deps, run).page(resultFileName(item.id), renderResult(result));
}

async function readRecorded(
  deps: HostDeps & ProjectionDeps,
  run: RunOnHost,
  head: string | null,
): Promise<Pick<TaskResult, 'steps' | 'commits' | 'files'>> {
  const { baseSha } = run.record;
  const readOrNothing = makeReader(deps, run);
  const steps = await readOrNothing(async () => {
    const plan = readGivenPlan(deps, run);
    return plan === null ? [] : recordSteps(plan, readEntries(run));
  });
  const shown = steps.map((step) => ({ ...step, commit: step.commits.at(-1) ?? null }));
  if (head === null || head === baseSha) return { steps: shown, commits: [], files: [] };
  const git = () => openRunGit(run.workplace.git);
  const commits = await readOrNothing<ListedCommit>(async () => (await git()).commits(baseSha, head));
  const files = await readOrNothing(async () => (await (await git()).diff(baseSha, head)).files);
  return { steps: shown, commits, files: files.map(({ path, status }) => ({ path, change: status })) };
}

/** What it makes reads, or says that it cannot: also outside of an activity, which alone has a log of its own. */
function makeReader({ warn = (message, fields) => log.warn(message, fields) }: ProjectionDeps, { record }: RunOnHost) {
  return async <T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> => {
    try {
      return await read();
    } catch (error) {
      warn('a part of the result of a task cannot be shown', { runId: record.runId, error: messageOf(error) });
      return [];
    }
  };
}

function readShown({ record }: RunOnHost, name: string): string | null {
  return textOf(readForeignFileSync(join(record.runDir, name), { maxBytes: MAX_STATE_BYTES }));
}
