/**
 * All guards of a home: the current one, started if there is none, and retired ones that still keep turns of an older version.
 * A command is unknown only if every one of them says so. An older guard is asked to retire; a newer one is used as it is.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSocketFolder } from '../../config/home/socket-folder.js';
import { messageOf } from '../../config/system/error-code.js';
import { GuardUnavailable } from './contract.js';
import { connectGuard, type GuardConnection } from './guard-connection.js';
import { GUARD_SOCKET, listGuardSockets } from './guard-sockets.js';
import { type GuardStart, startGuard } from './start-guard.js';
import { PROTOCOL_VERSION } from './wire.js';

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
  return new HomeGuards(start);
}

class HomeGuards implements GuardPool {
  private readonly folder: string;
  private readonly version: number;
  private readonly retired = new Map<string, GuardConnection>();
  private main: GuardConnection | null = null;
  private connecting: Promise<GuardConnection> | null = null;

  constructor(private readonly start: GuardStart) {
    this.folder = folderOf(start.home);
    this.version = start.version ?? PROTOCOL_VERSION;
  }

  async current(): Promise<GuardConnection> {
    if (this.main?.isOpen()) return this.main;
    this.connecting ??= this.connect().finally(() => {
      this.connecting = null;
    });
    this.main = await this.connecting;
    return this.main;
  }

  async all(): Promise<readonly GuardConnection[]> {
    const first = await this.current();
    const unknown = listGuardSockets(this.folder).filter(
      (name) => name !== first.path && !this.retired.get(name)?.isOpen(),
    );
    for (const path of unknown) {
      const connection = await connectGuard(path);
      if (connection === null) this.retired.delete(path);
      else this.retired.set(path, connection);
    }
    return [first, ...[...this.retired.values()].filter((connection) => connection.isOpen())];
  }

  close(): void {
    this.main?.close();
    for (const connection of this.retired.values()) connection.close();
  }

  private async connect(): Promise<GuardConnection> {
    const until = performance.now() + CONNECT_MS;
    while (performance.now() < until) {
      const connection = await this.connectOnce(until);
      if (connection !== null) return connection;
      // Lost to another worker's guard that is about to listen, or to one that is about to end.
      await sleep(AGAIN_MS);
    }
    throw new GuardUnavailable(
      `No guard of ${this.start.home} answers within ${CONNECT_MS / 1000} s.\nNothing was started.\nLook at it with: sluice doctor`,
    );
  }

  /** Null: try again. */
  private async connectOnce(until: number): Promise<GuardConnection | null> {
    const connection = await connectGuard(join(this.folder, GUARD_SOCKET));
    if (connection === null) {
      await startGuard(this.start);
      return null;
    }
    // A guard that was stopped, or whose disk hangs, takes the connection and says nothing.
    const timer = setTimeout(() => connection.close(), until - performance.now());
    try {
      const hello = await connection.request({ op: 'hello', version: this.version }).catch(() => null);
      if (hello?.kind === 'hello' && hello.version >= this.version) return connection;
      if (hello !== null) await connection.request({ op: 'retire' }).catch(() => null);
      connection.close();
      return null;
    } finally {
      clearTimeout(timer);
    }
  }
}

function folderOf(home: string): string {
  try {
    return openSocketFolder(home);
  } catch (error) {
    const why = messageOf(error);
    throw new GuardUnavailable(
      `The home ${home} cannot be used: ${why}.\nIt must be a folder that this user can write.\nNothing was started.\nChoose another one with: export SLUICE_HOME=<folder>`,
    );
  }
}
