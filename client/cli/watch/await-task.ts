/** A task that waits for its turn is watched too: until it has a run, or needs none. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ItemView } from '../../../protocol/actors/item.js';
import type { Sluice } from '../../sluice.js';
import { itemsHere, named } from '../backlog/find-item.js';
import { wordsOf } from '../backlog/item-table.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';

const LOOK_MS = 1_000;

const BEFORE_A_RUN: ReadonlySet<ItemView['state']> = new Set(['admitting', 'clarifying', 'gated', 'queued']);

/** The run that it has by then. Null: `asked` is no task that waits, or the person stopped, or it was parked or closed meanwhile. */
export async function awaitRunOfTask(context: Context, sluice: Sluice, asked: string): Promise<string | null> {
  const [item, ...others] = named(await itemsHere(context, sluice).catch(() => []), asked);
  if (item === undefined || others.length > 0 || item.run !== null || item.closedAt !== null) return null;
  let told = '';
  for (;;) {
    const view = await sluice.item(item);
    if (view === null || view.run !== null || !isWaiting(view)) return view?.run ?? null;
    const words = `${item.project}-${item.id} is ${wordsOf(view)}; it is watched once it runs`;
    if (words !== told && !context.json) context.io.err(foreign(words));
    told = words;
    try {
      await delay(LOOK_MS, null, { signal: context.io.stop });
    } catch {
      return null;
    }
  }
}

function isWaiting({ state }: ItemView): boolean {
  return BEFORE_A_RUN.has(state);
}
