/**
 * What a turn may not do, judged over a kill: V-127, V-128 and V-101 with SIGKILL between the marks of a turn, where a judgement, a roll-back or
 * a redaction could be lost or made twice. Each cell has a host of its own and counts only if its failpoint fired.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import type { FailpointName } from '../../../protocol/failpoints.js';
import { endedRun } from '../../support/ended-run.js';
import type { FailpointOrder } from '../../support/failpoint-home.js';
import { guardPid } from '../../support/guard-pid.js';
import { afterKills, type KilledCase, type KilledRun } from '../../support/killed-run.js';
import { sideBySide } from '../../support/side-by-side.js';
import { openTestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;
const AT_ONCE = 3;
const QUICK = 'limits:\n  heartbeat: 1s\n';
const SHORT = `stageList: [executing, reviewing, verifying]\n${QUICK}`;

/** Made here, so that no scanner of this repository takes it for a real one. */
const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const TOKEN = ['ghp', hex(18)].join('_');

const APPROVED = { text: 'Right.', decision: 'APPROVED' } as const;
const PASSED = { text: 'Done.', decision: 'PASSED' } as const;
const STRAYS = { ...APPROVED, files: { 'b.txt': 'b\n' }, append: { 'a.txt': 'more\n' } };

/** What a run left that was told to end in one way only. */
interface Left {
  readonly fired: readonly (string | null)[];
  readonly outcome: string;
  readonly reason: string | null;
  readonly turns: readonly string[];
  /** Stage, rule and paths of each `policy.violation`. */
  readonly violations: readonly (readonly unknown[])[];
  /** Above the base. */
  readonly commits: number;
  readonly isClean: boolean;
  /** Paths in any commit of any ref. */
  readonly paths: readonly string[];
  readonly file: string;
}

/** Worker and guard are killed while the turn waits, after all that it does; the next worker takes it over. */
async function heldOver(
  stages: Readonly<Record<string, ScriptedTurn>>,
  stage: string,
): Promise<Left & { changed: unknown[]; checkout: string }> {
  const host = await openTestHost();
  try {
    const go = join(host.folder, 'go');
    const acted = join(host.folder, 'acted');
    const worker = await host.startWorker();
    const turn = stages[stage] ?? {};
    const run = `${turn.run ?? ':'}; : > ${acted}; n=0; while [ ! -e ${go} ] && [ $n -lt 1200 ]; do n=$((n + 1)); sleep 0.05; done`;
    const meanwhile = async () => {
      await until(() => existsSync(acted));
      process.kill(guardPid(host.home), 'SIGKILL');
      await worker.kill();
      await host.startWorker();
      writeFileSync(go, '');
    };
    const ended = await endedRun(host, { config: SHORT, stages: { ...stages, [stage]: { ...turn, run } }, meanwhile });
    const changed = ended.events.flatMap(({ type, message, data }) =>
      type === 'repository.changed' ? [[message, data['gate']]] : [],
    );
    const checkout = readFileSync(join(ended.repository.path, 'a.txt'), 'utf8');
    return { ...leftBy({ ...ended, home: host.home, fired: [] }), changed, checkout };
  } finally {
    await host.close();
  }
}

function leftBy({ fired, result, turns, events, repository, run, view }: KilledRun): Left {
  const branch = `sluice/${run.runId}`;
  const violations = events.filter(({ type }) => type === 'policy.violation').map(({ data }) => data);
  return {
    fired,
    outcome: result.outcome,
    reason: result.blockedReason ?? null,
    turns,
    violations: violations.map(({ stage, rule, paths }) => [stage, rule, paths]),
    commits: Number(repository.git('rev-list', '--count', `main..${branch}`)),
    isClean: repository.git('-C', view.worktree ?? '', 'status', '--porcelain', '--ignored') === '',
    paths: repository.git('log', '--all', '--format=', '--name-only').trim().split('\n'),
    file: readFileSync(join(view.worktree ?? '', 'a.txt'), 'utf8'),
  };
}

/** The worker dies at each of them in turn, all in one turn of one stage, the nth that it begins. */
function throughTurn(nth: number): readonly FailpointOrder[] {
  const [first, ...others] = [
    'turn.after-exit',
    'turn.before-outcome',
    'turn.after-outcome',
    'turn.after-commit',
    'turn.before-record',
  ] as const;
  return [{ name: first, nth }, ...others.map((name) => ({ name, nth: 1 }))];
}

const namesOf = (kills: readonly FailpointOrder[]) => kills.map(({ name }) => name);

