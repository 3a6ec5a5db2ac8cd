/** A host that takes every task in, as the real one does: it numbers them, and knows a key again. */
import type { AdmitInput, AdmitResult } from '../../protocol/actors/backlog.js';
import type { ItemInput } from '../../protocol/actors/item.js';
import type { TaskDedup } from '../../protocol/actors/task-dedup.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import { type BacklogTerms, DEFAULT_BACKLOG } from '../../protocol/run/backlog-policy.js';
import { shortHash } from '../../protocol/text/short-hash.js';

function goOn(
  items: readonly ItemInput[],
  { again: id, key, runs, note }: Extract<AdmitInput['tasks'][number], { again: string }>,
  by: string | null,
): AdmitResult['tasks'][number] {
  const item = items.find((one) => one.id === id);
  if (item === undefined) return { kind: 'refused', why: `there is no task ${id}` };
  const at = new Date().toISOString();
  return { kind: 'admitted', isKnown: true, item: { ...item, again: { key, runs, by, note, at } } };
}

/** Like no other task. */
export function stubComparison(part: Partial<TaskDedup> = {}): TaskDedup {
  const pass = { at: '2026-01-01T00:00:00.000Z', ms: 1, layers: [], candidates: [], reason: 'like no other task' };
  return { duplicate: null, forced: null, possible: [], pass, ...part };
}

/** `admission`: what is asked about every task. */
export function stubAdmit(
  terms: Partial<BacklogTerms> = {},
  admission: ItemInput['admission'] = null,
): (input: AdmitInput) => Promise<AdmitResult> {
  const numbers = new Map<string, ItemInput>();
  const all = { ...DEFAULT_BACKLOG, ...terms };
  return async ({ project, repo, by, known, tasks }) => {
    const at = { host: 'stub', repo, repoKey: 'stub' };
    let last = known;
    return {
      ...at,
      terms: all,
      tasks: tasks.map((task) => {
        if ('again' in task) return goOn([...numbers.values()], task, by);
        const { key, run, priority, gate, kind, dependsOn, files } = task;
        const before = numbers.get(key);
        if (before !== undefined) return { kind: 'admitted', isKnown: true, item: before };
        last += 1;
        const item: ItemInput = {
          ...at,
          project,
          id: String(last),
          key,
          title: titleOf(run),
          hash: shortHash(run.task),
          by,
          attended: run.attended ?? true,
          priority,
          dependsOn,
          files,
          createdAt: new Date().toISOString(),
          parkedDays: all.parkedDays,
          slotUntil: all.slotUntil,
          kind,
          admission,
          again: null,
          gate: gate ?? (all.gate === 'start' ? 'start' : null),
        };
        numbers.set(key, item);
        return { kind: 'admitted', isKnown: false, item };
      }),
    };
  };
}
