/** What people, runs, the post and resets may do to a backlog, in any order: the moves of its model test. */
import fc from 'fast-check';
import type { ItemState } from '../../workflows/item/item-state.js';
import { BacklogWorld } from './backlog-world.js';

const DAY_MS = 24 * 60 * 60_000;

type Act =
  | {
      readonly kind:
        | 'create'
        | 'deliver'
        | 'twice'
        | 'open'
        | 'end'
        | 'halt'
        | 'goOn'
        | 'stop'
        | 'done'
        | 'run'
        | 'snap'
        | 'reset'
        | 'terminate'
        | 'handOver'
        | 'pause'
        | 'resume';
      readonly at: number;
    }
  | { readonly kind: 'wait'; readonly at: number };

export const ACTS: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(
    ...([
      'create',
      'deliver',
      'deliver',
      'deliver',
      'deliver',
      'twice',
      'open',
      'open',
      'end',
      'end',
      'halt',
      'goOn',
    ] as const),
    ...(['stop', 'done', 'run', 'run', 'snap', 'reset', 'pause', 'resume', 'terminate', 'handOver', 'wait'] as const),
  ),
  at: fc.nat({ max: 60 }),
});

/** The n-th of what there is. */
function nth<T>(list: readonly T[], at: number): T | undefined {
  return list[at % Math.max(1, list.length)];
}

/** Plays acts on a backlog of this limit, keeping the states of before to which an item may be reset. */
export class Play {
  readonly world: BacklogWorld;
  private created = 0;
  private readonly kept = new Map<string, ItemState>();

  constructor(readonly limit: number) {
    this.world = new BacklogWorld({ maxConcurrent: limit, conflicts: limit === 3 ? 'block' : 'warn' });
  }

  act({ kind, at }: Act): void {
    const { world } = this;
    const id = nth([...world.items.keys()], at);
    const run = nth(world.openRuns(), at);
    const word = { by: 'ann', note: null };
    switch (kind) {
      case 'create':
        this.created += 1;
        // Now and then the same again.
        return world.create(
          `k${at % 5 === 0 ? 1 : this.created}`,
          [
            { task: 'a', files: at % 3 === 0 ? ['src/**'] : [] },
            { task: 'b', files: ['src/b.ts'], dependsOn: at % 4 < 2 ? ['#1'] : [] },
          ].slice(0, 1 + (at % 2)),
        );
      case 'deliver':
      case 'twice':
        return void world.deliver(at, kind === 'twice');
      case 'open':
      case 'end':
        return run === undefined
          ? undefined
          : kind === 'open'
            ? world.open(run)
            : world.end(run, at % 3 === 0 ? 'failed' : 'merge_ready');
      case 'halt':
        return run === undefined ? undefined : world.say(run, at % 2 === 0 ? 'approval' : 'usage_limit');
      case 'goOn':
        return run === undefined ? undefined : world.say(run, 'working');
      case 'stop':
      case 'done':
      case 'run':
        if (id !== undefined && world.judgeItem(id, { kind, ...word }).kind === 'accepted')
          world.tellItem(id, { kind, ...word });
        return;
      case 'snap': {
        const state = id === undefined ? undefined : world.items.get(id);
        if (id !== undefined && state !== undefined && state.state !== 'closed') this.kept.set(id, state);
        return;
      }
      case 'reset': {
        const before = id === undefined ? undefined : this.kept.get(id);
        if (id !== undefined && before !== undefined) world.resetItem(id, before);
        return;
      }
      case 'terminate':
        return world.terminateBacklog();
      case 'handOver':
        return world.handOver();
      case 'pause':
      case 'resume':
        return world.tellBacklog({ kind, by: 'ann' });
      case 'wait':
        return world.wait(1_000 * 2 ** (at % 24));
    }
  }

  /** Nothing disturbs any more: all that is queued runs. */
  comeToRest(): void {
    const { world } = this;
    world.tellBacklog({ kind: 'resume', by: null });
    for (let days = 0; days < 200; days += 1) {
      world.settle();
      const runs = world.openRuns();
      for (const run of runs) {
        world.open(run);
        world.settle();
        world.end(run);
        world.settle();
      }
      if (runs.length === 0 && [...world.items.values()].every(({ state }) => state === 'parked' || state === 'closed'))
        return;
      // What waits for others goes on once they are done.
      for (const [id, { state }] of world.items)
        if (runs.length === 0 && state === 'parked') world.tellItem(id, { kind: 'done', by: 'ann', note: null });
      world.wait(DAY_MS);
    }
  }
}
