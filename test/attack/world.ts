/**
 * The world that a setting is attacked in: a real host with the built worker, a person's HOME with things worth stealing, another run that waits at its
 * gate, and what listens on the machine. All of it lies in one temp folder; every secret is random and of this world alone.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { listGuardSockets } from '../../activities/process/guard-sockets.js';
import { socketFolder } from '../../config/home/socket-folder.js';
import { attendedRun } from '../support/attended-run.js';
import { CLI } from '../support/cli-world.js';
import { guardPid } from '../support/guard-pid.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import type { WorldFacts } from './facts.js';
import { type Listeners, openListeners } from './listeners.js';
import type { SecretName, Setting } from './try.js';

const WORKER_MAIN = fileURLToPath(new URL('../../dist/worker/main.js', import.meta.url));

/** As a shell, an editor or a runner of jobs hands on what it has open: the folder of somebody's files, to read, and a file to write. */
// Bash, since dash knows descriptors of one figure only.
const WITH_FOREIGN = 'exec 60<"$ATTACK_FOREIGN" 61>>"$ATTACK_FOREIGN/written"; exec "$0" "$1"';

export interface World {
  readonly setting: Setting;
  readonly host: TestHost;
  readonly facts: WorldFacts;
  readonly secrets: Readonly<Record<SecretName, string>>;
  readonly listeners: Listeners;
  readonly worker: Worker;
  close(): Promise<void>;
}

export interface Worker {
  pid(): number;
  /** How often it ended though nobody asked it to. */
  deaths(): number;
}

export async function openWorld(setting: Setting): Promise<World> {
  const host = await openTestHost();
  const person = host.env['HOME'] ?? '';
  const secrets = Object.fromEntries(
    // All names of the type; the record is whole.
    NAMES.map((name) => [name, `${name}-${randomBytes(9).toString('hex')}`]),
  ) as Record<SecretName, string>;
  for (const [path, name] of Object.entries(PLACES)) write(join(host.folder, path), `${secrets[name]}\n`);
  write(join(person, '.config/sluice/config.yaml'), 'version: 1\nslots: 8\n');
  for (const name of ['marks', 'free']) mkdirSync(join(host.folder, name));
  const listeners = await openListeners(host.folder, secrets.server);
  const worker = await keepWorker(host, { ATTACK_FOREIGN: join(host.folder, 'foreign'), ATTACK_SECRET: secrets.env });
  const [victim, tagged, gated, doomed] = await Promise.all([0, 1, 2, 3].map(() => openVictim(host)));
  if (victim === undefined || tagged === undefined || gated === undefined || doomed === undefined)
    throw new Error('four were asked for');
  write(join(victim.worktree, 'secret.txt'), `${secrets.other}\n`);
  const startNeighbour = (env: Readonly<Record<string, string>>) =>
    spawn('sleep', ['3600'], { cwd: person, env, stdio: 'ignore' });
  const prey = startNeighbour({});
  const neighbour = startNeighbour({ NEIGHBOUR: secrets.neighbour });
  return {
    setting,
    host,
    secrets,
    listeners,
    worker,
    facts: {
      ...listeners.places,
      PERSON: person,
      SHOME: host.home,
      FOLDER: host.folder,
      MARKS: join(host.folder, 'marks'),
      VICTIM: victim.runId,
      OTHER: victim.worktree,
      TAGGED_GATE: tagged.runId,
      GATED: gated.runId,
      DOOMED: doomed.runId,
      WORKER: String(worker.pid()),
      GUARD: String(guardPid(host.home)),
      GUARDSOCK: listGuardSockets(socketFolder(host.home))[0] ?? '',
      ADDRESS: host.address,
      NAMESPACE: host.namespace,
      TEMPORAL: process.env['SLUICE_TEMPORAL_CLI'] ?? '',
      CLI,
      NEIGHBOUR: String(neighbour.pid),
      PREY: String(prey.pid),
      DIST: dirname(dirname(WORKER_MAIN)),
    },
    async close() {
      for (const one of [neighbour, prey]) one.kill('SIGKILL');
      await worker.end();
      await listeners.close();
      // Deeper than node can name; the host removes the rest.
      spawnSync('rm', ['-rf', join(host.home, 'worktrees')]);
      await host.close();
    },
  };
}

const NAMES: readonly SecretName[] = [
  'ssh',
  'gh',
  'netrc',
  'checkout',
  'home',
  'other',
  'env',
  'remote',
  'descriptor',
  'person',
  'server',
  'neighbour',
  'given',
];

/** Below the folder of the host. */
const PLACES: Readonly<Record<string, SecretName>> = {
  'person/.ssh/id_rsa': 'ssh',
  'person/.config/gh/hosts.yml': 'gh',
  'person/.netrc': 'netrc',
  'person/notes.txt': 'person',
  'home/secret.txt': 'home',
  'foreign/notes.txt': 'descriptor',
};

/** A run that waits at its gate. */
async function openVictim(host: TestHost): Promise<{ runId: string; worktree: string }> {
  const { run, gate } = await attendedRun(host, {
    config: 'stageList: [executing, reviewing, verifying]\ngates:\n  stages: [reviewing]\n',
  });
  await gate();
  const { worktree } = await run.view();
  if (worktree === null) throw new Error('the other run has no worktree');
  return { runId: run.runId, worktree };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The built worker, with descriptors of its starter open. One that dies is started again, as the local engine does it. */
async function keepWorker(
  host: TestHost,
  extra: Readonly<Record<string, string>>,
): Promise<Worker & { end(): Promise<void> }> {
  let [deaths, isEnding] = [0, false];
  let child: ChildProcess;
  let gone: Promise<void>;
  const start = async (): Promise<void> => {
    const next = spawn('bash', ['-c', WITH_FOREIGN, process.execPath, WORKER_MAIN], {
      env: { ...host.env, ...extra },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child = next;
    gone = new Promise((resolve) => next.once('exit', () => resolve()));
    void gone.then(() => {
      if (isEnding) return;
      deaths += 1;
      void start().catch(() => undefined);
    });
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: next.stdout }).on('line', (line) => line.includes('"ready"') && resolve());
      void gone.then(() => reject(new Error('the worker ended before it was ready')));
    });
  };
  await start();
  return {
    pid: () => child.pid ?? 0,
    deaths: () => deaths,
    async end() {
      isEnding = true;
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Bytes; 0 for one that is gone. Source: proc(5), VmHWM. */
export function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
