import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type ListedRun, UNKNOWN_EXECUTION } from '../../../client/calls/listed-run.js';
import { findRun } from '../../../client/cli/find/find-run.js';
import { lookPlaceOf } from '../../../client/cli/terminal/context.js';
import { findRuns, viewOf } from '../../../client/look/find-runs.js';
import { findRunsDir } from '../../../client/look/find-runs-dir.js';
import { followFiles } from '../../../client/look/follow-files.js';
import { gatesOnDisk } from '../../../client/look/open-gates.js';
import { parseView } from '../../../client/look/parse-view.js';
import { readRunFile } from '../../../client/look/read-run-file.js';
import type { Sluice } from '../../../client/sluice.js';
import { ensureHome } from '../../../config/home/home.js';
import { addRepository } from '../../../config/home/host-list.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { aGate, aListedRun, aView } from '../../support/gate-builder.js';
import { expectLinearCost } from '../../support/linear-cost.js';
import { makeRepository, removeFolders, tempFolder } from '../git/repository-fixture.js';
import { openTerminal } from './fake-io.js';

afterEach(removeFolders);

const makeFifo = (path: string) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);

/** A repository that one stands in, with these state.json. */
function aPlace(states: Readonly<Record<string, Partial<RunView> | 'fifo' | null>>) {
  const root = makeRepository();
  for (const [runId, state] of Object.entries(states)) {
    const runDir = join(root, '.sluice/runs', runId);
    mkdirSync(runDir, { recursive: true });
    const file = join(runDir, 'state.json');
    if (state === 'fifo') makeFifo(file);
    else if (state !== null)
      writeFileSync(file, JSON.stringify(aView({ runId, workflowId: runId, repo: root, ...state })));
  }
  return {
    root,
    context: { ...openTerminal({ cwd: root }).context, home: tempFolder() },
    runDir: (runId: string) => join(root, '.sluice/runs', runId),
  };
}

/** A server that shows these runs in lists and, asked by name, knows the others that are named. */
function aServer(visible: readonly ListedRun[], named: readonly string[] = []): Sluice {
  const calls: Pick<Sluice, 'list' | 'describe' | 'status'> = {
    list: async () => visible,
    async describe(workflowId) {
      if (!named.includes(workflowId)) throw new Error('not found');
      const times = { startedAt: '2026-11-21T10:00:00.000Z', closedAt: null };
      const type = workflowId.startsWith('batch:') ? 'batch' : 'run';
      return { runId: workflowId, workflowId, type, execution: 'RUNNING', ...times, retrying: null };
    },
    status: () => Promise.reject(new Error('not found')),
  };
  return calls as Sluice; // No more is asked for here.
}

const closed = { status: 'merge_ready', outcome: 'merge_ready' } as const;

describe('a file of a run folder', () => {
  it('is read when it is a file, and never waited for, followed or taken in when it is none', async () => {
    const folder = tempFolder();
    const at = (name: string) => join(folder, name);
    writeFileSync(at('file'), 'né');
    writeFileSync(at('large'), 'x'.repeat(101));
    symlinkSync(at('file'), at('link'));
    mkdirSync(at('folder'));
    makeFifo(at('fifo'));

    const read = await Promise.all(
      ['file', 'large', 'link', 'folder', 'fifo', 'nothing'].map((name) => readRunFile(at(name), 100)),
    );

    expect(read).toEqual(['né', null, null, null, null, null]);
  });

  it.each<[string, unknown]>([
    ['no object', []],
    ['another status', aView({ status: 'merged' as never })],
    ['an id that no run has', aView({ runId: 'x; rm -rf ~' })],
    ...['workflowId', 'task', 'title', 'repo', 'startedAt', 'updatedAt'].map((name): [string, unknown] => [
      `no ${name}`,
      { ...aView(), [name]: undefined },
    ]),
    ...[
      'stage',
      'branch',
      'worktree',
      'baseSha',
      'headSha',
      'error',
      'outcome',
      'agent',
      'resumedFrom',
      'seq',
      'waiting',
      'host',
    ].map((name): [string, unknown] => [`a list for ${name}`, { ...aView(), [name]: [] }]),
    ['a wait without a kind', { ...aView(), waiting: { until: null } }],
  ])('with %s is no view', (_, value) => {
    expect(parseView(JSON.stringify(value))).toBeNull();
  });

  it('with gates that cannot be shown holds none of those', async () => {
    const folder = tempFolder();
    writeFileSync(
      join(folder, 'approvals.json'),
      JSON.stringify([aGate({ id: 'gate-2' }), { ...aGate(), expiresAt: 7 }, null]),
    );

    expect((await gatesOnDisk(folder))?.map(({ id }) => id)).toEqual(['gate-2']);
  });
});

