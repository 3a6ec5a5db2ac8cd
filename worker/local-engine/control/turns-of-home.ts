/** The commands that live under the guard of a home, for whoever brings the engine down. Where no guard runs none is started. */

import type { LiveCommand, Processes } from '../../../activities/process/contract.js';
import { listGuardSockets } from '../../../activities/process/guard-sockets.js';
import { connectProcesses } from '../../../activities/process/processes.js';
import { socketFolder } from '../../../config/home/socket-folder.js';

export interface TurnsOfHome {
  live(): Promise<number>;
  /** Ends every command and waits until nothing of it lives. The next worker starts them again. */
  end(): Promise<void>;
  close(): Promise<void>;
}

/** Holds a connection: while it is open the guard does not count itself an orphan, however long a turn still takes. */
export async function openTurnsOfHome(home: string): Promise<TurnsOfHome> {
  const processes = await guardOf(home);
  const commands = async (): Promise<readonly LiveCommand[]> => (processes === null ? [] : processes.live());
  return {
    live: async () => (await commands()).length,
    end: async () => {
      for (const group of new Set((await commands()).map((command) => command.group)))
        await processes?.endGroup(group, 'interrupted');
    },
    close: async () => processes?.close(),
  };
}

async function guardOf(home: string): Promise<Processes | null> {
  if (listGuardSockets(socketFolder(home)).length === 0) return null;
  // A guard of another grace or durability keeps its own; these count only where one must be started to adopt what a dead one left.
  return connectProcesses({ home, orphanGraceMs: 60_000, durability: 'process' });
}
