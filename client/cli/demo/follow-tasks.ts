/** What the demos of a backlog share: a task is handed in as by a person, tasks are followed until all are ready or merged, and one command takes those that are ready. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ItemView } from '../../../protocol/actors/item.js';
import type { Sluice } from '../../sluice.js';
import { land } from '../commands/land.js';
import { createTask } from '../commands/task.js';
import { wordsOf } from '../find/item-table.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import type { OpenedDemo, Say } from './demo-frame.js';
import type { DemoTask } from './tasks.js';

/** The name of the repository's folder. */
export const PROJECT = 'minimist';

/** **Unit** ms. */
export const LOOK_MS = 100;

interface Links {
  readonly files?: readonly string[];
  readonly after?: readonly string[];
}

/** As by `sluice task create`. */
export function create(
  context: Context,
  { agent, task, title }: Pick<DemoTask, 'agent' | 'task' | 'title'>,
  { files = [], after = [] }: Links = {},
): Promise<ExitCode> {
  return createTask(context, {
    task,
    title,
    agent,
    files,
    after,
    needsApproval: false,
    answer: false,
    program: [],
    local: true,
  });
}

/** Of each task; null: it is not there yet, or nobody answers just now. */
type Views = readonly (ItemView | null)[];

interface ToReady {
  readonly ids: readonly string[];
  /** What is done meanwhile. It ends early where its signal says so. */
  readonly act: (ended: AbortSignal) => Promise<void>;
}

/** Until each is ready in the chain of main. False: one of them came to rest otherwise, or the person stopped the demo. */
export async function followToReady(
  { context, say }: OpenedDemo,
  sluice: Sluice,
  { ids, act }: ToReady,
): Promise<boolean> {
  const over = new AbortController();
  const ended = AbortSignal.any([over.signal, context.io.stop]);
  try {
    const until = (views: Views) => views.every((view) => view?.head === 'ready');
    const followed = follow(sluice, { ids, say, until, over, ended });
    await act(ended);
    return await followed;
  } finally {
    over.abort();
  }
}

/** Answers the branches that are on main then; null: it did not come so far. */
export async function takeReady(
  { context, say }: OpenedDemo,
  sluice: Sluice,
  ids: readonly string[],
): Promise<readonly string[] | null> {
  say('main is checked out, so nothing moved it. One command takes all of them: sluice land --update-checkout');
  const taken = await land(context, { runs: [], updateCheckout: true, wait: true });
  if (taken !== EXIT.done) return null;
  const until = (views: Views) => views.every((view) => view?.reason === 'merged');
  const over = new AbortController();
  if (!(await follow(sluice, { ids, say, until, over, ended: context.io.stop }))) return null;
  const views = await Promise.all(ids.map((id) => sluice.item({ project: PROJECT, id })));
  // Of the last run of each.
  return views.flatMap((view) => view?.result?.branch ?? []);
}

interface Reached extends Pick<ItemView, 'id' | 'state'> {
  readonly ended: AbortSignal;
}

/** False: it came to rest otherwise, or `ended` says so. */
export async function reaches(sluice: Sluice, { id, state, ended }: Reached): Promise<boolean> {
  while (!ended.aborted) {
    const view = await sluice.item({ project: PROJECT, id }).catch(() => null);
    if (view?.state === state) return true;
    if (isStuck(view)) return false;
    await delay(LOOK_MS);
  }
  return false;
}

interface Followed {
  readonly ids: readonly string[];
  readonly say: Say;
  readonly until: (views: Views) => boolean;
  /** Told where one comes to rest otherwise. */
  readonly over: AbortController;
  readonly ended: AbortSignal;
}

/** Tells each change. One that comes to rest otherwise ends it. */
async function follow(sluice: Sluice, { ids, say, until, over, ended }: Followed): Promise<boolean> {
  const told = new Map<string, string>();
  while (!ended.aborted) {
    const views = await Promise.all(ids.map((id) => sluice.item({ project: PROJECT, id }).catch(() => null)));
    for (const view of views) {
      const words = view === null ? '' : wordsOf(view);
      if (view === null || told.get(view.id) === words) continue;
      told.set(view.id, words);
      say(`  ${PROJECT}-${view.id}  ${words}${view.why === null ? '' : ` (${view.why})`}`);
    }
    if (until(views)) return true;
    if (views.some(isStuck)) {
      over.abort();
      return false;
    }
    await delay(LOOK_MS);
  }
  return false;
}

function isStuck(view: ItemView | null): boolean {
  if (view === null) return false;
  if (view.state === 'closed') return view.reason !== 'merged';
  return view.state === 'parked' && view.reason !== 'unmerged' && view.reason !== 'stopped';
}
