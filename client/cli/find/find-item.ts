/** Which item does `[task]` mean? Its number, `<project>-<number>`, or a part of a title that no other has; without a name the only one that the command can be about. */
import { type ItemStateName, runIdOfItem } from '../../../protocol/actors/item.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { ListedItem } from '../../calls/backlog-calls.js';
import { isOf, lookAtRepository } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import { chooseOne } from '../terminal/choose-one.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { isInsideTurn } from '../terminal/person.js';

/** Visibility is asked for this many. */
export const MAX_ITEMS = 1_000;
const MAX_NAMED = 5;

/** Shape: open ones first, the newest first. Of the repository that one stands in; all with `all`, or where one stands in none. */
export async function itemsHere(
  { io }: Context,
  sluice: Pick<Sluice, 'items'>,
  all = false,
): Promise<readonly ListedItem[]> {
  const items = await sluice.items(MAX_ITEMS);
  const here = all ? null : await lookAtRepository(io.cwd);
  return here?.kind === 'ok' ? items.filter(({ repo }) => isOf(here, repo)) : items;
}

interface MeantItem {
  /** Null: nobody named one. */
  readonly asked: string | null;
  /** States in which the command can be about one that nobody named. */
  readonly states: readonly ItemStateName[];
  readonly fits?: ((item: ListedItem) => boolean) | undefined;
}

/** Errors: RefusedError where none or several can be meant. */
export async function findItem(
  context: Context,
  sluice: Sluice,
  { asked, states, fits = () => true }: MeantItem,
): Promise<ListedItem> {
  const here = await itemsHere(context, sluice);
  const found = asked === null ? here.filter((item) => states.includes(item.state) && fits(item)) : named(here, asked);
  const elsewhere = found.length > 0 || asked === null ? [] : named(await sluice.items(MAX_ITEMS), asked);
  const items = found.length > 0 ? found : elsewhere;
  const [only] = items;
  if (only === undefined) throw new RefusedError(noItem(asked, states));
  return items.length === 1 ? only : await choose(context, items);
}

/** Pure. Exact ids win, then parts of titles. */
export function named(items: readonly ListedItem[], asked: string): readonly ListedItem[] {
  const exact = items.filter((item) => [item.id, item.workflowId, runIdOfItem(item, 1), item.run].includes(asked));
  if (exact.length > 0) return exact;
  return items.filter(({ title }) => title?.toLowerCase().includes(asked.toLowerCase()) === true);
}

async function choose({ io, json }: Context, items: readonly ListedItem[]): Promise<ListedItem> {
  const what = `${items.length} tasks can be meant`;
  const labelOf = ({ project, id, state, title }: ListedItem) => foreign(`${project}-${id}  ${state}  ${title ?? ''}`);
  if (io.interactive && !json && !isInsideTurn(io.env))
    return await chooseOne(
      `${what}: which one?`,
      items.map((item) => ({ value: item, label: labelOf(item) })),
    );
  const ids = items.slice(0, MAX_NAMED).map(({ project, id }) => `${project}-${id}`);
  throw new RefusedError({
    what,
    why: 'a task is named by its number, by <project>-<number>, or by a part of its title that no other has',
    now: `They are: ${foreign(ids.join(', '))}${items.length > MAX_NAMED ? ', …' : ''}`,
    mend: 'sluice task list',
  });
}

function noItem(asked: string | null, states: readonly ItemStateName[]) {
  return {
    what:
      asked === null ? `no task of this repository is ${states.join(' or ')}` : `no task is called "${foreign(asked)}"`,
    why: 'a task is named by its number, by <project>-<number>, or by a part of its title',
    now: 'Nothing was changed.',
    mend: 'sluice task list --all',
  };
}
