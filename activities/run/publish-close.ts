/** The report of a closed run, and the mark that its end is in its files. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloseRunInput } from '../../protocol/messages.js';
import type { ValidationReport } from '../../protocol/outcomes.js';
import type { DiffFile } from '../git/contract.js';
import { openRunGit } from '../git/open-run-git.js';
import { markClosedOnHost } from './closed-mark.js';
import type { HostDeps } from './host-deps.js';
import { projectionOf } from './run-projection.js';
import { gitInputOf, type RunOnHost } from './run-record.js';

/** Answers the absolute path of report.md. */
export async function publishClose(deps: HostDeps, run: RunOnHost, input: Omit<CloseRunInput, 'place' | 'run'>): Promise<string> {
  const { view } = input.journal;
  const projection = projectionOf(deps, run);
  const report = await projection.projectClose({
    view,
    validation: await shownValidation(run),
    changes: await changesOf(run, view.headSha),
    verdict: input.verdict,
    verdictReasons: input.verdictReasons,
    endedAt: view.updatedAt,
  });
  markClosedOnHost(run.stateDir, input.outcome, deps.durability);
  return report;
}

/** For the report only: a validation.json that a person edited shows as edited and decides nothing. */
async function shownValidation({ record }: RunOnHost): Promise<ValidationReport | null> {
  const text = await readFile(join(record.runDir, 'validation.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return JSON.parse(text) as ValidationReport;
  } catch {
    return null;
  }
}

async function changesOf(run: RunOnHost, head: string | null): Promise<readonly DiffFile[]> {
  const { baseSha } = run.record;
  if (head === null || head === baseSha) return [];
  const git = await openRunGit(gitInputOf(run));
  return (await git.diff(baseSha, head)).files;
}
