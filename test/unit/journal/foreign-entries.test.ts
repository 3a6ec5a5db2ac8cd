/** What an agent or a person can put where the engine writes: it is moved aside or left alone, never followed, and the run goes on (V-07). */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createRunProjection, type RunProjection } from '../../../activities/journal/projection.js';
import { tempFolders } from '../../support/temp-folder.js';
import { aListener, aView, events, NO_BUDGET, NO_FAIL } from './journal-builders.js';

const folder = tempFolders();
const RUN = 'demo-261121-abcd';

function aProjection(repo = folder(), runsDir = '.sluice/runs') {
  const listener = aListener();
  return { repo, listener, projection: createRunProjection({ repo, runsDir, runId: RUN, ...NO_FAIL, ...listener }) };
}

async function anOpenOne() {
  const made = aProjection();
  await made.projection.open();
  await made.projection.journal({ events: events(1, 2), view: aView({ seq: 2 }), gates: null });
  return made;
}

function close(projection: RunProjection): Promise<string> {
  return projection.projectClose({
    view: aView({ seq: 4 }),
    validation: null,
    changes: { kind: 'unreadable', why: 'an object is missing' },
    notes: ['a folder stood in the way'],
    budget: NO_BUDGET,
    verdict: 'unsafe',
    verdictReasons: [],
    endedAt: '2026-11-21T10:01:00.000Z',
  });
}

const ENTRIES: readonly [what: string, put: (path: string) => unknown][] = [
  ['a folder', (path) => (mkdirSync(path), writeFileSync(join(path, 'x'), ''))],
  ['a symlink', (path) => symlinkSync(folder(), path)],
  ['a FIFO', (path) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path])],
  ['a device', (path) => execFileSync('mknod', [path, 'c', '1', '3'])],
];

describe.each(ENTRIES)('%s that takes the place of', (what, put) => {
  it.each(['state.json', 'events.jsonl', 'approvals.json'])(
    '%s is moved aside, and the file is written anew',
    async (name) => {
      const { projection, listener } = await anOpenOne();
      const path = join(projection.runDir, name);
      rmSync(path);
      try {
        put(path);
      } catch {
        expect(process.env['CI']).toBeUndefined();
        process.stderr.write(`skipped: no right to make ${what}\n`);
        return;
      }

      await projection.open();
      const { seq } = await projection.journal({ events: events(1, 4), view: aView({ seq: 4 }), gates: null });

      expect(seq).toBe(4);
      expect(lstatSync(path).isFile()).toBe(true);
      expect(existsSync(`${path}.found-1`) || lstatSync(`${path}.found-1`).isSymbolicLink()).toBe(true);
      expect(listener.entries).toEqual([{ path, movedTo: `${path}.found-1`, what }]);
      expect(listener.skips).toEqual([]);
      expect(JSON.parse(readFileSync(join(projection.runDir, 'state.json'), 'utf8'))).toMatchObject({ seq: 4 });
    },
  );
});

