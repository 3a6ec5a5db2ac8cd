import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { type EndedRun, endedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { openTestHost, type TestHost, type TestWorker } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const SHORT = 'stageList: [executing, reviewing, verifying]\n';

/** Made here, so that no scanner of this repository takes it for a real one. */
const TOKEN = ['ghp', randomBytes(18).toString('hex')].join('_');

const APPROVED = { text: 'Right.', decision: 'APPROVED' } as const;
const PASSED = { text: 'Done.', decision: 'PASSED' } as const;

const CASES = {
  readOnlyOnce: {
    config: SHORT,
    stages: { reviewing: { ...APPROVED, files: { 'b.txt': 'b\n' }, append: { 'a.txt': 'more\n' } } },
  },
  readOnlyCommit: {
    config: SHORT,
    stages: {
      reviewing: { ...APPROVED, append: { 'a.txt': 'more\n' }, commit: 'mine', decision: 'BLOCKED', again: APPROVED },
    },
  },
  readOnlyTwice: {
    config: SHORT,
    stages: {
      reviewing: { ...APPROVED, files: { 'b.txt': 'b\n' } },
      verifying: { ...PASSED, files: { 'c.txt': 'c\n' } },
    },
  },
  readOnlyPlanners: {
    stages: {
      planning: { text: 'Plan.', files: { 'b.txt': 'b\n' } },
      architecting: { text: 'Architecture.', files: { 'c.txt': 'c\n' } },
    },
  },
  outside: { config: SHORT, stages: { executing: { text: 'Linked.', run: 'ln -s /etc/passwd link' } } },
  secretFile: { config: SHORT, stages: { executing: { text: 'Wrote.', files: { '.env': 'A=1\n' } } } },
  token: {
    config: SHORT,
    stages: { executing: { text: 'Wrote.', files: { 'src/call.js': `const key = '${TOKEN}';\n` } } },
  },
  blockPath: {
    config: `${SHORT}block: ["vendor/**"]\n`,
    stages: { executing: { text: 'Wrote.', files: { 'vendor/x.js': '1\n' } } },
  },
  blockLine: {
    config: `${SHORT}block: ["/eval\\\\(/"]\n`,
    stages: { executing: { text: 'Wrote.', files: { 'x.js': 'eval("1")\n' } } },
  },
  checkout: {
    config: SHORT,
    stages: {
      executing: {
        text: 'Strayed.',
        append: { 'a.txt': 'changed\n' },
        run: 'echo stray > "$(git rev-parse --git-common-dir)/../a.txt"',
      },
    },
  },
  hangs: {
    // Waited out, twice; on a busy machine an agent needs more than a second to note its start.
    config: `stageList: [executing]\nstages:\n  executing:\n    timeout: 5s\nlimits:\n  killGrace: 200ms\n`,
    stages: { executing: { hang: true, ignoreTerm: true } },
  },
} satisfies Record<string, RunCase>;

const violationsOf = ({ events }: EndedRun) =>
  events.filter(({ type }) => type === 'policy.violation').map(({ data }) => data);

describe('a turn', () => {
  let host: TestHost;
  let worker: TestWorker;
  let runs: Record<keyof typeof CASES, EndedRun>;
  let dumped: EndedRun;
  let out: string;

  beforeAll(async () => {
    host = await openTestHost();
    out = join(host.folder, 'dump');
    worker = await host.startWorker({
      env: {
        TEMPORAL_CODEC_AUTH: 'x1y2z3',
        PLANTED_SECRET: 'x1y2z3',
        GH_TOKEN: 'x1y2z3',
        SSH_AUTH_SOCK: '/x1y2z3',
        LANG: 'C',
        MY_PROVIDER: 'p4s5d6',
      },
    });
    [runs, dumped] = await Promise.all([endedRuns(host, CASES), endedRun(host, dumpCase(out))]);
  }, 300_000);

  afterAll(() => host.close());

  const dump = (name: string): string => readFileSync(join(out, name), 'utf8');
  const worktreeStatus = ({ repository, view }: EndedRun) =>
    repository.git('-C', view.worktree ?? '', 'status', '--porcelain');
  const tip = ({ repository, run }: EndedRun) => repository.git('rev-parse', `sluice/${run.runId}`).trim();

  it('V-120: gets an environment from an allowlist, without server or other tokens', () => {
    const names = dump('env')
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => line.split('=')[0]);

    expect(names).toEqual(expect.arrayContaining(['HOME', 'PATH', 'LANG', 'SLUICE_STAGE', 'SLUICE_TURN', 'OUT']));
    expect(names.filter((name) => /TEMPORAL|SECRET|TOKEN|SSH_|SLUICE_HOME/.test(name ?? ''))).toEqual([]);
    expect(dump('env')).not.toContain('x1y2z3');
    expect(dump('env')).not.toContain(host.address);
  });

  it("V-120: is passed what its agent's passEnv names, which its checks and the server never see", async () => {
    const { events } = JSON.parse(historyToJSON(await dumped.run.handle.fetchHistory())) as {
      readonly events: readonly unknown[];
    };
    const history = JSON.stringify(events, (key, value: unknown) =>
      key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
    );

    expect(dump('env')).toContain('MY_PROVIDER=p4s5d6\n');
    expect(dump('check-env')).toContain('PATH=');
    expect(dump('check-env')).not.toContain('p4s5d6');
    expect(history).toContain('change a.txt');
    expect(history).not.toContain('p4s5d6');
  });

  it('V-120: runs in the worktree, with the prompt on stdin', () => {
    const turn = dumped.events.find(({ type }) => type === 'turn.started')?.data['seq'];

    expect(dump('cwd').trim()).toBe(dumped.view.worktree);
    expect(dump('stdin')).toContain('change a.txt');
    expect(dump('stdin')).toBe(dumped.run.read(`turns/${Number(turn)}-executing/prompt.md`));
    expect(dumped.result.outcome).toBe('merge_ready');
  });

  it('V-120: is a process group of its own', () => {
    const [, group] = groupOf(dump('stat'));
    const [, workers] = groupOf(readFileSync(`/proc/${worker.pid}/stat`, 'utf8'));
    const [, own] = groupOf(readFileSync('/proc/self/stat', 'utf8'));

    expect(group).toBeGreaterThan(1);
    expect([workers, own]).not.toContain(group);
  });

  it('V-120: is ended at its time limit, together with what it started', async () => {
    const { result, events, repository } = runs.hangs;
    const pid = /^START .*pid=(\d+)/m.exec(readFileSync(repository.ledgerPath, 'utf8'))?.[1];

    expect(result.outcome).toBe('failed');
    expect(events.at(-1)?.data['errorClass']).toBe('timeout');
    expect(pid).toBeDefined();
    await until(() => !existsSync(`/proc/${pid}`));
  });

  it('V-127: that may only read is rolled back and journalled, and the run goes on', () => {
    const run = runs.readOnlyOnce;

    expect(run.result).toMatchObject({ outcome: 'merge_ready', verdict: 'unsafe' });
    expect(violationsOf(run)).toEqual([
      expect.objectContaining({ rule: 'read_only', stage: 'reviewing', paths: ['a.txt', 'b.txt'] }),
    ]);
    expect(worktreeStatus(run)).toBe('');
    expect(existsSync(join(run.view.worktree ?? '', 'b.txt'))).toBe(false);
    expect(readFileSync(join(run.view.worktree ?? '', 'a.txt'), 'utf8')).toBe('one\nchanged\n');
    expect(tip(run)).toBe(run.view.headSha);
  });

  it('V-34, V-127: that may only read and commits by itself is rolled back, and its decision about that commit is asked for again', () => {
    const run = runs.readOnlyCommit;
    const decisions = run.events
      .filter(({ type }) => type === 'review.decision')
      .map(({ data }) => [data['value'], data['commit']]);

    expect(run.result.outcome).toBe('merge_ready');
    expect(violationsOf(run)).toEqual([expect.objectContaining({ rule: 'read_only', stage: 'reviewing' })]);
    expect(run.turns).toEqual(['executing', 'reviewing', 'reviewing', 'verifying']);
    expect(decisions).toEqual([['APPROVED', tip(run)]]);
    expect(run.repository.git('rev-list', '--count', `main..sluice/${run.run.runId}`).trim()).toBe('1');
    expect(run.repository.git('show', `sluice/${run.run.runId}:a.txt`)).toBe('one\nchanged\n');
  });

  it('V-127: blocks the run the second time, in whichever read-only stages', () => {
    expect(runs.readOnlyTwice.result).toMatchObject({ outcome: 'blocked', blockedReason: 'policy_violation' });
    expect(violationsOf(runs.readOnlyTwice).map(({ stage }) => stage)).toEqual(['reviewing', 'verifying']);
    expect(worktreeStatus(runs.readOnlyTwice)).toBe('');
    expect(runs.readOnlyPlanners.result).toMatchObject({ outcome: 'blocked', blockedReason: 'policy_violation' });
    expect(runs.readOnlyPlanners.turns).toEqual(['planning', 'architecting']);
  });

  it.each([
    ['a path that leads out of the worktree', 'outside', 'outside_path', 'link'],
    ['a secret-like file', 'secretFile', 'secret_file', '.env'],
    ['a token in added lines', 'token', 'token_shape', 'src/call.js'],
    ['a block rule over paths', 'blockPath', 'block', 'vendor/x.js'],
    ['a block rule over added lines', 'blockLine', 'block', 'x.js'],
  ] as const)('V-128: is rolled back and blocks the run for %s', (_what, name, rule, path) => {
    const run = runs[name];

    expect(run.result).toMatchObject({ outcome: 'blocked', blockedReason: 'policy_violation', verdict: 'unsafe' });
    expect(violationsOf(run)).toEqual([expect.objectContaining({ rule, stage: 'executing', paths: [path] })]);
    expect(tip(run)).toBe(run.view.baseSha);
    expect(worktreeStatus(run)).toBe('');
    expect(existsSync(join(run.view.worktree ?? '', path))).toBe(false);
    expect(run.turns).toEqual(['executing']);
    expect(JSON.stringify([run.events, run.view])).not.toContain(TOKEN);
  });

  it("V-128: that writes into the person's checkout is journalled, and neither blocked nor undone", () => {
    const { result, events, repository } = runs.checkout;
    const changed = events.filter(({ type }) => type === 'repository.changed');

    expect(result.outcome).toBe('merge_ready');
    expect(changed).toEqual([
      expect.objectContaining({
        message: expect.stringContaining("the person's checkout changed"),
        data: expect.objectContaining({ gate: false }),
      }),
    ]);
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('stray\n');
    expect(violationsOf(runs.checkout)).toEqual([]);
  });
});

/** A plain program as the agent: it keeps what it was given, then does its turn. */
function dumpCase(out: string): RunCase {
  const line =
    'mkdir -p "$OUT"; cat > "$OUT/stdin"; env > "$OUT/env"; pwd -P > "$OUT/cwd"; cat /proc/$$/stat > "$OUT/stat"; echo changed >> a.txt; echo done';
  const agent = `  dump:\n    adapter: command\n    command: [sh, -c, ${JSON.stringify(line)}]\n    env:\n      OUT: ${JSON.stringify(out)}\n    passEnv: [MY_PROVIDER]\n`;
  const check = `validation: {commands: [${JSON.stringify(`env > ${join(out, 'check-env')}`)}]}\n`;
  return { config: `${agent}${check}stageList: [executing, validating]\nstages:\n  executing:\n    agent: dump\n` };
}

/** Of a line of /proc/<pid>/stat, behind the name: state, parent, group. */
function groupOf(stat: string): [number, number] {
  const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [Number(parent), Number(group)];
}
