/**
 * What lies in the person's checkout goes away in mid-run: the run's files, the folder above them, the repository itself, what is checked out.
 * The files are a projection and come back whole; the checkout is the person's; a repository that is away is named, and a run goes on with it once it is back.
 */
import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeOf } from '../../config/system/error-code.js';
import { openGate } from '../support/decide-gates.js';
import {
  endOf,
  type HeldRun,
  holdRun,
  type Moment,
  openRoomyHost,
  PLAIN_END,
  tracesAfter,
} from '../support/held-run.js';
import { openedOnce } from '../support/opened.js';
import { livingTurns, type RunTraces } from '../support/run-traces.js';
import { sideBySide } from '../support/side-by-side.js';
import type { TestRepository } from '../support/test-repository.js';

const LIMIT_MS = 240_000;

const elsewhere = ({ repository }: HeldRun) => join(dirname(repository.path), 'elsewhere');

const FILES = {
  'its runs directory in a turn': ['in a turn', ({ run }) => remove(dirname(run.runDir))],
  'its runs directory at a gate': ['at a gate', ({ run }) => remove(dirname(run.runDir))],
  'its own folder in a validation': ['in a validation', ({ run }) => remove(run.runDir)],
  'its own folder between two turns': ['between two turns', ({ run }) => remove(run.runDir)],
  'events.jsonl at a gate': ['at a gate', ({ run }) => remove(join(run.runDir, 'events.jsonl'))],
  'state.json in a turn': ['in a turn', ({ run }) => remove(join(run.runDir, 'state.json'))],
  'all of .sluice in a turn': ['in a turn', ({ repository }) => remove(join(repository.path, '.sluice'))],
} as const satisfies Record<string, Case>;

const LINKED = {
  '.sluice, for a symlink to elsewhere': [
    'in a turn',
    (held) => {
      const folder = join(held.repository.path, '.sluice');
      remove(folder);
      mkdirSync(elsewhere(held));
      symlinkSync(elsewhere(held), folder);
    },
  ],
} as const satisfies Record<string, Case>;

const CHECKOUT = {
  'is switched, and is dirty, in a turn': [
    'in a turn',
    ({ repository }) => {
      repository.git('checkout', '--quiet', '-b', 'other');
      dirty(repository);
    },
  ],
  'is dirty in a validation': ['in a validation', ({ repository }) => dirty(repository)],
  'is reset, and its base branch moved on, at a gate': [
    'at a gate',
    ({ repository }) => {
      repository.git('commit', '--quiet', '--allow-empty', '-m', 'more');
      repository.git('reset', '--quiet', '--hard', 'main~1');
      repository.git('commit', '--quiet', '--allow-empty', '-m', 'other');
    },
  ],
} as const satisfies Record<string, Case>;

const CASES = { ...FILES, ...LINKED, ...CHECKOUT };

type Case = readonly [Moment, (held: HeldRun) => unknown];
type Name = keyof typeof CASES;

interface Ended {
  readonly held: HeldRun;
  readonly traces: Omit<RunTraces, 'living'>;
  /** Of the person's checkout, after the fault and at the end. */
  readonly checkouts: readonly [string, string];
}

/** Staged, unstaged, untracked and stashed. */
function dirty({ write, git }: TestRepository): void {
  write('a.txt', 'stashed\n');
  git('stash', '--quiet');
  write('staged.txt', 'staged\n');
  git('add', 'staged.txt');
  write('a.txt', 'unstaged\n');
  write('untracked.txt', 'untracked\n');
}

function checkoutOf({ git }: TestRepository): string {
  const index = git('ls-files', '--stage');
  return [
    git('status', '--porcelain=v2', '--branch', '--show-stash', '--', ':!.sluice'),
    git('diff'),
    index,
    git('stash', 'list'),
  ].join('\n');
}

const host = openedOnce(openRoomyHost);

