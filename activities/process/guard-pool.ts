/**
 * All guards of a home: the current one, started if there is none, and retired ones that still keep turns of an older version.
 * A command is unknown only if every one of them says so. An older guard is asked to retire; a newer one is used as it is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GuardUnavailable } from './contract.js';
import { connectGuard, type GuardConnection } from './guard-connection.js';
import { GUARD_SOCKET, guardSockets, openSocketFolder } from './socket-folder.js';
import { type GuardStart, startGuard } from './start-guard.js';
import { PROTOCOL_VERSION } from './wire.js';
import { join } from 'node:path';

export interface GuardPool {
  /** Errors: GuardUnavailable. */
  current(): Promise<GuardConnection>;
  /** The current one first. */
  all(): Promise<readonly GuardConnection[]>;
  close(): void;
}

const CONNECT_MS = 20_000;
const AGAIN_MS = 20;

export function createGuardPool(start: GuardStart): GuardPool {
  const folder = folderOf(start.home);
  const version = start.version ?? PROTOCOL_VERSION;
  const retired = new Map<string, GuardConnection>();
  let main: GuardConnection | null = null;
  let connecting: Promise<GuardConnection> | null = null;

  const connectOnce = async (): Promise<GuardConnection | null> => {
    const connection = await connectGuard(join(folder, GUARD_SOCKET));
    if (connection === null) {
      await startGuard(start);
      return null;
    }
    const hello = await connection.request({ op: 'hello', version }).catch(() => null);
    if (hello?.kind === 'hello' && hello.version >= version) {
      return connection;
    }
    if (hello !== null) {
      await connection.request({ op: 'retire' }).catch(() => null);
    }
    connection.close();
    return null;
  };

  const connect = async (): Promise<GuardConnection> => {
    const until = performance.now() + CONNECT_MS;
    while (performance.now() < until) {
      const connection = await connectOnce();
      if (connection !== null) {
        return connection;
      }
      // Lost to another worker's guard that is about to listen, or to one that is about to end.
      await sleep(AGAIN_MS);
    }
    throw new GuardUnavailable(
      `No guard of ${start.home} answers within ${CONNECT_MS / 1000} s.\nNothing was started.\nLook at it with: sluice doctor`,
    );
  };

  const current = async (): Promise<GuardConnection> => {
    if (main?.isOpen()) {
      return main;
    }
    connecting ??= connect().finally(() => {
      connecting = null;
    });
    main = await connecting;
    return main;
  };

  return {
    current,
    all: async () => {
      const first = await current();
      for (const path of guardSockets(folder).filter((name) => name !== first.path && !retired.get(name)?.isOpen())) {
        const connection = await connectGuard(path);
        if (connection === null) {
          retired.delete(path);
        } else {
          retired.set(path, connection);
        }
      }
      return [first, ...[...retired.values()].filter((connection) => connection.isOpen())];
    },
    close: () => {
      main?.close();
      for (const connection of retired.values()) {
        connection.close();
      }
    },
  };
}

function folderOf(home: string): string {
  try {
    return openSocketFolder(home);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GuardUnavailable(
      `The home ${home} cannot be used: ${why}.\nIt must be a folder that this user can write.\nNothing was started.\nChoose another one with: export SLUICE_HOME=<folder>`,
    );
  }
}
