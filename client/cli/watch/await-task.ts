/** A task that waits for its turn is watched too: until it has a run, or needs none. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ItemView } from '../../../protocol/actors/item.js';
import type { Sluice } from '../../sluice.js';
import { itemsHere, named } from '../find/find-item.js';
import { wordsOf } from '../find/item-table.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { countAbsence, missAnswer } from './server-away.js';

const LOOK_MS = 1_000;

const BEFORE_A_RUN: ReadonlySet<ItemView['state']> = new Set(['admitting', 'clarifying', 'gated', 'queued']);

/** `none`: `asked` is no task that waits, or the person stopped, or it was parked or closed meanwhile. */
export type RunOfTask =
  | { readonly kind: 'run'; readonly runId: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'server_away' };

export async function awaitRunOfTask(context: Context, sluice: Sluice, asked: string): Promise<RunOfTask> {
  const [item, ...others] = named(await itemsHere(context, sluice).catch(() => []), asked);
  if (item === undefined || others.length > 0 || item.run !== null || item.closedAt !== null) return NONE;
  let told = '';
  const absence = countAbsence();
  for (;;) {
    const view = await sluice.item(item).catch((error: unknown) => missAnswer(error) ?? ('missed' as const));
    if (view !== 'missed') absence.answered();
    else if (absence.missed()) return { kind: 'server_away' };
    if (view === null) return NONE;
    if (view !== 'missed' && view.run !== null) return { kind: 'run', runId: view.run };
    if (view !== 'missed' && !isWaiting(view)) return NONE;
    const now = view === 'missed' ? 'waits, and the server does not answer' : `is ${wordsOf(view)}`;
    const words = `${item.project}-${item.id} ${now}; it is watched once it runs`;
    if (words !== told && !context.json) context.io.err(foreign(words));
    told = words;
    try {
      await delay(LOOK_MS, null, { signal: context.io.stop });
    } catch {
      return NONE;
    }
  }
}

const NONE = { kind: 'none' } as const;

function isWaiting({ state }: ItemView): boolean {
  return BEFORE_A_RUN.has(state);
}
