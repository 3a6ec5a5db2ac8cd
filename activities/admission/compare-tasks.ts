/**
 * Compares the tasks of one admission with those that are there, each before it is stored, and keeps the index in step: what is taken in is there for the next one (S-07).
 * Effects: marks of what has closed, and a line of `dedup.jsonl` in the folder of each task that was compared; neither holds an admission up, for the record of the task has all of it.
 * A dry run writes nothing. Errors: plain Error where the thread of the index is lost; the next try has a new one.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AdmitInput, NewTask } from '../../protocol/actors/backlog.js';
import { nearDuplicate, type TaskDedup } from '../../protocol/actors/task-dedup.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import type { DedupPolicy } from '../../protocol/run/dedup-policy.js';
import { removeClosedMark, writeClosedMark } from './dedup/index/closed-mark.js';
import type { IndexOf } from './dedup/index/index-thread.js';
import type { ItemStore, NumberedItem } from './number-item.js';

const LOG_FILE = 'dedup.jsonl';

interface Parts {
  readonly index: ReturnType<IndexOf>;
  readonly store: ItemStore;
  readonly input: AdmitInput;
  readonly failpoint: Failpoint;
}

export class TaskComparison {
  private isBegun = false;

  constructor(private readonly parts: Parts) {}

  /** What the backlog says has closed is compared no more. */
  async begin(): Promise<void> {
    const { index, store, input } = this.parts;
    const { closed = [], tasks, dryRun = false } = input;
    if (!dryRun)
      for (const { id, ...mark } of closed) {
        const folder = store.folderOf(id);
        if (folder !== null) attempt(() => writeClosedMark(folder, mark));
      }
    const without = tasks.flatMap((task) => (task.recompare === true ? (store.find(task.key)?.id ?? []) : []));
    await index.ask({ kind: 'keep', highest: store.highest, closed, without });
    this.isBegun = true;
  }

  async judge({ run, force }: NewTask, policy: DedupPolicy): Promise<TaskDedup> {
    const { index, input } = this.parts;
    if (!this.isBegun) await this.begin();
    const compared = await index.ask({ kind: 'compare', text: run.task, policy });
    if (compared === null) throw new Error('the index gave no answer');
    return force === true ? passOver({ ...compared, forced: null }, input.by) : { ...compared, forced: null };
  }

  /** What was just stored. */
  async keep({ id, record }: NumberedItem): Promise<void> {
    const { index, store, failpoint } = this.parts;
    const { dedup, run, by } = record;
    const folder = dedup === undefined ? null : store.folderOf(id);
    if (dedup !== undefined && folder !== null) noteComparison(folder, { task: id, by, dedup });
    if (!this.isBegun || dedup?.duplicate != null) return;
    failpoint('admit.before-index');
    await index.ask({ kind: 'add', id, text: run.task });
    failpoint('admit.after-index');
  }

  /** It goes on. */
  async reopen({ id, record }: NumberedItem): Promise<void> {
    const folder = this.parts.store.folderOf(id);
    if (folder !== null) attempt(() => removeClosedMark(folder));
    if (this.isBegun) await this.parts.index.ask({ kind: 'add', id, text: record.run.task });
  }
}

/** Whatever was hit. Twice is once. Source: S-16. */
export function passOver(dedup: TaskDedup, by: string | null): TaskDedup {
  const { duplicate, possible, pass } = dedup;
  if (duplicate === null && possible.length === 0) return dedup;
  const whose = by === null ? 'forced' : `forced by ${by}`;
  const reason = `${whose}: ${duplicate === null ? pass.reason : nearDuplicate(duplicate)}`;
  return { duplicate: null, forced: duplicate, possible: [], pass: { ...pass, reason } };
}

/** For people who look into the folder of a task: its record has it too. */
export function noteComparison(folder: string, logged: Logged): void {
  attempt(() => appendFileSync(join(folder, LOG_FILE), logLine(logged), { mode: 0o600 }));
}

interface Logged {
  readonly task: string;
  readonly by: string | null;
  readonly dedup: TaskDedup;
}

/** Source: S-16, S-19. */
function logLine({ task, by, dedup: { duplicate, forced, pass } }: Logged): string {
  const { at, ms, layers, candidates, reason } = pass;
  const hit = duplicate ?? forced;
  const of = { layer: hit?.layer ?? null, hit: hit?.of ?? null, score: hit?.score ?? null };
  const event = forced === null ? 'dedup' : 'dedup.forced';
  return `${JSON.stringify({ event, time: at, task, ...of, ms, layers, candidates, reason, actor: by })}\n`;
}

/** What is only for people, or is said once more, stops nothing: a full disk refuses the task itself. */
function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // The index in memory and the record know it.
  }
}