describe('a run whose checkout changes under it', () => {
  let runs: ReadonlyMap<Name, Promise<Ended>>;
  const ended = async (name: Name): Promise<Ended> => {
    const run = await runs.get(name);
    if (run === undefined) throw new Error(name);
    return run;
  };

  beforeAll(() => {
    runs = sideBySide(Object.keys(CASES) as Name[], 5, async (name) => {
      const [moment, fault] = CASES[name];
      const held = await holdRun(host, moment, { attended: false });
      fault(held);
      const before = checkoutOf(held.repository);
      const traces = await endOf(host, held);
      return { held, traces, checkouts: [before, checkoutOf(held.repository)] };
    });
  });
  afterAll(() => Promise.allSettled(runs.values()), LIMIT_MS);

  it.each(Object.keys(FILES) as (keyof typeof FILES)[])(
    'and that loses %s ends as it would have, with a whole journal, state and report',
    async (name) => {
      const { held, traces } = await ended(name);

      expect(traces).toMatchObject(PLAIN_END);
      const events = held.run.events();
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect([events[0]?.type, events.at(-1)?.type]).toEqual(['run.created', 'run.completed']);
      expect(JSON.parse(held.run.read('state.json'))).toMatchObject({ status: 'merge_ready', seq: events.length });
      expect(held.run.read('report.md')).toContain('a.txt');
      expect(held.repository.git('status', '--porcelain', '--', '.sluice/runs')).toBe('');
    },
    LIMIT_MS,
  );

  it(
    'and that loses .sluice, for a symlink to elsewhere, ends as it would have; the link stays, and nothing is written through it',
    async () => {
      const { held, traces } = await ended('.sluice, for a symlink to elsewhere');

      expect(await held.run.result()).toMatchObject({ outcome: 'merge_ready', error: null });
      expect({ agents: traces.agents, commits: traces.commits }).toEqual({ agents: PLAIN_END.agents, commits: 1 });
      expect(readlinkSync(join(held.repository.path, '.sluice'))).toBe(elsewhere(held));
      expect(readdirSync(elsewhere(held))).toEqual([]);
    },
    LIMIT_MS,
  );

  it.each(Object.keys(CHECKOUT) as (keyof typeof CHECKOUT)[])(
    'because it %s ends as it would have, and the checkout is the person’s as they left it',
    async (name) => {
      const { held, traces, checkouts } = await ended(name);

      expect(traces).toMatchObject({ outcome: 'merge_ready', agents: PLAIN_END.agents });
      expect(held.repository.git('rev-parse', `${held.branch}~1`).trim()).toBe(held.baseSha);
      expect(checkouts[1]).toBe(checkouts[0]);
    },
    LIMIT_MS,
  );
});

describe('a run whose repository is moved away', () => {
  const away = ({ repository }: HeldRun) => `${repository.path}.away`;
  const moveAway = (held: HeldRun) => renameSync(held.repository.path, away(held));
  const GONE = /the repository \S+\/repository\/\.git is gone/;

  it.each(['in a turn', 'in a validation', 'at a gate'] as const)(
    '%s says so at a gate, makes no folder in its place, and goes on once it is back',
    async (moment) => {
      const held = await holdRun(host, moment, { attended: true });
      moveAway(held);
      await held.letGo();
      const gate = await openGate(held.run, moment === 'at a gate' ? 1 : 0);

      expect(gate.reason).toMatch(GONE);
      expect(existsSync(held.repository.path)).toBe(false);
      renameSync(away(held), held.repository.path);
      await held.run.handle.executeUpdate('approve', { args: [{ gate: gate.id }] });
      const traces = await tracesAfter(host, held);
      expect(traces).toMatchObject({ outcome: 'merge_ready', commits: 1 });
      expect(traces.agents.filter((line) => line === 'executing START')).toHaveLength(moment === 'in a turn' ? 2 : 1);
      expect(traces.journal).toEqual(expect.arrayContaining(['run.created', 'run.completed']));
    },
    LIMIT_MS,
  );

  it.each([
    ['in a turn', { outcome: 'blocked', blockedReason: 'repository_changed' }],
    ['at a gate', { outcome: 'blocked', blockedReason: 'repository_changed' }],
    // The next thing is its validation, which no gate stands before.
    ['between two turns', { outcome: 'failed', blockedReason: null }],
  ] as const)(
    '%s and is attended by nobody ends, names what is gone, and makes no folder in its place',
    async (moment, end) => {
      const held = await holdRun(host, moment, { attended: false });
      moveAway(held);
      await held.letGo();

      const result = await held.run.result();

      expect(result).toMatchObject(end);
      expect(result.error).toMatch(GONE);
      expect(existsSync(held.repository.path)).toBe(false);
      expect(readdirSync(away(held))).toContain('a.txt');
    },
    LIMIT_MS,
  );

  it('leaves nothing alive', () => expect(livingTurns(host.home)).toEqual([]), LIMIT_MS);
});

/** The host may be writing into it; what is retried for node is the folder alone, and not what came into it. */
function remove(path: string): void {
  for (;;) {
    try {
      rmSync(path, { recursive: true });
      return;
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY') throw error;
    }
  }
}
