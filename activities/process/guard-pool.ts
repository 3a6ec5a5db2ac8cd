/**
 * All guards of a home: the current one, started if there is none, and retired ones that still keep turns of an older version.
 * A command is unknown only if every one of them says so. An older guard is asked to retire; a newer one is used as it is.
 */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSocketFolder } from '../../config/home/socket-folder.js';
import { messageOf } from '../../config/system/error-code.js';
import { DetachedError, GuardUnavailable } from './contract.js';
import { ConnectionLost, connectGuard, type GuardConnection } from './guard-connection.js';
import { GUARD_SOCKET, listGuardSockets, pidOfRetired } from './guard-sockets.js';
import { type GuardStart, startGuard } from './start-guard.js';
import { PROTOCOL_VERSION } from './wire.js';

export interface GuardPool {
  /** Errors: GuardUnavailable; DetachedError once the pool is closed. */
  current(): Promise<GuardConnection>;
  /** The current one first. Errors: as `current`; GuardUnavailable too where a retired one answers nothing. */
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
  /** One attempt for a path, however many ask at once. */
  private readonly joining = new Map<string, Promise<void>>();
  private main: GuardConnection | null = null;
  private connecting: Promise<GuardConnection> | null = null;
  private isClosed = false;

  constructor(private readonly start: GuardStart) {
    this.folder = folderOf(start.home);
    this.version = start.version ?? PROTOCOL_VERSION;
  }

  async current(): Promise<GuardConnection> {
    if (this.main?.isOpen()) return this.main;
    this.connecting ??= this.connect().finally(() => {
      this.connecting = null;
    });
    const connection = await this.connecting;
    this.refuseIfClosed(connection);
    this.main = connection;
    return connection;
  }

  async all(): Promise<readonly GuardConnection[]> {
    const first = await this.current();
    const unknown = listGuardSockets(this.folder).filter(
      (name) => name !== first.path && !this.retired.get(name)?.isOpen(),
    );
    await Promise.all(unknown.map((path) => this.join(path)));
    return [first, ...[...this.retired.values()].filter((connection) => connection.isOpen())];
  }

  close(): void {
    this.isClosed = true;
    this.main?.close();
    for (const connection of this.retired.values()) connection.close();
  }

  private join(path: string): Promise<void> {
    const joining = this.joining.get(path) ?? this.connectRetired(path).finally(() => this.joining.delete(path));
    this.joining.set(path, joining);
    return joining;
  }

  /** It may keep the very turn that is asked for, so one that is silent is never passed over. */
  private async connectRetired(path: string): Promise<void> {
    this.retired.delete(path);
    const until = performance.now() + CONNECT_MS;
    while (performance.now() < until) {
      const connection = await connectGuard(path);
      if (connection === null) return;
      const hello = await unlessSilent(connection, until, () =>
        connection.request({ op: 'hello', version: this.version }),
      );
      this.refuseIfClosed(connection);
      if (hello !== null) {
        this.retired.set(path, connection);
        return;
      }
      await sleep(AGAIN_MS);
    }
    const pid = pidOfRetired(path);
    throw new GuardUnavailable(
      `A guard that keeps turns of an older version (process ${pid}) takes connections at ${path} and answered nothing within ${CONNECT_MS / 1000} s.\nNothing was started.\nLet it go on with: kill -CONT ${pid}    or end it, which ends no turn: kill -KILL ${pid}`,
    );
  }

  /** Whoever comes to a pool that was closed leaves no connection behind. */
  private refuseIfClosed(connection: GuardConnection | null): void {
    if (!this.isClosed) return;
    connection?.close();
    throw new DetachedError('this process let go of its guards');
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
    this.refuseIfClosed(connection);
    if (connection === null) {
      await startGuard(this.start);
      return null;
    }
    const isRight = await unlessSilent(connection, until, async () => {
      const hello = await connection.request({ op: 'hello', version: this.version });
      if (hello.kind === 'hello' && hello.version >= this.version) return true;
      await connection.request({ op: 'retire' });
      return false;
    });
    if (isRight === true) return connection;
    connection.close();
    return null;
  }
}

/** Null: it is gone, or says nothing until then, as a guard does that was stopped or whose disk hangs: it takes the connection. */
async function unlessSilent<T>(connection: GuardConnection, until: number, ask: () => Promise<T>): Promise<T | null> {
  const timer = setTimeout(() => connection.close(), until - performance.now());
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ConnectionLost) return null;
    throw error;
  } finally {
    clearTimeout(timer);
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
