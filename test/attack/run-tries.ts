/** Carries the tries of a planned run out through the real engine, and judges each by what can be seen from outside afterwards. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { guardPid } from '../support/guard-pid.js';
import type { TestRun } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';
import { aftermathOf, textOf } from './aftermath.js';
import { expand, type Facts } from './facts.js';
import { type Look, lookAsPerson } from './person-look.js';
import { type PlannedRun, stagesOf } from './plan-runs.js';
import { endOf, lacksProgram, type RunEnd } from './run-end.js';
import { type Aftermath, type Expected, type Setting, type Try, type Word, wordOf } from './try.js';
import { peakOf, type World } from './world.js';

const AGENT = readFileSync(fileURLToPath(new URL('agent.mjs', import.meta.url)), 'utf8');

const TRIED_LIMIT_MS = 240_000;

const LOOK_AGAIN_MS = 150;

export interface Judged {
  readonly id: string;
  readonly setting: Setting;
  readonly expected: string;
  /** What it came to; `not tried` where the agent never began it, or nothing was there to begin it with. */
  readonly came: Word | 'not tried';
  readonly isAsExpected: boolean;
  /** For whoever looks why: the run, its outcome, what the try itself said. */
  readonly note: string;
}

export interface RunOutcome {
  readonly judged: readonly Judged[];
  readonly look: Look;
  /** What it did in place of an end, for people; null: it ended. */
  readonly broken: string | null;
}

export async function runTries(world: World, planned: PlannedRun): Promise<RunOutcome> {
  const { host, setting, worker } = world;
  const tag = `attack-${randomUUID().slice(0, 8)}`;
  const repository = await prepare(world, planned, tag);
  const facts = factsOf(world, repository, tag);
  const paths = new Map(planned.tries.map((one) => [one.id, pathOf(one, facts)] as const));
  commitTries(repository, planned, facts);
  const prints = new Map([...paths].map(([id, path]) => [id, fingerprint(path)]));
  const before = { deaths: worker.deaths(), peak: peakOf(worker.pid()) };
  const run = await host.startRun(repository, { runId: facts.RUN, attended: false });
  const { result, broken, loot } = await endWatched(run, planned);
  const workerGrew = worker.deaths() > before.deaths ? Number.POSITIVE_INFINITY : peakOf(worker.pid()) - before.peak;
  const { worktree } = await run.view().catch(() => ({ worktree: null }));
  const living = livingWith(tag);
  const obeyed = new Set(readdirSync(world.facts.MARKS));
  const printsAfter = new Map([...paths].map(([id, path]) => [id, fingerprint(path)]));
  const look = await lookAsPerson({ world, repository, worktree: worktree ?? '', planned });
  const after = aftermathOf({ world, run, repository, result, worktree: worktree ?? '', facts, workerGrew });
  const judged: Judged[] = [];
  for (const one of planned.tries) {
    const path = paths.get(one.id) ?? null;
    const errors = loot(`${one.id}.err`).trim();
    const seen: Seen = {
      world,
      after: { ...after, loot: loot(one.id) },
      living,
      obeyed,
      isOther: prints.get(one.id) !== printsAfter.get(one.id),
      ledger: loot('ledger.jsonl'),
      errors,
    };
    const came = await wordFor(one, seen);
    const expected: Expected = one[setting] ?? 'held S1';
    const note = `${planned.name}: ${result.outcome}${result.error === null ? '' : ` (${result.error})`}; ${errors.slice(-300)}`;
    judged.push({ id: one.id, setting, expected, came, isAsExpected: came === wordOf(expected), note });
    if (path !== null && !path.startsWith(host.folder) && prints.get(one.id) === 'none') rmSync(path, { force: true });
  }
  endAll(living.map(({ pid }) => pid));
  return { judged, look, broken };
}

/** As the agent says it: no tag is the beginning of another. */
const tagOf = ({ TAG }: Facts, id: string): string => `${TAG}.${id}.`;

function factsOf({ facts, worker, host }: World, { path }: TestRepository, tag: string): Facts {
  const token = ['ghp', randomBytes(18).toString('hex')].join('_');
  // Worker and guard may be others by now.
  return {
    ...facts,
    WORKER: String(worker.pid()),
    GUARD: String(guardPid(host.home)),
    REPO: path,
    RUN: `run-${tag}`,
    TAG: tag,
    TOKEN: token,
  };
}

interface Seen {
  readonly world: World;
  readonly after: Aftermath;
  readonly living: readonly { readonly pid: number; readonly text: string }[];
  readonly obeyed: ReadonlySet<string>;
  /** What the effect names is not as it was. */
  readonly isOther: boolean;
  readonly ledger: string;
  /** What the shell of the try said. */
  readonly errors: string;
}

async function wordFor(one: Try, given: Seen): Promise<Judged['came']> {
  if (!given.ledger.includes(`"id":"${one.id}"`)) return 'not tried';
  if (await hasEffect(one, given)) return 'documented';
  if (one.said?.test(given.after.told) === true) return 'refused';
  return lacksProgram(given.errors) ? 'not tried' : 'held';
}

function hasEffect({ id, effect }: Try, { world, after, living, obeyed, isOther }: Seen): boolean | Promise<boolean> {
  switch (effect.kind) {
    case 'made':
    case 'changed':
      return isOther;
    case 'loot':
      return after.loot.includes(world.secrets[effect.secret]);
    case 'called':
      return world.listeners.heard(effect.at, tagOf(after.facts, id));
    case 'lives':
      return living.some(({ text }) => text.includes(tagOf(after.facts, id)));
    case 'started':
      return existsSync(join(world.facts.MARKS, tagOf(after.facts, id)));
    case 'obeyed':
      return obeyed.has(tagOf(after.facts, id));
    case 'seen':
      return effect.look(after);
  }
}

