/**
 * Makes sure that the demo leaves no process: whatever names the demo's own folder in its arguments or environment is ours.
 * Known from /proc; elsewhere the engine's own end is all that is promised, and `null` says so.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sendSignal } from '../../../config/system/send-signal.js';

/** **Unit** ms: how long processes have to end by themselves, and after SIGTERM. */
const BY_THEMSELVES_MS = 2_000;
const AFTER_TERM_MS = 3_000;
const LOOK_MS = 50;

/** Answers the pids that are left, normally none; null where it cannot be known. Effects: SIGTERM, then SIGKILL, to what stays. */
export async function endProcessesOf(folder: string): Promise<readonly number[] | null> {
  if ((await processesOf(folder)) === null) return null;
  for (const [signal, patience] of [
    [null, BY_THEMSELVES_MS],
    ['SIGTERM', AFTER_TERM_MS],
    ['SIGKILL', AFTER_TERM_MS],
  ] as const) {
    if (signal !== null) for (const pid of (await processesOf(folder)) ?? []) sendSignal(pid, signal);
    if (await waitUntilGone(folder, patience)) return [];
  }
  return processesOf(folder);
}

async function waitUntilGone(folder: string, patience: number): Promise<boolean> {
  const until = Date.now() + patience;
  while (((await processesOf(folder)) ?? []).length > 0) {
    if (Date.now() > until) return false;
    await delay(LOOK_MS);
  }
  return true;
}

async function processesOf(folder: string): Promise<readonly number[] | null> {
  const names = await readdir('/proc').catch(() => null);
  if (names === null || process.platform !== 'linux') return null;
  const pids = names.map(Number).filter((pid) => Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid);
  const ours = await Promise.all(pids.map((pid) => isOf(pid, folder)));
  return pids.filter((_, index) => ours[index]);
}

async function isOf(pid: number, folder: string): Promise<boolean> {
  const texts = await Promise.all(
    ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
  );
  return texts.some((text) => text.includes(folder));
}
