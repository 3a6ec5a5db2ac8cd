/** A local engine in a home of its own: the real engine process and the real server, with a worker program of a few lines. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnsureEngine, engineStatus } from '../../../worker/local-engine/control/ensure-engine.js';
import { stopEngine } from '../../../worker/local-engine/control/stop-engine.js';

/** As it is built: beside tsx, whose loader has a thread of its own, an engine that loses the lock of its home may never end. */
const ENGINE_COMMAND = [process.execPath, join(process.cwd(), 'dist/worker/local-engine/main.js')] as const;

/** Says ready, then works until it is told to end. */
export const POLLING_WORKER = `
process.on('SIGTERM', () => process.exit(0));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
console.log(JSON.stringify({ type: 'ready', address: process.env.TEMPORAL_ADDRESS, home: process.env.SLUICE_HOME }));
setInterval(() => {}, 1000);`;

export interface TestHome {
  readonly home: string;
  /** Options for ensureEngine in this home, with free ports far from the usual ones. */
  options(workerSource?: string): EnsureEngine;
  remove(): Promise<void>;
}

export function aHome(below = ''): TestHome {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-engine-')));
  const home = join(folder, below, 'home');
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  return {
    home,
    options: (workerSource = POLLING_WORKER) => {
      const program = join(folder, 'worker.cjs');
      writeFileSync(program, workerSource);
      return {
        home,
        ports: { server: port, ui: port + 100 },
        engineCommand: ENGINE_COMMAND,
        workerCommand: [process.execPath, program],
      };
    },
    remove: async () => {
      await stopEngine(home, { now: true, liveTurns: async () => 0, endTurns: async () => undefined });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the engine's report is as wanted; fails after a hundred seconds. */
export async function untilReport(
  home: string,
  wanted: (report: NonNullable<Awaited<ReturnType<typeof engineStatus>>>) => boolean,
) {
  const until = performance.now() + 100_000;
  for (;;) {
    const report = await engineStatus(home);
    if (report !== null && wanted(report)) return report;
    if (performance.now() > until) throw new Error(`the engine never got there: ${JSON.stringify(report)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
