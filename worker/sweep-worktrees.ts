/** A host worker removes the worktrees of runs that are closed for longer than `worktrees.keep`, and checkouts that no ask took for a day, when it starts and a few times a day. */
import { dropOldTree } from '../activities/ask/kept-trees.js';
import { removeOldWorktree } from '../activities/closing/give-back-room.js';
import type { HostDeps } from '../activities/unit/host-deps.js';
import type { Warn } from '../activities/unit/run-projection.js';
import { findRunRecord, locateRun } from '../activities/unit/run-record.js';
import { messageOf } from '../config/system/error-code.js';
import { listByRepository } from './list-by-repository.js';

const SWEEP_EVERY_MS = 6 * 60 * 60 * 1_000;
const TREE_KEPT_MS = 24 * 60 * 60 * 1_000;

export interface Sweeping {
  readonly deps: HostDeps;
  readonly warn: Warn;
}

/** Answers what ends it. */
export function sweepNowAndThen(sweeping: Sweeping): () => void {
  let last = sweep(sweeping);
  const timer = setInterval(() => {
    last = last.then(() => sweep(sweeping));
  }, SWEEP_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** One after the other. Errors: none; what cannot be removed now is logged and looked at again. */
export async function sweep(sweeping: Sweeping, now = Date.now()): Promise<void> {
  await sweepWorktrees(sweeping, now);
  await sweepTrees(sweeping, now);
}

async function sweepWorktrees({ deps, warn }: Sweeping, now: number): Promise<void> {
  for (const stateDir of await listByRepository(deps.home.stateRoot)) {
    try {
      const record = findRunRecord(stateDir);
      if (record !== null) await removeOldWorktree(deps, locateRun(deps.home, record), now);
    } catch (error) {
      warn('the worktree of a closed run cannot be removed now', { stateDir, error: messageOf(error) });
    }
  }
}

async function sweepTrees({ deps, warn }: Sweeping, now: number): Promise<void> {
  for (const path of await listByRepository(deps.home.treesRoot)) {
    try {
      await dropOldTree(path, now - TREE_KEPT_MS);
    } catch (error) {
      warn('a checkout that asks left cannot be removed now', { path, error: messageOf(error) });
    }
  }
}