describe('a read-only turn that writes', () => {
  const CELLS = {
    worker: { kills: throughTurn(2), config: SHORT, stages: { reviewing: STRAYS } },
    guard: { kills: [{ name: 'guard.after-exit', nth: 2 }], config: SHORT, stages: { reviewing: STRAYS } },
    twice: {
      kills: [{ name: 'turn.after-record', nth: 2 }],
      config: SHORT,
      stages: { reviewing: STRAYS, verifying: { ...PASSED, files: { 'c.txt': 'c\n' } } },
    },
  } satisfies Record<string, KilledCase>;
  let cells: ReadonlyMap<keyof typeof CELLS | 'held', Promise<Left>>;

  beforeAll(() => {
    cells = sideBySide(['worker', 'guard', 'twice', 'held'], AT_ONCE, (name) =>
      name === 'held' ? heldOver({ reviewing: STRAYS }, 'reviewing') : afterKills(CELLS[name], leftBy),
    );
  });
  // Also where only some of the tests were asked for: no cell may outlive the file.
  afterAll(() => Promise.allSettled(cells.values()), LIMIT_MS);

  const STANDS = {
    outcome: 'merge_ready',
    reason: null,
    turns: ['executing', 'reviewing', 'verifying'],
    violations: [['reviewing', 'read_only', ['a.txt', 'b.txt']]],
    commits: 1,
    isClean: true,
    file: 'one\nchanged\n',
  };

  it(
    'V-127: with SIGKILL of the worker between all its marks, five times in that turn, is rolled back and counted once, and the run goes on',
    async () => {
      expect(await cells.get('worker')).toMatchObject({ ...STANDS, fired: namesOf(CELLS.worker.kills) });
    },
    LIMIT_MS,
  );

  it(
    'V-127: with SIGKILL of the guard at its exit is rolled back and counted once, and the run goes on',
    async () => {
      expect(await cells.get('guard')).toMatchObject({ ...STANDS, fired: ['guard.after-exit'] });
    },
    LIMIT_MS,
  );

  it(
    'V-127: with SIGKILL of worker and guard while it is at work is found by the next pair',
    async () => {
      expect(await cells.get('held')).toMatchObject(STANDS);
      expect((await cells.get('held'))?.paths).not.toContain('b.txt');
    },
    LIMIT_MS,
  );

  it(
    'V-127: the second one blocks the run, though SIGKILL took the worker that had recorded the first',
    async () => {
      expect(await cells.get('twice')).toMatchObject({
        ...STANDS,
        fired: ['turn.after-record'],
        outcome: 'blocked',
        reason: 'policy_violation',
        violations: [
          ['reviewing', 'read_only', ['a.txt', 'b.txt']],
          ['verifying', 'read_only', ['c.txt']],
        ],
      });
    },
    LIMIT_MS,
  );
});

describe('a write turn whose change may not be kept', () => {
  const wrote = (turn: ScriptedTurn, kills: readonly FailpointOrder[]): KilledCase => {
    const executing = { text: 'Wrote.', append: { 'a.txt': 'changed\n' }, ...turn };
    return { kills, config: `${SHORT}block: ["vendor/**"]\n`, stages: { executing } };
  };
  const CELLS = {
    secret: ['secret_file', '.env', wrote({ files: { '.env': 'A=1\n' }, commit: 'mine' }, throughTurn(1))],
    token: [
      'token_shape',
      'src/call.js',
      wrote({ files: { 'src/call.js': `const key = '${TOKEN}';\n` } }, at('turn.before-outcome')),
    ],
    block: ['block', 'vendor/x.js', wrote({ files: { 'vendor/x.js': '1\n' } }, at('turn.after-outcome'))],
    outside: ['outside_path', 'link', wrote({ run: 'ln -s /etc/passwd link' }, at('guard.after-exit'))],
  } as const;
  let cells: ReadonlyMap<keyof typeof CELLS, Promise<Left & { told: string }>>;
  let held: Promise<Left & { changed: unknown[]; checkout: string }>;

  beforeAll(() => {
    cells = sideBySide(['secret', 'token', 'block', 'outside'], AT_ONCE, (name) =>
      afterKills(CELLS[name][2], (ended) => ({
        ...leftBy(ended),
        told: JSON.stringify([ended.events, ended.view, ended.result]),
      })),
    );
    const run = 'echo stray > "$(git rev-parse --git-common-dir)/../a.txt"';
    held = heldOver({ executing: { text: 'Strayed.', append: { 'a.txt': 'changed\n' }, run } }, 'executing');
    held.catch(() => undefined);
  });
  afterAll(() => Promise.allSettled([...cells.values(), held]), LIMIT_MS);

  it.each([
    ['a secret-like file', 'five SIGKILLs of the worker between all its marks', 'secret'],
    ['a token in added lines', 'SIGKILL of the worker before its outcome', 'token'],
    ['a path under a block rule', 'SIGKILL of the worker after its outcome', 'block'],
    ['a path that leads outside', 'SIGKILL of the guard at its exit', 'outside'],
  ] as const)(
    'V-128: for %s, over %s, is rolled back whole and blocks the run; no ref ever holds it',
    async (_what, _fault, name) => {
      const [rule, path, { kills }] = CELLS[name];
      const left = await cells.get(name);

      expect(left).toMatchObject({
        fired: namesOf(kills),
        outcome: 'blocked',
        reason: 'policy_violation',
        turns: ['executing'],
        violations: [['executing', rule, [path]]],
        commits: 0,
        isClean: true,
        file: 'one\n',
      });
      expect(left?.paths).not.toContain(path);
      expect(left?.told).not.toContain(TOKEN);
    },
    LIMIT_MS,
  );

  it(
    "V-128: a change of the person's checkout before SIGKILL of worker and guard is journalled once, and neither blocked nor undone",
    async () => {
      expect(await held).toMatchObject({
        outcome: 'merge_ready',
        violations: [],
        commits: 1,
        checkout: 'stray\n',
        file: 'one\nchanged\n',
      });
      expect((await held).changed).toEqual([[expect.stringContaining("the person's checkout changed"), false]]);
    },
    LIMIT_MS,
  );
});

