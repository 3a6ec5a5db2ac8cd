/**
 * A home whose engine, worker and guard obey failpoint orders, with a repository for each run. It is brought up as `sluice up` does, so everything that
 * is killed comes back by the engine's own means; only a dead engine is brought up again from here, as a person would.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { connectProcesses } from '../../../activities/process/processes.js';
import { ensureHome } from '../../../config/home/home.js';
import { addRepository } from '../../../config/home/host-list.js';
import { trustConfig } from '../../../config/home/trust.js';
import { sendSignal } from '../../../config/system/send-signal.js';
import { RedactingCodec } from '../../../wire/redacting-codec.js';
import { ensureEngine } from '../../../worker/local-engine/control/ensure-engine.js';
import { stopEngine } from '../../../worker/local-engine/control/stop-engine.js';
import { endProcessesOf } from '../../mutants/stray-processes.js';
import { holdOpen, isEnding, never, waitIfEnding } from '../../support/close-at-end.js';
import { guardPid } from '../../support/guard-pid.js';
import { makeRepository, type RepositoryOptions, type TestRepository } from '../../support/test-repository.js';
import type { Cell, Passage } from './cells.js';
import { SCENARIO } from './scenario.js';

const ROLES = ['engine', 'server', 'worker'] as const;

export interface ChaosHome {
  readonly home: string;
  /** Brings the engine up where it is not; answers a client of it. */
  up(): Promise<Client>;
  down(): Promise<void>;
  /** A repository of its own for each run of the scenario `run`, or as the options say. */
  repository(options?: RepositoryOptions): Promise<TestRepository>;
  /** For the repositories' own files and those of a person. */
  readonly folder: string;
  /** The points fire each once, in whatever order they come by. */
  arm(cells: readonly Cell[]): void;
  /** From now on points are noted, not obeyed. */
  record(): void;
  disarm(): void;
  hasFired(cell: Cell): boolean;
  passages(): readonly Passage[];
  pid(role: (typeof ROLES)[number]): number | null;
  close(): Promise<void>;
}

const DOOMED = (role: string) => fileURLToPath(new URL(`../${role}-with-failpoint.mjs`, import.meta.url));

/** As built: from the sources their own entries would be sought beside them, uncompiled. */
const BUILT = {
  engineCommand: [
    process.execPath,
    fileURLToPath(new URL('../../../dist/worker/local-engine/main.js', import.meta.url)),
  ],
  workerCommand: [process.execPath, fileURLToPath(new URL('../../../dist/worker/main.js', import.meta.url))],
} as const;

const BUILT_GUARD = fileURLToPath(new URL('../../../dist/activities/process/guard/main.js', import.meta.url));

let homes = 0;

export interface ChaosHomeOptions {
  /** False: the processes as they are shipped, for which nothing can be armed. */
  readonly obeys: boolean;
}

/** Works in one home after the other until it is `done`; one that something went wrong in (`spoilt`) is given up. Closes what it opened. */
export async function inHomes(
  options: ChaosHomeOptions,
  work: (place: ChaosHome) => Promise<'more' | 'spoilt' | 'done'>,
): Promise<void> {
  for (let next: 'spoilt' | 'done' = 'spoilt'; next === 'spoilt'; ) {
    await waitIfEnding();
    const place = openChaosHome(options);
    try {
      let state = await work(place);
      while (state === 'more') state = await work(place);
      next = state;
    } finally {
      await place.close();
    }
  }
}