describe('the runs that a command can name', () => {
  it('are found beside a run folder whose state.json is a FIFO, is missing, or names another run or its workflow', async () => {
    const place = aPlace({
      waits: 'fifo',
      empty: null,
      posing: { runId: 'fine', workflowId: 'fine' },
      fine: {},
      leading: { workflowId: 'fine' },
    });

    const runs = await findRuns(lookPlaceOf(place.context), null);

    expect(runs).toMatchObject([{ runId: 'fine', runDir: place.runDir('fine') }]);
  });

  it('are found beside a folder of runs that the system cannot list, and that is said', async () => {
    const place = aPlace({ fine: {} });
    // No path has a zero byte: the system fails at it as at a mount that is dead.
    writeFileSync(join(place.root, '.sluice/config.yaml'), 'runsDir: "/mnt/\0dead"\n');
    const { context, err } = openTerminal({ cwd: place.root });

    const runs = await findRuns(lookPlaceOf({ ...place.context, io: context.io }), null);

    expect(runs.map(({ runId }) => runId)).toEqual(['fine']);
    expect(err).toEqual([expect.stringMatching(/^The runs in \/mnt\/\S+dead are not looked at: /)]);
  });

  it.each(['{"version":', '{"version":2,"repositories":[]}'])(
    'are those of the repository that one stands in where the list of the known ones holds %j, and that is said',
    async (text) => {
      const place = aPlace({ fine: {} });
      const list = join(place.context.home, 'repositories.json');
      writeFileSync(list, text);
      const { context, err } = openTerminal({ cwd: place.root });

      const runs = await findRuns(lookPlaceOf({ ...place.context, io: context.io }), null);

      expect(runs.map(({ runId }) => runId)).toEqual(['fine']);
      expect(err).toEqual([expect.stringContaining(`The runs of the known repositories are not looked at: ${list}: `)]);
      expect(err[0]).toMatch(/\n {2}Look at it, then move it away: {2}mv \S+repositories\.json \S+\.bad$/);
    },
  );

  it('include those whose history the server dropped, by their files', async () => {
    const place = aPlace({
      kept: {},
      dropped: { ...closed, startedAt: '2026-01-01T00:00:00.000Z', title: 'Long ago' },
    });
    const server = aServer([aListedRun('kept', { repo: place.root })]);

    const runs = await findRuns(lookPlaceOf(place.context), server);
    const run = await findRun(place.context, server, 'dropped');

    expect(runs.map(({ runId, execution }) => [runId, execution])).toEqual([
      ['kept', 'RUNNING'],
      ['dropped', UNKNOWN_EXECUTION],
    ]);
    expect(await viewOf(run, server)).toMatchObject({ title: 'Long ago', outcome: 'merge_ready' });
    expect(run.closedAt).not.toBeNull();
  });

  describe('where a repository that is known here has a folder of the same id', () => {
    const posing = { title: 'Posing', startedAt: '2026-11-22T10:00:00.000Z' };

    /** One stands in the first; both are on the list of the home. */
    async function twoPlaces(inFirst: Readonly<Record<string, Partial<RunView>>>) {
      const first = aPlace(inFirst);
      const second = aPlace({});
      const home = ensureHome(first.context.home).root;
      for (const { root } of [first, second]) await addRepository(home, root);
      const runDir = join(second.root, '.sluice/runs/same');
      mkdirSync(runDir, { recursive: true });
      // It says that it is of the other one.
      writeFileSync(
        join(runDir, 'state.json'),
        JSON.stringify(aView({ runId: 'same', workflowId: 'same', repo: first.root, ...posing })),
      );
      return { first, second, runDir, place: lookPlaceOf(first.context) };
    }

    it('have the folder of their own repository', async () => {
      const { first, second, runDir, place } = await twoPlaces({ same: {} });
      const foundFor = (repo: string) => findRuns(place, aServer([aListedRun('same', { repo })]));

      expect(await foundFor(first.root)).toMatchObject([{ runDir: first.runDir('same'), repo: first.root }]);
      expect(await foundFor(second.root)).toMatchObject([{ runDir, repo: second.root }]);
      expect(await findRuns(place, aServer([]))).toMatchObject([{ runDir: first.runDir('same'), title: 'Fix it' }]);
    });

    it('have no folder rather than that one', async () => {
      const { first, second, place } = await twoPlaces({});

      expect(await findRuns(place, aServer([aListedRun('same', { repo: first.root })]))).toMatchObject([
        { runDir: null, repo: first.root },
      ]);
      expect(await findRuns(place, null)).toMatchObject([{ title: 'Posing', repo: second.root }]);
    });
  });

  it('are asked for by name where lists do not show them yet', async () => {
    const place = aPlace({ young: {}, deleted: {} });

    const runs = await findRuns(lookPlaceOf(place.context), aServer([], ['young']));

    expect(Object.fromEntries(runs.map(({ runId, execution }) => [runId, execution]))).toEqual({
      young: 'RUNNING',
      deleted: UNKNOWN_EXECUTION,
    });
  });

  it('are not those whose name is that of another kind of workflow, to which a message would go', async () => {
    const place = aPlace({ 'batch-nightly': { workflowId: 'batch:nightly' } });

    const [run] = await findRuns(lookPlaceOf(place.context), aServer([], ['batch:nightly']));

    expect(run).toMatchObject({ runId: 'batch-nightly', execution: UNKNOWN_EXECUTION });
  });

  it('are not meant without a name while another is open on the server', async () => {
    const place = aPlace({ open: {}, deleted: {}, closed });

    const run = await findRun(place.context, aServer([aListedRun('open', { repo: place.root })]), null);

    expect(run.runId).toBe('open');
  });
});