describe('secrets of known shapes', () => {
  const KILLS = [
    'turn.after-exit',
    'turn.after-outcome',
    'turn.after-projection',
    'validate.after-command',
    'validate.before-record',
    'close.before-record',
  ] as const;
  let leaks: Promise<Leaks>;

  beforeAll(() => {
    leaks = leaksAfter(KILLS.flatMap(at));
    leaks.catch(() => undefined);
  });
  afterAll(() => Promise.allSettled([leaks]), LIMIT_MS);

  it(
    'V-101: are in no file that people see after SIGKILL of the worker at six points, neither while nobody works nor at the end',
    async () => {
      expect(await leaks).toEqual({
        fired: [...KILLS],
        outcome: 'merge_ready',
        meanwhile: [],
        atTheEnd: [],
        areMarked: MARKED,
      });
    },
    LIMIT_MS,
  );
});

function at(name: FailpointName): readonly FailpointOrder[] {
  return [{ name, nth: 1 }];
}

interface Leaks {
  readonly fired: readonly (string | null)[];
  readonly outcome: string;
  /** Files with the token, while the killed process was not yet replaced. */
  readonly meanwhile: readonly string[];
  readonly atTheEnd: readonly string[];
  /** Of `MARKED`, those in which the marker stands. */
  readonly areMarked: readonly string[];
}

const MARKED = [
  'state.json',
  'plan.md',
  'architecture.md',
  'execution.log',
  'review.md',
  'validation/0-1.stdout.txt',
  'validation/0-1.stderr.txt',
];

/** Of the run directory, and of the sluice home what is an artifact or a log. */
function withToken(runDir: string, home: string): readonly string[] {
  const paths = [...filesBelow(runDir), ...filesBelow(home).filter((path) => /\/artifacts\/|\.log$/.test(path))];
  return paths.filter((path) => readFileSync(path, 'utf8').includes(TOKEN));
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function leaksAfter(kills: readonly FailpointOrder[]): Promise<Leaks> {
  const meanwhile: string[] = [];
  const config = `validation:\n  commands: ["grep -q changed a.txt && ./check.sh"]\n${QUICK}`;
  const killed: KilledCase = {
    kills,
    config,
    input: { task: `change a.txt with ${TOKEN}` },
    files: { 'check.sh': `#!/bin/sh\necho "out ${TOKEN}"\necho "err ${TOKEN}" >&2\n` },
    stages: {
      planning: { text: `The key is ${TOKEN}.`, stderr: `warning: ${TOKEN}\n` },
      architecting: { text: `One file, and ${TOKEN}.` },
      executing: { append: { 'a.txt': 'changed\n' }, text: `Used ${TOKEN}.`, commit: `used ${TOKEN}` },
      reviewing: { text: `It prints ${TOKEN}.`, decision: 'APPROVED' },
    },
    onKill: (run, home) => {
      meanwhile.push(...withToken(run.runDir, home));
    },
  };
  return afterKills(killed, ({ fired, result, run, home }) => ({
    fired,
    outcome: result.outcome,
    meanwhile,
    atTheEnd: withToken(run.runDir, home),
    areMarked: MARKED.filter((name) => run.read(name).includes('[redacted:github-token]')),
  }));
}
