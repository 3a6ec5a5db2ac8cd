/**
 * One run by its spans: a worker and a guard that note the points they pass, in a home of their own, so that no other figure is burdened.
 * Several runs are measured; the one of median length is shown, since spans of different runs do not add up.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WORKER_NODE_FLAGS } from '../worker/local-engine/children/worker-child.js';
import { ownTimes } from './baselines.js';
import { TURN_STAGES } from './bench-agent.js';
import { type BenchHost, openBenchHost } from './bench-host.js';
import { closedWell, startRun } from './plain-run.js';
import { type Point, type SpanTable, spansOf } from './span-table.js';
import { until } from './until.js';

const TRACE_WORKER = fileURLToPath(new URL('./trace/worker.mjs', import.meta.url));
const WARM_RUNS = 2;
/** Commands under the guard: five agents and the checks. */
const COMMANDS = 6;

export interface MeasuredSpans extends SpanTable {
  /** What of it is not the engine's: one agent, one command, each by hand. */
  readonly agentMs: number;
  readonly commandMs: number;
}

export async function measureSpans(count: number): Promise<MeasuredSpans> {
  const host = await openBenchHost({ workerCommand: [process.execPath, ...WORKER_NODE_FLAGS, TRACE_WORKER] });
  try {
    const tables: MeasuredSpans[] = [];
    for (let n = 0; n < WARM_RUNS + count; n += 1) {
      const handle = await startRun(host, `bench-spans-${n}`);
      await closedWell(handle);
      await until(
        'the last points are written',
        async () => endsIn(host) === (n + 1) * COMMANDS && answersIn(host) === n + 1,
      );
      const { events } = await handle.fetchHistory();
      const table = spansOf(events ?? [], pointsOf(host), TURN_STAGES);
      if (n >= WARM_RUNS) tables.push({ ...table, ...(await ownTimes(host, handle.workflowId)) });
    }
    const sorted = tables.toSorted((a, b) => a.totalMs - b.totalMs);
    const middle = sorted[Math.floor((sorted.length - 1) / 2)];
    if (middle === undefined) throw new Error('no run was measured');
    return middle;
  } finally {
    await host.close();
  }
}

function endsIn(host: BenchHost): number {
  return pointsOf(host).filter(({ name }) => name === 'guard.after-exit').length;
}

function answersIn(host: BenchHost): number {
  return pointsOf(host).filter(
    ({ name, where }) => name === 'activity.before-answer' && where?.startsWith('closeRun ') === true,
  ).length;
}

/** Of all runs; activities of one run are told apart by their times. */
function pointsOf({ home }: BenchHost): readonly Point[] {
  return ['worker', 'guard'].flatMap((role) => {
    const path = join(home, `trace-${role}.jsonl`);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Point); // Written by trace/note-points.mjs.
  });
}