export function openChaosHome({ obeys }: ChaosHomeOptions): ChaosHome {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chaos-'));
  const home = ensureHome(join(folder, 'home')).root;
  // Homes side by side look for free ports in ranges of their own, below those that the system gives to whoever connects.
  homes += 1;
  const port = 20_000 + ((process.pid * 37 + homes * 211) % 12_000);
  const guardMain = obeys ? DOOMED('guard') : BUILT_GUARD;
  const file = (name: string) => join(home, name);
  let connection: Connection | null = null;
  let repositories = 0;
  let armed: ReadonlyMap<Cell, string> = new Map();
  const order = (content: object | null) => {
    // A landing has an execution in each cell, whose activities are counted from its beginning.
    for (const name of ['failpoint.json', 'fired', 'failpoints.log', 'activities.log'])
      rmSync(file(name), { force: true });
    if (content !== null) writeFileSync(file('failpoint.json'), JSON.stringify(content));
  };
  let isClosing = false;
  let rising: Promise<unknown> = Promise.resolve();
  const bringUp = async () => {
    const engine = await ensureEngine({
      home,
      ports: { server: port, ui: port + 100 },
      ...(obeys
        ? { engineCommand: [process.execPath, DOOMED('engine')], workerCommand: [process.execPath, DOOMED('worker')] }
        : BUILT),
    });
    const former = connection;
    connection = await Connection.connect({ address: engine.address });
    // Not before: where a start fails half-way, whoever works here goes on with the client that they have.
    await former?.close();
    return new Client({
      connection,
      namespace: engine.namespace,
      dataConverter: { payloadCodecs: [new RedactingCodec()] },
    });
  };
  return {
    home,
    folder,
    up() {
      // An engine that came up meanwhile would outlive its home.
      if (isClosing) return never<Client>();
      const up = bringUp();
      rising = up.catch(() => undefined);
      return up;
    },
    down: () => downWith({ home, guardMain, now: false }),
    async repository(options = SCENARIO) {
      repositories += 1;
      const place = join(folder, `r${repositories}`);
      mkdirSync(place);
      const repository = makeRepository(place, options);
      await addRepository(home, repository.path);
      await trustConfig(home, repository.path, repository.configText);
      return repository;
    },
    arm(cells) {
      armed = new Map(cells.map((cell) => [cell, randomUUID()]));
      order(
        cells.map(({ point: { name, where, nth }, fault }, n) => ({
          id: [...armed.values()][n],
          name,
          nth,
          fault,
          ...(where === null ? {} : { where }),
        })),
      );
    },
    record: () => order({ record: true }),
    disarm: () => order(null),
    hasFired: (cell) =>
      existsSync(file('fired')) && readFileSync(file('fired'), 'utf8').includes(armed.get(cell) ?? 'never armed'),
    passages: () => linesOf(file('failpoints.log')),
    pid: (role) => pidIn(file('engine.json'), role),
    close: holdOpen(async () => {
      isClosing = true;
      // One that is stopped would hear of nothing.
      for (const pid of [...ROLES.map((role) => pidIn(file('engine.json'), role) ?? 0), guardPid(home)])
        if (pid > 0) sendSignal(pid, 'SIGCONT');
      await rising;
      order(null);
      await connection?.close();
      await downWith({ home, guardMain, now: true });
      // Idle and alone it would end itself some seconds later.
      endProcess(guardPid(home));
      // After a signal those who work here still do, and may have started more.
      if (isEnding()) endProcessesOf(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }),
  };
}

/** As `sluice down`, whose guard, where it must start one, would obey nothing. */
async function downWith({ home, guardMain, now }: { home: string; guardMain: string; now: boolean }): Promise<void> {
  const processes = await connectProcesses({ home, orphanGraceMs: 60_000, durability: 'process', guardMain });
  const endTurns = async () => {
    for (const { group } of await processes.live()) await processes.endGroup(group, 'interrupted');
  };
  try {
    await stopEngine(home, { now, liveTurns: async () => (await processes.live()).length, endTurns });
  } finally {
    await processes.close();
  }
}

/** Nothing where it is gone already. */
function endProcess(pid: number): void {
  if (pid > 0) sendSignal(pid, 'SIGKILL');
}

function linesOf(path: string): readonly Passage[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Passage); // Written by file-failpoint.mjs.
}

function pidIn(path: string, role: string): number | null {
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, { pid?: number } | null>>; // The engine's own file.
    return state[role]?.pid ?? null;
  } catch {
    return null;
  }
}
