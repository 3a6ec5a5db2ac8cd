/** A person beside a cell, who brings an engine up again that is dead or has given up; all else comes back by the engine's own means. */
import type { Client } from '@temporalio/client';
import { engineStatus } from '../../../worker/local-engine/control/ensure-engine.js';
import type { ChaosHome } from './chaos-home.js';

export async function bringUpIfDead(attended: { readonly place: ChaosHome; client: Client }): Promise<void> {
  const { place } = attended;
  for (let pid = place.pid('engine'); pid === null || !isAlive(pid); pid = place.pid('engine')) {
    // A start that is killed itself is begun again.
    attended.client = await place.up().catch(() => attended.client);
  }
}

/** One that has given up is begun again, and one that a command of the cell has brought up meanwhile, on a port of its own, is found. */
export async function findAgain(attended: { readonly place: ChaosHome; client: Client }): Promise<void> {
  attended.client = await attended.place.up().catch(() => attended.client);
}

/** As a person would who finds the engine in phase `failed`. */
export async function bringUpIfGivenUp(place: ChaosHome): Promise<void> {
  const report = await engineStatus(place.home).catch(() => null);
  if (report?.phase === 'failed') await place.up().catch(() => undefined);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