async function prepare({ host, secrets }: World, { config, files }: PlannedRun, tag: string): Promise<TestRepository> {
  const ignored = 'loot/\nnode_modules/\n*.log\n';
  const repository = await host.repository({
    config: config.replace('GIVEN_KEY: GIVEN', `GIVEN_KEY: ${secrets.given}`),
    files: { '.gitignore': ignored, 'hostile/agent.mjs': AGENT, 'hostile/tries.json': '{}', ...files },
  });
  repository.git('remote', 'add', 'origin', `https://ada:${secrets.remote}@example.invalid/${tag}.git`);
  mkdirSync(join(repository.path, 'node_modules'));
  writeFileSync(join(repository.path, 'node_modules/secret.txt'), `${secrets.checkout}\n`);
  return repository;
}

function commitTries(repository: TestRepository, { tries, turn }: PlannedRun, facts: Facts): void {
  const end = turn === 'abort' ? 'hang' : turn === 'fail' ? 'fail' : null;
  const told = tries.map(({ id, line, limitMs, answer }) => ({
    id,
    line,
    limitMs,
    answer,
    end,
    stages: stagesOf(turn),
  }));
  repository.write('hostile/tries.json', JSON.stringify({ facts, tries: told }));
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'second');
}

async function endWatched(run: TestRun, planned: PlannedRun): Promise<RunEnd & { loot: Loot }> {
  const watch = watchLoot(run);
  try {
    if (planned.turn === 'abort') await abortOnceTried(run, planned);
    return { ...(await endOf(run)), loot: await watch.end() };
  } finally {
    await watch.end();
  }
}

/** What the tries of a run wrote into one file of their loot, each line once. */
type Loot = (name: string) => string;

/** More of one is not kept. Unit: bytes. */
const MAX_LOOT_BYTES = 1_000_000;

/** Keeps it as it comes, and tells the agent so: it goes with a worktree that is made anew, and with a validation checkout when the run is over. */
function watchLoot(run: TestRun): { end(): Promise<Loot> } {
  const stop = new AbortController();
  const kept = new Map<string, Set<string>>();
  const look = (worktree: string) => {
    for (const folder of [worktree, `${worktree}+validation`].map((one) => join(one, 'loot'))) {
      const over = lastOf(folder);
      for (const name of namesIn(folder)) {
        const lines = kept.get(name) ?? new Set();
        for (const line of textOf(join(folder, name), MAX_LOOT_BYTES).split('\n')) lines.add(line);
        kept.set(name, lines);
      }
      if (over !== null) answer(folder, over);
    }
  };
  const watching = (async () => {
    while (!stop.signal.aborted) {
      const { worktree } = await run.view().catch(() => ({ worktree: null }));
      if (worktree !== null) look(worktree);
      await sleep(LOOK_AGAIN_MS, null, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return {
    async end() {
      stop.abort();
      await watching;
      const { worktree } = await run.view().catch(() => ({ worktree: null }));
      if (worktree !== null) look(worktree);
      return (name) => [...(kept.get(name) ?? [])].join('\n');
    },
  };
}

/** The last line of a ledger to which nothing more is written before it is answered; else null. */
function lastOf(folder: string): string | null {
  const last = textOf(join(folder, 'ledger.jsonl'), MAX_LOOT_BYTES).trimEnd().split('\n').at(-1) ?? '';
  return last.includes('"is":"over"') ? last : null;
}

function answer(folder: string, over: string): void {
  try {
    writeFileSync(join(folder, 'kept'), over);
  } catch {
    // A try may have put anything there.
  }
}

/** None of what is no folder: a try may have put anything there. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function abortOnceTried(run: TestRun, { tries }: PlannedRun): Promise<void> {
  const last = `"id":"${tries.at(-1)?.id}","is":"done"`;
  const end = performance.now() + TRIED_LIMIT_MS;
  while (performance.now() < end) {
    const { worktree } = await run.view().catch(() => ({ worktree: null }));
    if (worktree !== null && textOf(join(worktree, 'loot/ledger.jsonl')).includes(last)) break;
    await sleep(LOOK_AGAIN_MS);
  }
  await run.handle.executeUpdate('abort', { args: [{ by: 'ada' }] }).catch(async (error: unknown) => {
    // A limit of the run ended it first, which is an end as good.
    if ((await run.handle.describe()).status.name === 'RUNNING') throw error;
  });
}

function pathOf({ id, effect }: Try, facts: Facts): string | null {
  return effect.kind === 'made' || effect.kind === 'changed'
    ? expand(effect.path, { ...facts, TRY: id, TAGGED: tagOf(facts, id) })
    : null;
}

/** Kind, rights, content or target; folders by their names. */
function fingerprint(path: string | null): string {
  if (path === null) return '';
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'none';
  const kind = `${stat.mode} `;
  if (stat.isSymbolicLink()) return kind + readlinkSync(path);
  if (stat.isDirectory()) return kind + readdirSync(path).join(' ');
  return stat.isFile() ? kind + createHash('sha256').update(readFileSync(path)).digest('hex') : kind;
}

/** Whatever carries the tag in its environment or its command line, inside a sandbox too. Linux only. */
function livingWith(tag: string): { pid: number; text: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), text: `${procText(name, 'cmdline')} ${procText(name, 'environ')}` }))
    .filter(({ text }) => text.includes(tag));
}

function procText(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function endAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