describe('the folder of runs that a config names', () => {
  it.each([
    ['runsDir: out/runs', 'out/runs'],
    ['version: 1\nproject:\n  runsDir: "out/my runs" # here\n', 'out/my runs'],
    ["runsDir:   'out' \r\nrunsDir: other\n", 'out'],
    ['runsDir: out # "quoted"\n', 'out'],
    ['runsDir: ../other\n', null],
    ['runsDir: "no end\n', 'no end'],
    ['runsDir:\n', null],
    ['# runsDir: out\nmyrunsDir: out\n', null],
  ])('is, by %j, %j', (text, named) => {
    expect(findRunsDir(text)).toBe(named);
  });

  it('is none where the line is longer than any path', () => {
    expect(findRunsDir(`runsDir: ${'x'.repeat(5_000)}\n`)).toBeNull();
  });

  it.each([' ', '\n', '#', '"', "'", ' "', ' #', ' runsDir:', '\nrunsDir: ..', '\t'])(
    'is looked for beside many of %j at a cost that grows with the length',
    (piece) => {
      expectLinearCost(100_000, (length) => {
        const many = piece.repeat(length / piece.length);
        expect(findRunsDir(`${many}\nrunsDir:${many}a"b`)).not.toBe('a');
        findRunsDir(`runsDir: x${many}a"b\n`);
      });
    },
  );
});

describe('following a run folder that holds anything', () => {
  const follow = async (runDir: string) => {
    const seqs: number[] = [];
    const views: RunView[] = [];
    const follower = followFiles(runDir, {
      event: ({ seq }) => seqs.push(seq),
      view: (view) => views.push(view),
      work: () => {},
    });
    await follower.readNow();
    follower.close();
    return { seqs, views, isCut: follower.isCut() };
  };
  const line = (seq: number, message = 'm') =>
    `${JSON.stringify({ seq, timestamp: '2026-11-21T10:00:00.000Z', type: 'run.created', message, data: {} })}\n`;

  it('waits for no FIFO', async () => {
    const runDir = tempFolder();
    for (const name of ['events.jsonl', 'state.json']) makeFifo(join(runDir, name));

    await expect(follow(runDir)).resolves.toEqual({ seqs: [], views: [], isCut: false });
  });

  it('reads a long journal in pieces, and leaves out a line that is longer than one', async () => {
    const runDir = tempFolder();
    const many = Array.from({ length: 30 }, (_, index) => line(index + 3, 'x'.repeat(100_000))).join('');
    writeFileSync(join(runDir, 'events.jsonl'), `${line(1)}${line(2, 'x'.repeat(3_000_000))}${many}`);

    const { seqs } = await follow(runDir);

    expect(seqs).toEqual([1, ...Array.from({ length: 30 }, (_, index) => index + 3)]);
  });

  it('stops at a limit, and says so', async () => {
    const runDir = tempFolder();
    writeFileSync(join(runDir, 'events.jsonl'), line(1));
    // A sparse file: four gigabytes that take no room.
    truncateSync(join(runDir, 'events.jsonl'), 4 * 1024 ** 3);

    const { seqs, isCut } = await follow(runDir);

    expect(seqs).toEqual([1]);
    expect(isCut).toBe(true);
  });

  it('leaves no rejection behind when its listener fails', async () => {
    const runDir = tempFolder();
    writeFileSync(join(runDir, 'events.jsonl'), line(1));
    const rejected: unknown[] = [];
    const note = (reason: unknown) => void rejected.push(reason);
    process.on('unhandledRejection', note);
    const told = new Promise<void>((resolve) => {
      const follower = followFiles(runDir, {
        event() {
          follower.close();
          setImmediate(() => setImmediate(resolve));
          throw new Error('no');
        },
        view: () => {},
        work: () => {},
      });
    });

    await told;
    process.off('unhandledRejection', note);

    expect(rejected).toEqual([]);
  });
});
