/** What list, status, logs and watch say of one run is the same: in every state, open and closed, with the engine up and down. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSluice } from '../../client/sluice.js';
import { type CliRepository, GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

let world: CliWorld;
let repository: CliRepository;

const sluice = (...args: readonly string[]) => world.sluice(args, { cwd: repository.path });

/** What each run came to, as people would say it; the words of `sluice list`. */
const STATES = {
  ready: 'ready',
  merged: 'merged',
  cleaned: 'merged',
  blocked: 'blocked',
  failed: 'failed',
  aborted: 'aborted',
  refused: 'refused',
  waits: 'waits',
  paused: 'paused',
  works: 'works',
} as const;

type Name = keyof typeof STATES;
const NAMES = Object.keys(STATES) as readonly Name[];
const OPEN: readonly Name[] = ['waits', 'paused', 'works'];

async function startAll(): Promise<void> {
  const good = world.script('good', GOOD_AGENT);
  const bad = world.script('bad', 'cat > /dev/null; echo no >&2; exit 1');
  const slow = world.script('slow', 'cat > /dev/null; sleep 600');
  const start = (name: Name, agent: string, ...options: readonly string[]) =>
    sluice('run', `be ${name}`, '--run-id', name, ...options, '--agent', 'command', '--', agent);
  await Promise.all([
    ...(['ready', 'merged', 'cleaned'] as const).map((name) => start(name, good)),
    start('failed', bad),
    start('blocked', good, '--gate', 'executing', '--unattended'),
    start('waits', good, '--gate', 'planning', '--attended', '--detach'),
    ...(['paused', 'works', 'aborted'] as const).map((name) => start(name, slow, '--detach')),
  ]);
  const { address } = JSON.parse(readFileSync(join(world.home, 'engine.json'), 'utf8')) as { address: string };
  await using client = await createSluice({ address, dataConverter: {} });
  await client.startRun({ runId: 'refused', input: { task: 'be refused', repo: repository.path, base: 'nowhere' } });
}

async function bringAbout(): Promise<void> {
  for (const name of ['merged', 'cleaned']) repository.git('merge', '--quiet', '--no-edit', `sluice/${name}`);
  await sluice('pause', 'paused');
  await until(async () => (await statusOf('waits')).waiting === 'approval');
  await until(async () => (await statusOf('works')).status === 'planning');
  expect((await sluice('abort', 'aborted', '--wait')).code).toBe(0);
  expect((await sluice('clean', 'cleaned', '--yes')).code).toBe(0);
  await until(async () => (await wordsOfList()).get('refused') === 'refused');
}

interface Told {
  readonly status: string | null;
  readonly outcome: string | null;
  readonly waiting: string | null;
  readonly refused: boolean;
  readonly merge: string | null;
  readonly cleaned: boolean;
  readonly pauseRequested: boolean;
}

async function statusOf(name: string): Promise<Told> {
  const [told = {}] = jsonLines((await sluice('status', name, '--json')).stdout);
  const waiting = told['waiting'] as { readonly kind: string } | null | undefined;
  return { ...(told as unknown as Told), waiting: waiting?.kind ?? null };
}

/** By the cells of a pipe. */
async function wordsOfList(): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await sluice('list');
  return new Map(stdout.split('\n').map((line) => line.split('\t').slice(0, 2) as [string, string]));
}

/** What the same run is by its status alone. */
function wordOf({ status, outcome, waiting, refused, merge, pauseRequested }: Told): string {
  if (refused) return 'refused';
  if (merge === 'merged') return 'merged';
  if (outcome !== null) return outcome === 'merge_ready' ? 'ready' : outcome;
  if (status === 'paused' || pauseRequested) return 'paused';
  return waiting === null ? 'works' : 'waits';
}

async function lastStatusInLogs(name: Name): Promise<unknown> {
  const events = jsonLines((await sluice('logs', name, '--json')).stdout);
  const moved = events.findLast(({ type }) => type === 'state.changed');
  return (moved?.['data'] as { readonly to?: unknown } | undefined)?.to;
}

beforeAll(async () => {
  world = openCliWorld();
  repository = world.repository();
  await world.sluice(['up']);
  await startAll();
  await bringAbout();
}, 300_000);
afterAll(() => world.close(), 120_000);

interface Gathered {
  readonly status: Told;
  readonly logged: unknown;
  /** The last object of watch; of a closed run only. */
  readonly ended: Record<string, unknown> | undefined;
}

async function gather(name: Name): Promise<readonly [Name, Gathered]> {
  const isClosed = !OPEN.includes(name) && name !== 'refused';
  const [status, logged, watched] = await Promise.all([
    statusOf(name),
    name === 'refused' ? null : lastStatusInLogs(name),
    isClosed ? sluice('watch', name, '--json') : null,
  ]);
  return [name, { status, logged, ended: watched === null ? undefined : jsonLines(watched.stdout).at(-1) }];
}

describe.each(['up', 'down'])('with the engine %s', (engine) => {
  /** A start that was refused is known to its server alone. */
  const names = NAMES.filter((name) => engine === 'up' || name !== 'refused');
  let words: ReadonlyMap<string, string>;
  let gathered: ReadonlyMap<Name, Gathered>;

  beforeAll(async () => {
    if (engine === 'down') expect((await sluice('down', '--now')).code).toBe(0);
    words = await wordsOfList();
    gathered = new Map(await Promise.all(names.map(gather)));
  }, 300_000);

  it('list says what each run is', () => {
    // One that works at its first stage is paused at the next.
    const known = names.filter((name) => name !== 'paused');

    expect(known.map((name) => [name, words.get(name)])).toEqual(known.map((name) => [name, STATES[name]]));
  });

  it('status says the same of each, and of the one that pauses that it will', () => {
    expect(names.map((name) => [name, wordOf(statusIn(name))])).toEqual(names.map((name) => [name, STATES[name]]));
    expect(names.filter((name) => statusIn(name).cleaned)).toEqual(['cleaned']);
  });

  it('logs end with the status of each', () => {
    const logged = names.filter((name) => name !== 'refused');

    expect(logged.map((name) => [name, gathered.get(name)?.logged])).toEqual(
      logged.map((name) => [name, statusIn(name).status]),
    );
  });

  it('watch tells the outcome of each that is closed', () => {
    const closed = names.filter((name) => !OPEN.includes(name) && name !== 'refused');

    expect(closed.map((name) => [name, gathered.get(name)?.ended])).toMatchObject(
      closed.map((name) => [name, { kind: 'ended', outcome: statusIn(name).outcome }]),
    );
  });

  it('and a refused start is told alike by watch and status, or known to nobody', async () => {
    const [watched, told] = await Promise.all([sluice('watch', 'refused'), sluice('status', 'refused')]);

    expect([watched.code, watched.stderr]).toEqual([
      1,
      expect.stringContaining(engine === 'up' ? 'nowhere' : 'no run'),
    ]);
    expect(`${told.stdout}${told.stderr}`).toContain(engine === 'up' ? 'nowhere' : 'no run');
  });

  function statusIn(name: Name): Told {
    const found = gathered.get(name);
    if (found === undefined) throw new Error(`nothing is told of ${name}`);
    return found.status;
  }
});
