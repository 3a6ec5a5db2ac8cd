/**
 * What `sluice clean` may remove: closed runs whose work is in their base branch, and those that a person names and gives up.
 * It only looks; the host of the run decides again before it removes anything.
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CleanRunInput } from '../../protocol/clean.js';
import type { RunView } from '../../protocol/run-view.js';
import { isMerged } from '../is-merged.js';
import { commitOf } from '../repository.js';
import type { Sluice } from '../sluice.js';
import { exists, type FoundRun } from './find-run.js';
import { parseView } from './follow-files.js';

export interface Removable {
  readonly runId: string;
  readonly title: string;
  readonly baseBranch: string | null;
  readonly merged: boolean;
  /** Null where it is gone, or was never made. */
  readonly worktree: string | null;
  readonly branch: string | null;
  readonly input: CleanRunInput;
}

export type Looked =
  | { readonly kind: 'removable'; readonly removable: Removable }
  | { readonly kind: 'kept'; readonly runId: string; readonly why: string };

export interface LookAt {
  readonly run: FoundRun;
  readonly giveUp: boolean;
}

export async function lookAtRun(sluice: Sluice | null, { run, giveUp }: LookAt): Promise<Looked> {
  const kept = (why: string): Looked => ({ kind: 'kept', runId: run.runId, why });
  if (run.refused) return kept('its start was refused, so it left nothing');
  const view = await closedViewOf(run, sluice);
  if (view === null) return kept('it does not answer, and its state.json is not on this machine');
  if (view.outcome === null) return kept(`it is open (${view.status})`);
  if (view.worktree === null || view.host === null) return kept('it never had a worktree');
  const merged = await isInBase(view);
  if (merged === null && !giveUp) return kept('whether it is merged cannot be seen here: repository, base branch or commit are missing');
  if (merged !== true && !giveUp) return kept(`${view.branch ?? 'its branch'} is not merged into ${view.baseBranch ?? 'its base'}`);
  const hasBranch = view.branch !== null && (await commitOf(view.repo, `refs/heads/${view.branch}`)) !== null;
  return {
    kind: 'removable',
    removable: {
      runId: view.runId,
      title: view.title,
      baseBranch: view.baseBranch,
      merged: merged === true,
      worktree: (await exists(view.worktree)) ? view.worktree : null,
      branch: hasBranch ? view.branch : null,
      input: { hostId: view.host, run: { runId: view.runId, repoKey: repoKeyOf(view.worktree) }, giveUp: giveUp && merged !== true },
    },
  };
}

/** Source: design "Git": `<home>/worktrees/<repoKey>/<runId>`. */
function repoKeyOf(worktree: string): string {
  return basename(dirname(worktree));
}

/** A closed run's file is its last word, and costs no question. */
async function closedViewOf(run: FoundRun, sluice: Sluice | null): Promise<RunView | null> {
  const text = run.runDir === null ? '' : await readFile(join(run.runDir, 'state.json'), 'utf8').catch(() => '');
  const view = parseView(text);
  if (view !== null && (view.outcome !== null || sluice === null)) return view;
  return sluice === null ? null : await sluice.status(run.workflowId).catch(() => view);
}

/** A run that committed nothing has nothing to lose. */
async function isInBase({ repo, headSha, baseSha, baseBranch }: RunView): Promise<boolean | null> {
  if (headSha === null || headSha === baseSha) return true;
  return baseBranch === null ? null : isMerged(repo, headSha, baseBranch);
}
