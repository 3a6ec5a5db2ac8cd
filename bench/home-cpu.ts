/**
 * What the processes of a home used of the processors, by what they are: their own time and that of the children they reaped, as /proc counts both.
 * They are told apart by what engine and guard say of themselves and by their parents, not by the names of program files.
 * Precondition: the home is at rest, for of a child that still lives its parent knows nothing.
 */
import { readFileSync } from 'node:fs';
import { guardPid } from '../test/support/guard-pid.js';
import { engineOf, processesOf } from './home-processes.js';

/** `rest`: the engine's own process, and what it starts for command lines. */
export const HOME_KINDS = ['server', 'worker', 'guard', 'git', 'rest'] as const;
export type HomeKind = (typeof HOME_KINDS)[number];

/** Unit: ms. Linux counts ticks of 1/100 s for programs whatever its kernel's own are (proc(5), `sysconf(_SC_CLK_TCK)`). */
const TICK_MS = 10;

export function cpuMsOfHome(home: string): Readonly<Record<HomeKind, number>> {
  const { server, worker } = engineOf(home);
  const of = { server: server?.pid, worker: worker?.pid, guard: guardPid(home) };
  const sum: Record<HomeKind, number> = { server: 0, worker: 0, guard: 0, git: 0, rest: 0 };
  for (const { pid } of processesOf(home)) {
    const stat = readStat(textOfStat(String(pid)));
    sum[kindOf({ pid, parent: stat.parent }, of)] += stat.own + stat.reaped;
  }
  return sum;
}

/** Of this process's children that ended while `work` was done. */
export async function cpuMsOfChildren(work: () => Promise<unknown>): Promise<number> {
  const reapedBy = () => readStat(textOfStat('self')).reaped;
  const before = reapedBy();
  await work();
  return reapedBy() - before;
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
