/** What a run left that is larger than a page: the patch of one file, and texts of turns piece by piece. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPatchOfFile } from '../../../client/look/patch-of-file.js';
import { readTurns, readTurnText } from '../../../client/look/read-turns.js';
import { diffFiles } from '../../../client/repository.js';
import { makeCliRepository } from '../../support/cli-repository.js';
import { tempFolders } from '../../support/temp-folder.js';

const tempFolder = tempFolders();

function aTurn(text: string, fields: object = {}): string {
  const runDir = tempFolder();
  const folder = join(runDir, 'turns', '4-executing');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'turn.json'), JSON.stringify({ stage: 'executing', round: 0, class: 'done', ...fields }));
  writeFileSync(join(folder, 'output.md'), text);
  return runDir;
}

async function readWhole(runDir: string): Promise<string> {
  let whole = '';
  for (let from: number | null = 0; from !== null; ) {
    const piece = await readTurnText({ runDir, n: 4, part: 'output', from });
    if (piece === null) throw new Error('there is no such text');
    whole += piece.text;
    from = piece.next;
  }
  return whole;
}

describe('the text of a turn', () => {
  it.each([
    ['nothing', ''],
    ['a line', 'one\n'],
    ['one piece and a byte', 'x'.repeat(256 * 1024 + 1)],
    ['characters of two, three and four bytes at each end of a piece', 'aé€😀'.repeat(200_000)],
    ['characters of four bytes, one byte off', `b${'😀'.repeat(150_000)}`],
  ])('comes whole in its pieces: %s', async (_what, text) => {
    expect(await readWhole(aTurn(text))).toBe(text);
  });

  it('is none of another turn, of no turn, or behind a link', async () => {
    const runDir = aTurn('mine');
    mkdirSync(join(runDir, 'turns', '5-reviewing'));
    symlinkSync('/etc/passwd', join(runDir, 'turns', '5-reviewing', 'output.md'));
    mkdirSync(join(runDir, 'turns', '6-..'));

    const texts = await Promise.all([5, 6, 7].map((n) => readTurnText({ runDir, n, part: 'output', from: 0 })));

    expect(texts).toEqual([null, null, null]);
  });
});

it('the turns of a run are told by what their folders say, as far as that can be read', async () => {
  const runDir = aTurn('', { startedAt: 7, costMicroUsd: 'much', agent: 'main', tokensIn: 12 });
  mkdirSync(join(runDir, 'turns', '12-fixing'));

  expect(await readTurns(runDir)).toMatchObject([
    { n: 4, stage: 'executing', agent: 'main', startedAt: null, end: 'done', tokensIn: 12, costMicroUsd: null },
    { n: 12, stage: 'fixing', agent: null, endedAt: null, end: null },
  ]);
});

describe('the patch of one file', () => {
  it('is the one at the place of its numbers, though the change looks like several', async () => {
    const repository = makeCliRepository(join(tempFolder(), 'repository'));
    const base = repository.git('rev-parse', 'HEAD').trim();
    repository.write('a.txt', 'one\n+diff --git a/x b/x\ndiff --git a/y b/y\n');
    repository.write('odd "name".txt', 'odd\n');
    repository.write('z.bin', Buffer.from([0, 1, 2]));
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'change');
    const at = { repo: repository.path, baseSha: base, headSha: repository.git('rev-parse', 'HEAD').trim() };

    const files = (await diffFiles(at.repo, at.baseSha, at.headSha)) ?? [];
    const patches = await Promise.all([0, 1, 2, 3].map((place) => readPatchOfFile({ ...at, place })));

    expect(files).toHaveLength(3);
    expect(patches.map((found) => found?.patch.split('\n')[0] ?? null)).toEqual([
      'diff --git a/a.txt b/a.txt',
      'diff --git "a/odd \\"name\\".txt" "b/odd \\"name\\".txt"',
      'diff --git a/z.bin b/z.bin',
      null,
    ]);
    expect(patches[0]?.patch).toContain('+diff --git a/y b/y');
  });

  it('is no text that an agent wrote into another one, and is whole where a file became a link', async () => {
    const repository = makeCliRepository(join(tempFolder(), 'repository'));
    repository.write('b.txt', 'it was a file\n');
    repository.write('c.txt', 'before\n');
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'base');
    const baseSha = repository.git('rev-parse', 'HEAD').trim();
    const forged = ['\r', '\u2028', '\u2029'].map((end) => `x${end}diff --git a/c.txt b/c.txt${end}+harmless`);
    repository.write('a.txt', forged.join('\n'));
    rmSync(join(repository.path, 'b.txt'));
    symlinkSync('c.txt', join(repository.path, 'b.txt'));
    repository.write('c.txt', 'after\n');
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'change');
    const at = { repo: repository.path, baseSha, headSha: repository.git('rev-parse', 'HEAD').trim() };

    const files = (await diffFiles(at.repo, at.baseSha, at.headSha)) ?? [];
    const patches = await Promise.all([0, 1, 2, 3].map((place) => readPatchOfFile({ ...at, place })));

    expect(files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'c.txt']);
    const linesOf = (n: number) => patches[n]?.patch.split('\n') ?? [];
    expect([0, 1, 2].map((n) => linesOf(n)[0])).toEqual([
      'diff --git a/a.txt b/a.txt',
      'diff --git a/b.txt b/b.txt',
      'diff --git a/c.txt b/c.txt',
    ]);
    expect(patches[0]?.patch.match(/harmless/g)).toHaveLength(3);
    expect(linesOf(1)).toEqual(expect.arrayContaining(['deleted file mode 100644', 'new file mode 120000', '+c.txt']));
    expect(linesOf(2)).toEqual(expect.arrayContaining(['-before', '+after']));
    expect(patches[3]).toBeNull();
  });

  it('is cut where it is large, and says so', async () => {
    const repository = makeCliRepository(join(tempFolder(), 'repository'));
    const baseSha = repository.git('rev-parse', 'HEAD').trim();
    repository.write('a.txt', 'a long line of the file\n'.repeat(40_000));
    repository.git('commit', '-qam', 'change');
    const headSha = repository.git('rev-parse', 'HEAD').trim();

    const found = await readPatchOfFile({ repo: repository.path, baseSha, headSha, place: 0 });

    expect([found?.isCut, found?.patch.length]).toEqual([true, 512 * 1024]);
  });
});
