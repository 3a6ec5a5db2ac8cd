/** A repository of its own with a backlog, on the host of the bench; and a backlog that many tasks are open in. */
import { readOrMakeHostId } from '../../config/home/host-id.js';
import { backlogId, ITEM_CHANGED_SIGNAL } from '../../protocol/actors/backlog.js';
import type { ItemRow } from '../../protocol/actors/item.js';
import { type BacklogOf, openBacklog } from '../../test/support/backlog-client.js';
import type { BenchHost } from '../bench-host.js';
import { placeOf } from '../landing/landed-runs.js';
import { nullIfLate } from '../null-if-late.js';
import type { Measuring } from '../plain-run.js';
import { makeSmallRepository } from '../repositories.js';
import { until } from '../until.js';

/** Of Signals. */
const AT_ONCE = 100;

export interface Place {
  readonly host: BenchHost;
  readonly backlog: BacklogOf;
}

/** `config`: lines of YAML beside the project's name and what every place has. */
export async function openPlace({ host }: Pick<Measuring, 'host'>, name: string, config: string): Promise<Place> {
  const project = `bench-${name}`;
  const text = `project: { name: ${project} }\n${config}`;
  const place = await placeOf(host, { name, make: makeSmallRepository, config: text });
  return { host: place, backlog: await backlogOf(place, project) };
}

export function backlogOf(host: BenchHost, project: string): Promise<BacklogOf> {
  return openBacklog(host.client, { project, repo: host.repository, host: readOrMakeHostId(host.home) });
}

/** `numbers` of tasks that are open from now on: rows that their items have told, for what an item is stands nowhere in a backlog. Nothing starts from now on. */
export async function openMany({ host, backlog }: Place, numbers: readonly number[]): Promise<void> {
  await backlog.say('pause');
  const handle = host.client.workflow.getHandle(backlogId(backlog.project));
  for (let from = 0; from < numbers.length; from += AT_ONCE) {
    const some = numbers.slice(from, from + AT_ONCE);
    await Promise.all(some.map((n) => handle.signal(ITEM_CHANGED_SIGNAL, rowOf(n))));
    // A busy machine is not flooded: a workflow task that lasts too long is tried again from the beginning.
    const known = from + some.length;
    const areKnown = async () => (await backlog.status().catch(nullIfLate))?.counts.parked === known;
    await until(`the backlog knows ${known} tasks`, areKnown);
  }
}

function rowOf(n: number): ItemRow {
  const at = Date.now();
  return {
    id: String(n),
    version: at,
    state: 'parked',
    reason: 'blocked',
    slot: false,
    since: at - n,
    runs: 1,
    priority: n % 10,
    ready: null,
    needs: [],
    linked: 0,
    files: [],
    held: false,
    by: 'ann',
  };
}
