/** Whose head is in its base branch, whoever brought it there: one look of git for all runs of a base, by their commits. */
import { join } from 'node:path';
import { mergedOf } from '../repository.js';
import type { FoundRun } from './find-runs.js';
import { parseView } from './parse-view.js';
import { readRunFile } from './read-run-file.js';

interface Heads {
  readonly repo: string;
  readonly base: string;
  /** By run id. */
  readonly of: Map<string, string>;
}

/** Each that could be merged and has no landing of its own is looked at. What cannot be told is not merged. */
export async function withMerged(runs: readonly FoundRun[]): Promise<readonly FoundRun[]> {
  const bases = new Map<string, Heads>();
  await Promise.all(
    runs.filter(couldBeMerged).map(async ({ runDir, runId }) => {
      const view = parseView((await readRunFile(join(runDir ?? '', 'state.json'))) ?? '');
      if (view?.baseBranch == null || view.headSha === null || view.headSha === view.baseSha) return;
      const { repo, baseBranch: base, headSha } = view;
      const key = JSON.stringify([repo, base]);
      const heads = bases.get(key) ?? { repo, base, of: new Map<string, string>() };
      heads.of.set(runId, headSha);
      bases.set(key, heads);
    }),
  );
  const merged = new Set((await Promise.all([...bases.values()].map(mergedIn))).flat());
  return runs.map((run) => (merged.has(run.runId) ? { ...run, merged: true } : run));
}

async function mergedIn({ repo, base, of }: Heads): Promise<readonly string[]> {
  const inBase = await mergedOf(repo, [...of.values()].filter(isSha), base).catch(() => new Set<string>());
  return [...of].flatMap(([runId, head]) => (inBase.has(head) ? [runId] : []));
}

/** They are words of a command, from a file that anybody may have written. */
function isSha(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text);
}

function couldBeMerged({ status, closedAt, landing, runDir }: FoundRun): boolean {
  return runDir !== null && closedAt !== null && landing === null && status === 'merge_ready';
}