describe('an entry that is not ours', () => {
  it('gets the next free name', async () => {
    const { projection } = await anOpenOne();
    for (const _ of [1, 2]) {
      rmSync(join(projection.runDir, 'state.json'));
      mkdirSync(join(projection.runDir, 'state.json'));
      await projection.journal({ events: [], view: aView({ seq: 2 }), gates: null });
    }

    expect(readdirSync(projection.runDir).sort()).toEqual([
      'approvals.json',
      'events.jsonl',
      'state.json',
      'state.json.found-1',
      'state.json.found-2',
    ]);
  });

  it('as the whole run directory is moved aside, and what it points to stays as it is', async () => {
    const { projection } = await anOpenOne();
    const elsewhere = folder();
    rmSync(projection.runDir, { recursive: true });
    symlinkSync(elsewhere, projection.runDir);

    await projection.open();

    expect((await projection.journal({ events: events(1, 3), view: aView({ seq: 3 }), gates: null })).seq).toBe(3);
    expect(lstatSync(`${projection.runDir}.found-1`).isSymbolicLink()).toBe(true);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it.each(['.sluice', '.sluice/runs'])(
    'as %s is neither followed nor moved: nothing is written, nothing counts as held, and the run goes on',
    async (name) => {
      const repo = folder();
      const elsewhere = folder();
      mkdirSync(dirname(join(repo, name)), { recursive: true });
      symlinkSync(elsewhere, join(repo, name));
      const { projection, listener } = aProjection(repo);

      await projection.open();
      const { seq } = await projection.journal({ events: events(3, 4), view: aView({ seq: 4 }), gates: null });
      await close(projection);

      expect(seq).toBe(2);
      expect(readdirSync(elsewhere)).toEqual([]);
      expect(lstatSync(join(repo, name)).isSymbolicLink()).toBe(true);
      expect(listener.skips).toEqual(expect.arrayContaining([expect.stringMatching(/^events\.jsonl: .*is a symlink/)]));
    },
  );

  it('as a second name of a person’s file is not written to', async () => {
    const { projection } = await anOpenOne();
    const precious = join(projection.runDir, '..', 'precious');
    writeFileSync(precious, 'precious\n');
    rmSync(join(projection.runDir, 'events.jsonl'));
    linkSync(precious, join(projection.runDir, 'events.jsonl'));

    await projection.journal({ events: events(1, 3), view: aView({ seq: 3 }), gates: null });

    expect(readFileSync(precious, 'utf8')).toBe('precious\n');
  });

  it('as a journal of 100 GiB is not taken in', async () => {
    const { projection, listener } = await anOpenOne();
    truncateSync(join(projection.runDir, 'events.jsonl'), 100 * 2 ** 30);

    expect((await projection.journal({ events: events(1, 3), view: aView({ seq: 3 }), gates: null })).seq).toBe(3);
    expect(listener.entries).toHaveLength(1);
  });

  it('everywhere at the end does not keep the report from being written', async () => {
    const { projection, listener } = await anOpenOne();
    for (const name of ['metrics.json', 'report.md']) mkdirSync(join(projection.runDir, name));
    rmSync(join(projection.runDir, 'events.jsonl'));
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(projection.runDir, 'events.jsonl')]);

    const report = readFileSync(await close(projection), 'utf8');

    expect(report).toContain('The list cannot be shown: an object is missing');
    expect(report).toContain('## Notes\n\n- a folder stood in the way');
    expect(report).toContain('git merge');
    expect(listener.entries.map(({ what }) => what)).toEqual(['a folder', 'a folder']);
  });
});

describe('the .gitignore', () => {
  const SOURCE = 'src/index.ts';

  it('goes into the run’s own folder where the runs directory holds the person’s files', async () => {
    const repo = folder();
    mkdirSync(join(repo, 'src', 'lib'), { recursive: true });
    writeFileSync(join(repo, SOURCE), '');
    execFileSync('git', ['init', '-q'], { cwd: repo });
    const { projection } = aProjection(repo, 'src');

    await projection.open();
    await projection.open();

    const status = execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], {
      cwd: repo,
      encoding: 'utf8',
    });
    expect(status).toBe(`?? ${SOURCE}\n`);
    expect(existsSync(join(repo, 'src/.gitignore'))).toBe(false);
  });

  it.each([
    ['only folders', () => undefined],
    ['a .gitignore of the person', (src: string) => writeFileSync(join(src, '.gitignore'), 'dist\n')],
  ])('leaves a runs directory with %s as it is', async (_what, make) => {
    const repo = folder();
    mkdirSync(join(repo, 'src', 'lib'), { recursive: true });
    writeFileSync(join(repo, 'src/lib/a.ts'), '');
    make(join(repo, 'src'));
    const before = readdirSync(join(repo, 'src'));
    const { projection } = aProjection(repo, 'src');

    await projection.open();

    expect(readdirSync(join(repo, 'src')).filter((name) => name !== RUN)).toEqual(before);
    expect(readFileSync(join(projection.runDir, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('comes back beside the runs of a folder that holds nothing else', async () => {
    const { projection, repo } = await anOpenOne();
    rmSync(join(repo, '.sluice/runs/.gitignore'));
    mkdirSync(join(repo, '.sluice/runs/other-run'));

    await projection.open();

    expect(readFileSync(join(repo, '.sluice/runs/.gitignore'), 'utf8')).toBe('*\n');
    expect(existsSync(join(projection.runDir, '.gitignore'))).toBe(false);
  });
});
