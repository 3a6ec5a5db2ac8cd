/** Counts what a fault cost, from the traces of a run with it and of one without. Pure. */
import type { RunTraces } from '../../support/run-traces.js';

export const COUNTS = ['turnsTwice', 'agentsTwice', 'overlaps', 'orphans', 'commits', 'events', 'ends'] as const;

/** Each is 0 where nothing was lost and nothing doubled. */
export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export function countsOf(traces: RunTraces, expected: RunTraces): Counts {
  return {
    turnsTwice: surplus(types(traces), types(expected), (type) => type === 'turn.completed'),
    agentsTwice: surplus(traces.agents, expected.agents, (line) => line.endsWith(' START')),
    overlaps: overlapsIn(traces.agents),
    orphans: traces.living.length,
    commits: Math.abs(traces.commits - expected.commits),
    events:
      traces.journal === 'damaged'
        ? 1
        : differing(types(traces), types(expected)) + Math.abs(traces.told - expected.told),
    ends:
      traces.outcome === expected.outcome && traces.error === expected.error && traces.change === expected.change
        ? 0
        : 1,
  };
}

export function isClean(counts: Counts): boolean {
  return COUNTS.every((name) => counts[name] === 0);
}

/** A notification is a workflow of its own: whether the run was still open to journal what came of it is no loss; `told` has it in any case. */
function types({ journal }: RunTraces): readonly string[] {
  return journal === 'damaged' ? [] : journal.filter((type) => type !== 'notification.sent');
}

/** How many more of the wanted ones there are than expected. */
function surplus(found: readonly string[], expected: readonly string[], isWanted: (text: string) => boolean): number {
  return Math.max(0, found.filter(isWanted).length - expected.filter(isWanted).length);
}

/** Of two lists: how many stand in one and not in the other; where the same ones stand in another order, 1. */
function differing(found: readonly string[], expected: readonly string[]): number {
  const rest = [...expected];
  let extra = 0;
  for (const one of found) {
    const at = rest.indexOf(one);
    if (at < 0) extra += 1;
    else rest.splice(at, 1);
  }
  const different = extra + rest.length;
  return different === 0 && found.join() !== expected.join() ? 1 : different;
}

/** START lines that come before the END of the one before. */
function overlapsIn(agents: readonly string[]): number {
  let open: string | null = null;
  let overlaps = 0;
  for (const line of agents) {
    const [stage = '', event] = line.split(' ');
    if (event === 'START' && open !== null) overlaps += 1;
    open = event === 'START' ? stage : null;
  }
  return overlaps;
}
