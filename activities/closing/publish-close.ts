/**
 * The report of a closed run, and the mark that its end is in its files. Nothing that the report would show is needed for the end:
 * what cannot be read any more is said in its place.
 */
import { messageOf } from '../../config/system/error-code.js';
import type { CloseRunInput } from '../../protocol/messages/messages.js';
import { openRunGit } from '../git/run/open-run-git.js';
import { isShortage } from '../journal/go-on.js';
import type { ReportedChanges } from '../journal/report.js';
import { shownValidation } from '../journal/shown-validation.js';
import { writeTaskResult } from '../steps/write-result.js';
import { markClosedOnHost } from '../unit/closed-mark.js';
import type { HostDeps } from '../unit/host-deps.js';
import { type ProjectionDeps, projectionOf, takeFound } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import { giveBackRoom } from './give-back-room.js';

/** Answers the absolute path of report.md. */
export async function publishClose(
  deps: HostDeps & ProjectionDeps,
  run: RunOnHost,
  input: Omit<CloseRunInput, 'place' | 'run'>,
): Promise<string> {
  const { view } = input.journal;
  const projection = projectionOf(deps, run);
  const report = await projection.projectClose({
    view,
    validation: shownValidation(run.record.runDir),
    changes: await changesOf(run, view.headSha),
    notes: takeFound(run),
    budget: run.record.policy.budget,
    verdict: input.verdict,
    verdictReasons: input.verdictReasons,
    endedAt: view.updatedAt,
  });
  await writeTaskResult(deps, run);
  deps.failpoint?.('close.after-report');
  // Before the mark: a run that a kill leaves without it is closed once more.
  await giveBackRoom(deps, run);
  markClosedOnHost(run.stateDir, input.outcome, deps.durability);
  return report;
}

async function changesOf(run: RunOnHost, head: string | null): Promise<ReportedChanges> {
  const { baseSha } = run.record;
  if (head === null || head === baseSha) return { kind: 'listed', files: [] };
  try {
    const git = await openRunGit(run.workplace.git);
    return { kind: 'listed', files: (await git.diff(baseSha, head)).files };
  } catch (error) {
    if (isShortage(error)) throw error;
    return {
      kind: 'unreadable',
      why: `git cannot compare ${baseSha.slice(0, 12)} with ${head.slice(0, 12)}: ${messageOf(error)}`,
    };
  }
}
