/**
 * Ends everything that belongs to a command: TERM, grace, KILL, until a pass finds nothing.
 * Against a process that forks faster than it is killed: STOP until a pass finds nothing new, then KILL, and again.
 * A process that took another user's rights cannot be ended by us and does not count.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../../../config/system/send-signal.js';
import { type Found, HAS_PROC, isAlive, type ProcessTable, type Trace } from './process-table.js';

const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 50;

/** After KILL a process may hang in the kernel, but it never runs an instruction of its own again. */
const KILLED_IS_GONE_MS = 10_000;

/** Shape: returns at once, after one pass, if nothing lives. With `graceMs` 0 there is no TERM. */
export async function endEverything(table: ProcessTable, trace: Trace, graceMs: number): Promise<void> {
  const outOfReach = new Set<string>();
  const find = async () => (await table.find(trace)).filter((found) => !outOfReach.has(keyOf(found)));
  const send = (found: Found, signal: NodeJS.Signals) => {
    if (!signalOne(found, signal)) outOfReach.add(keyOf(found));
  };
  let living = await find();
  const termUntil = performance.now() + graceMs;
  const asked = new Set<string>();
  for (
    let pause = FIRST_PAUSE_MS;
    living.length > 0 && performance.now() < termUntil;
    pause = Math.min(pause * 2, MAX_PAUSE_MS)
  ) {
    for (const found of living.filter((one) => !asked.has(keyOf(one)))) {
      asked.add(keyOf(found));
      send(found, 'SIGTERM');
    }
    await sleep(Math.min(pause, Math.max(0, termUntil - performance.now())));
    living = await find();
  }
  if (living.length > 0) {
    await killAll(async () => (await table.findUrgently(trace)).filter((found) => !outOfReach.has(keyOf(found))), send);
  }
}

/** Without end: a storm of forks is either stopped by a pass that finds nothing new, or the command has not ended. */
async function killAll(
  find: () => Promise<readonly Found[]>,
  send: (found: Found, signal: NodeJS.Signals) => void,
): Promise<void> {
  const killedMs = new Map<string, number>();
  const isLiving = (found: Found) =>
    performance.now() - (killedMs.get(keyOf(found)) ?? performance.now()) < KILLED_IS_GONE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const stopped = new Map<string, Found>();
    for (;;) {
      const fresh = (await find()).filter((found) => isLiving(found) && !stopped.has(keyOf(found)));
      if (fresh.length === 0) break;
      for (const found of fresh) {
        stopped.set(keyOf(found), found);
        send(found, 'SIGSTOP');
      }
    }
    if (stopped.size === 0) return;
    for (const found of stopped.values()) {
      send(found, 'SIGKILL');
      killedMs.set(keyOf(found), killedMs.get(keyOf(found)) ?? performance.now());
    }
    await sleep(pause);
  }
}

/** False only if the process is another user's. The start time is compared once more, for a pid may have a new owner since the pass. */
function signalOne(found: Found, signal: NodeJS.Signals): boolean {
  if (HAS_PROC && !isAlive(found.pid, found.start)) return true;
  return sendSignal(found.pid, signal) !== 'refused';
}

function keyOf(found: Found): string {
  return `${found.pid} ${found.start}`;
}
