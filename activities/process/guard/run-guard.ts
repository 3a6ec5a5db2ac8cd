/**
 * The guard: one small process per home that owns agents and commands and outlives workers (docs/decisions/0001-guard-owns-processes.md).
 * It tends what it started or adopted, ends everything when no worker came for `orphanGraceMs` or its home is removed, and itself when idle and alone.
 */
import { renameSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { openSocketFolder } from '../../../config/home/socket-folder.js';
import { codeOf } from '../../../config/system/error-code.js';
import { sendSignal } from '../../../config/system/send-signal.js';
import type { Failpoint } from '../../../protocol/failpoints.js';
import { GUARD_SOCKET, listGuardSockets, nameRetiredSocket, pidOfRetired } from '../guard-sockets.js';
import type { Durability } from '../marks.js';
import { PROTOCOL_VERSION } from '../wire.js';
import { WATCH_MS } from './command.js';
import { openCommandList } from './command-list.js';
import { type Commands, createCommands } from './commands.js';
import { takeGuardLock } from './guard-lock.js';
import { createGuardLog, type GuardLog } from './guard-log.js';
import { serveConnection } from './guard-server.js';
import { createLimitMarks } from './limit-mark.js';
import { createProcessTable } from './process-table.js';

export interface GuardOptions {
  readonly home: string;
  readonly orphanGraceMs: number;
  readonly durability: Durability;
  readonly failpoint: Failpoint;
  /** Without a worker and without a command the guard ends itself after this time. */
  readonly idleGraceMs?: number;
  readonly version?: number;
}

/** The first line on stdout: `ready`, or `taken` if another guard lives. */
export type FirstAnswer = 'ready' | 'taken';

const IDLE_GRACE_MS = 5000;
const ADOPT_MS = 1000;

/** Runs until nothing is left to do. Errors: those of a home that cannot be used. */
export async function runGuard(options: GuardOptions): Promise<void> {
  process.umask(0o077);
  const folder = openSocketFolder(options.home);
  const lock = await takeGuardLock(options.home);
  if (lock === null) {
    answerFirst('taken');
    return;
  }
  const { durability, failpoint } = options;
  failpoint('guard.start-locked');
  const log = createGuardLog(join(options.home, 'guard.log'));
  const list = openCommandList(options.home, { durability, log });
  const commands = createCommands({
    table: createProcessTable(),
    durability,
    failpoint,
    log,
    list,
    marks: createLimitMarks(),
  });
  const socket = createOwnSocket(folder, lock, log);
  const server = createServer();
  const clients = countClients(server);
  const { isRetired, retire } = socket;
  const version = options.version ?? PROTOCOL_VERSION;
  server.on('connection', (peer) => serveConnection(peer, { commands, log, version, isRetired, retire }));
  commands.adoptOrphans();
  failpoint('guard.start-adopted');
  removeDeadSockets(folder);
  await listen(server, socket.path());
  failpoint('guard.start-listening');
  log('started');
  answerFirst('ready');
  const why = await untilNothingIsLeft({ commands, clients, options, isRetired });
  // Nothing is written into a home that is being removed.
  if (why !== null) log(why);
  failpoint('guard.stop-decided');
  // Before the lock falls with this process: afterwards the path may be the next guard's.
  rmSync(socket.path(), { force: true });
  failpoint('guard.stop-silent');
  process.exit(0);
}

interface OwnSocket {
  readonly path: () => string;
  readonly isRetired: () => boolean;
  /** Leaves its place to the next guard and answers its clients from aside. */
  readonly retire: () => Promise<void>;
}

function createOwnSocket(folder: string, lock: { release(): Promise<void> }, log: GuardLog): OwnSocket {
  let path = join(folder, GUARD_SOCKET);
  let retired = false;
  const retire = async (): Promise<void> => {
    if (retired) return;
    const aside = join(folder, nameRetiredSocket(process.pid));
    renameSync(path, aside);
    path = aside;
    retired = true;
    await lock.release();
    log('retired: keeps its commands, starts no more');
  };
  return { path: () => path, isRetired: () => retired, retire };
}

interface Household {
  readonly commands: Commands;
  readonly clients: () => number;
  readonly options: GuardOptions;
  readonly isRetired: () => boolean;
}

/** Watches limits, adoption, orphans and idleness on one timer. Answers why it ends; null: with its home. */
function untilNothingIsLeft({ commands, clients, options, isRetired }: Household): Promise<string | null> {
  let aloneSince = performance.now();
  let adoptedAt = performance.now();
  let homeIsGone = false;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      for (const command of commands.all()) command.watch();
      if (!isRetired() && now - adoptedAt >= ADOPT_MS) {
        adoptedAt = now;
        homeIsGone ||= !adoptInHome(commands);
      }
      if (clients() > 0) aloneSince = now;
      const aloneMs = now - aloneSince;
      if (homeIsGone || aloneMs >= options.orphanGraceMs) {
        for (const command of commands.all()) void command.end('interrupted');
      }
      const isDone = homeIsGone || isRetired() || aloneMs >= (options.idleGraceMs ?? IDLE_GRACE_MS);
      if (commands.isEmpty() && isDone) {
        clearInterval(timer);
        resolve(homeIsGone ? null : isRetired() ? 'ended: retired and empty' : 'ended: idle and alone');
      }
    }, WATCH_MS);
  });
}

/** False: the home was removed. No later guard would find what runs there now, so it ends with its home. */
function adoptInHome(commands: Commands): boolean {
  try {
    commands.adoptOrphans();
    return true;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return false;
  }
}

function countClients(server: Server): () => number {
  let clients = 0;
  server.on('connection', (socket) => {
    clients += 1;
    socket.once('close', () => {
      clients -= 1;
    });
  });
  return () => clients;
}

async function listen(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    // It listens on: an error of later, such as of a connection for which no descriptor is left, ends nothing.
    server.on('error', reject);
    server.listen(path, resolve);
  });
}

/** Sockets of retired guards whose process is gone. */
function removeDeadSockets(folder: string): void {
  for (const path of listGuardSockets(folder)) {
    const pid = pidOfRetired(path);
    if (pid > 0 && sendSignal(pid, 0) === 'gone') rmSync(path, { force: true });
  }
}

/** Whoever started the guard reads this line and then closes the pipe. */
function answerFirst(answer: FirstAnswer): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.stdout.write(`${answer}\n`);
}
