/**
 * What the processes of a home used of the processors, by what they are: their own time and that of the children they reaped, as /proc counts both.
 * They are told apart by what engine and guard say of themselves and by their parents, not by the names of program files.
 * Precondition: the home is at rest, for of a child that still lives its parent knows nothing.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { guardPid } from '../test/support/guard-pid.js';
import { engineOf, processesOf } from './home-processes.js';
import { starterPid } from './timed-process.js';

/** `rest`: the engine's own process, and what it starts for command lines. */
export const HOME_KINDS = ['server', 'worker', 'guard', 'git', 'rest'] as const;
export type HomeKind = (typeof HOME_KINDS)[number];

/** Unit: ms. Linux counts ticks of 1/100 s for programs whatever its kernel's own are (proc(5), `sysconf(_SC_CLK_TCK)`). */
const TICK_MS = 10;

const BETWEEN_LOOKS_MS = 200;
const QUIET_WITHIN_MS = 5_000;

export interface HomeCpu {
  readonly ms: Readonly<Record<HomeKind, number>>;
  /** What is to live on: server, worker, guard and what the worker started beside it. */
  readonly lasting: ReadonlyMap<number, HomeKind>;
}

export function cpuOfHome(home: string): HomeCpu {
  const { server, worker } = engineOf(home);
  const of = { server: server?.pid, worker: worker?.pid, guard: guardPid(home) };
  const ms: Record<HomeKind, number> = { server: 0, worker: 0, guard: 0, git: 0, rest: 0 };
  const lasting = new Map<number, HomeKind>();
  for (const { pid } of processesOf(home)) {
    const stat = readStat(textOfStat(String(pid)));
    const kind = kindOf({ pid, parent: stat.parent }, of);
    ms[kind] += stat.own + stat.reaped;
    // The guard's children are commands of agents.
    if (kind !== 'rest' && (kind !== 'guard' || pid === of.guard)) lasting.set(pid, kind);
  }
  return { ms, lasting };
}

/** Unit: ms. Errors: plain Error where one of the processes is another than before, for what it used is known no more. */
export function usedBetween(before: HomeCpu, after: HomeCpu): Readonly<Record<HomeKind, number>> {
  for (const [pid, kind] of before.lasting) {
    if (after.lasting.get(pid) !== kind) throw new Error(`the ${kind} process ${pid} did not live on meanwhile`);
  }
  const used = { ...after.ms };
  for (const kind of HOME_KINDS) {
    used[kind] -= before.ms[kind];
    if (used[kind] < 0) throw new Error(`${kind} used ${used[kind]} ms meanwhile: one of its processes was lost`);
  }
  return used;
}

/** Once nothing is under way: what is left to be done after the last answer is work too. */
export async function cpuOfQuietHome(home: string): Promise<HomeCpu> {
  const last = performance.now() + QUIET_WITHIN_MS;
  let before = cpuOfHome(home);
  for (;;) {
    await delay(BETWEEN_LOOKS_MS);
    const now = cpuOfHome(home);
    if (isQuietBetween(before, now) || performance.now() > last) return now;
    before = now;
  }
}

/** A server without work uses a tick now and then. */
export function isQuietBetween(before: HomeCpu, after: HomeCpu): boolean {
  return HOME_KINDS.every((kind) => Math.abs(after.ms[kind] - before.ms[kind]) <= TICK_MS);
}

/** Of the timed processes that ended while `work` was done. */
export async function cpuMsOfTimed(work: () => Promise<unknown>): Promise<number> {
  const pid = starterPid();
  const before = readStat(textOfStat(String(pid))).reaped;
  await work();
  if (starterPid() !== pid) throw new Error('the process that starts others was lost');
  return readStat(textOfStat(String(pid))).reaped - before;
}

interface Stat {
  readonly parent: number;
  readonly own: number;
  readonly reaped: number;
}

/** A worker starts its guard and what runs its git. Missing: it does not live. */
export function kindOf(
  { pid, parent }: { readonly pid: number; readonly parent: number },
  of: Readonly<Record<'server' | 'worker' | 'guard', number | null | undefined>>,
): HomeKind {
  if (pid === of.server) return 'server';
  if (pid === of.worker) return 'worker';
  if (pid === of.guard || parent === of.guard) return 'guard';
  return parent === of.worker ? 'git' : 'rest';
}

/** All zero of a process that is gone, whose text is empty. Source: proc(5), /proc/[pid]/stat; the second field is a name that may hold anything. */
export function readStat(text: string): Stat {
  const fields = text
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [own = 0, ownSystem = 0, reaped = 0, reapedSystem = 0] = fields.slice(11, 15);
  return { parent, own: (own + ownSystem) * TICK_MS, reaped: (reaped + reapedSystem) * TICK_MS };
}

function textOfStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
