/**
 * What `sluice clean` may remove: closed runs whose work is in their base branch, and those that a person names and gives up.
 * It only looks; the host of the run decides again before it removes anything.
 */
import { basename, dirname, join } from 'node:path';
import type { CleanRunInput } from '../../../protocol/actors/clean.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { exists, type FoundRun } from '../../look/find-runs.js';
import { parseView } from '../../look/parse-view.js';
import { readRunFile } from '../../look/read-run-file.js';
import { commitOf, isMerged, isSquashed } from '../../repository.js';
import type { Sluice } from '../../sluice.js';

export interface Removable {
  readonly runId: string;
  readonly title: string;
  readonly baseBranch: string | null;
  /** What is lost with it: nothing that is not in its base, nothing since it committed nothing, or commits that are given up. */
  readonly work: 'merged' | 'none' | 'unmerged';
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
  const work = await workOf(view);
  if (work === null && !giveUp)
    return kept('whether it is merged cannot be seen here: repository, base branch or commit are missing');
  if (work === 'unmerged' && !giveUp)
    return kept(`${view.branch ?? 'its branch'} is not merged into ${view.baseBranch ?? 'its base'}`);
  const hasBranch = view.branch !== null && (await commitOf(view.repo, `refs/heads/${view.branch}`)) !== null;
  return {
    kind: 'removable',
    removable: {
      runId: view.runId,
      title: view.title,
      baseBranch: view.baseBranch,
      work: work ?? 'unmerged',
      worktree: (await exists(view.worktree)) ? view.worktree : null,
      branch: hasBranch ? view.branch : null,
      input: { hostId: view.host, run: { runId: view.runId, repoKey: repoKeyOf(view.worktree) }, giveUp },
    },
  };
}

/** `<home>/worktrees/<repoKey>/<runId>`. Source: docs/design.md "Files and journal". */
function repoKeyOf(worktree: string): string {
  return basename(dirname(worktree));
}

/** A closed run's file is its last word, and costs no question. */
async function closedViewOf(run: FoundRun, sluice: Sluice | null): Promise<RunView | null> {
  const text = run.runDir === null ? null : await readRunFile(join(run.runDir, 'state.json'));
  const view = parseView(text ?? '');
  if (view !== null && (view.outcome !== null || sluice === null)) return view;
  return sluice === null ? null : await sluice.status(run.workflowId).catch(() => view);
}

/** Null: it cannot be told here. What is not committed in its worktree is seen by its host alone. */
async function workOf({ repo, headSha, baseSha, baseBranch, merge }: RunView): Promise<Removable['work'] | null> {
  if (headSha === null || headSha === baseSha) return 'none';
  // As a squash it is no commit of the base; its host knows.
  if (merge === 'merged') return 'merged';
  const merged = baseBranch === null ? null : await isMerged(repo, headSha, baseBranch);
  if (merged === null) return null;
  return merged || (baseBranch !== null && (await isSquashed(repo, headSha, baseBranch))) ? 'merged' : 'unmerged';
}
