/** The file of questions of a real repository, as attempts of its activity leave it. Source: S-44, S-46. */
import { existsSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createWriteQuestions } from '../../../activities/ask/write-questions.js';
import { hashOf, ITEM_RECORD_FILE } from '../../../activities/unit/item-record.js';
import { addRepository } from '../../../config/home/host-list.js';
import { makeFolder } from '../../../config/home/make-folder.js';
import type { WriteQuestionsInput } from '../../../protocol/actors/ask.js';
import { clarifyFileOf } from '../../../protocol/admission/clarify-file.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';
import { openHost } from '../run/opened-host.js';

afterAll(removeFolders);

const ASKED = { questions: ['tabs or spaces?'], round: 1, state: 'asked', answers: [] } as const;

async function openAsked() {
  const { deps, run, act } = await openHost();
  const { repoKey, repository } = run.record;
  await addRepository(deps.home.root, repository.root);
  const text = `${JSON.stringify({ version: 1, run: { task: 'change the line' } })}\n`;
  const folder = join(deps.home.itemsDir(repoKey), '1');
  makeFolder(folder);
  writeFileSync(join(folder, ITEM_RECORD_FILE), text);
  const item = { id: '1', hash: hashOf(text), repo: repository.root, repoKey };
  const path = join(repository.root, clarifyFileOf('1', null));
  return {
    path,
    write: (input: Omit<WriteQuestionsInput, 'item'>) => act(() => createWriteQuestions(deps)({ item, ...input })),
    read: () => readFileSync(path, 'utf8'),
    type: (from: string, to: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(from, to)),
    names: () => readdirSync(join(path, '..')).filter((name) => name.startsWith('1.')),
  };
}

describe('the file of questions, once its writer died behind its work and another writes it', () => {
  it.each([
    ['half a sentence', '## A1\nta'],
    ['an answer', '## A1\ntabs\n'],
  ])('still holds %s that somebody typed meanwhile, where they typed it', async (_, typed) => {
    const { write, type, read, names } = await openAsked();
    await write(ASKED);
    type('## A1\n', typed);
    const before = read();

    await write(ASKED);

    expect(read()).toBe(before);
    expect(names()).toEqual(['1.md']);
  });

  it('keeps what was typed above the questions, though those were answered as they are in it', async () => {
    const { write, type, read, names, path } = await openAsked();
    await write(ASKED);
    type('## A1\n', '## A1\ntabs\n');
    type('---', 'ask Ann first\n---');
    const typed = read();
    await write({ ...ASKED, state: 'answered', answers: ['tabs'] });

    const [aside = ''] = names().filter((name) => name.includes('.typed-'));
    expect(readFileSync(join(path, '..', aside), 'utf8')).toBe(typed);
    expect(existsSync(path)).toBe(false);
  });

  it('is gone once it was answered, and nothing lies beside that round', async () => {
    const { write, type, path, names } = await openAsked();
    await write(ASKED);
    type('## A1\n', '## A1\ntabs\n');
    await write(ASKED);
    await write({ ...ASKED, state: 'answered', answers: ['tabs'] });

    expect(existsSync(path)).toBe(false);
    expect(names()).toEqual(['1.r1.md']);
  });
});

describe('the answers of a round', () => {
  it('are kept where the task is opened again and its rounds begin anew', async () => {
    const { write, path, names } = await openAsked();
    await write(ASKED);
    await write({ ...ASKED, state: 'answered', answers: ['tabs, as Ann said'] });
    const former = readFileSync(join(path, '..', '1.r1.md'), 'utf8');
    const again = { ...ASKED, questions: ['which file?'] };
    await write(again);
    await write({ ...again, state: 'answered', answers: ['a.txt'] });
    // The writer died behind its work.
    await write({ ...again, state: 'answered', answers: ['a.txt'] });

    const [aside = '', ...others] = names().filter((name) => name.includes('.typed-'));
    expect(others).toEqual([]);
    expect(readFileSync(join(path, '..', aside), 'utf8')).toBe(former);
    expect(readFileSync(join(path, '..', '1.r1.md'), 'utf8')).toContain('a.txt');
  });
});

describe('the file of questions that nobody asks any more', () => {
  it.each([
    ['below its heading, by an editor of another system', '## A1\n', '## A1\r\n\r\ntabs\r\n'],
    ['on the line of its heading', '## A1', '## A1: tabs'],
    ['behind blanks', '## A1\n', '## A1\n\n    tabs\n'],
    ['behind a hash', '## A1\n', '## A1\n#tabs\n'],
    ['in the place of its heading', '## A1\n', 'tabs\n'],
    ['above all questions', '---', 'tabs\n---'],
  ])('is moved beside with what was typed in it %s', async (_, from, to) => {
    const { write, type, read, names, path } = await openAsked();
    // Of which one is not answered, so that nothing of the file is read as answers.
    const two = { ...ASKED, questions: ['tabs or spaces?', 'which line?'] };
    await write(two);
    type(from, to);
    const typed = read();
    await write({ ...two, state: 'withdrawn' });

    const [aside = '', ...others] = names();
    expect(others).toEqual([]);
    expect(readFileSync(join(path, '..', aside), 'utf8')).toBe(typed);
  });

  it.each(['asked', 'answered', 'withdrawn'] as const)(
    'is neither moved nor removed below a folder that somebody linked there: %s',
    async (state) => {
      const { write, path, read } = await openAsked();
      await write(ASKED);
      const elsewhere = join(tempFolder(), 'clarify');
      renameSync(dirname(path), elsewhere);
      symlinkSync(elsewhere, dirname(path));
      const files = () => readdirSync(elsewhere).map((name) => [name, readFileSync(join(elsewhere, name), 'utf8')]);
      const before = files();

      const questions = state === 'asked' ? ['which line?'] : ASKED.questions;
      await expect(write({ ...ASKED, questions, state })).rejects.toMatchObject({ type: 'UnsafePath' });
      expect(files()).toEqual(before);
      expect(read()).toContain('tabs or spaces?');
    },
  );

  it('is gone where nobody typed in it, whatever ends its lines', async () => {
    const { write, type, names } = await openAsked();
    await write(ASKED);
    type('## A1\n', '## A1\r\n');
    await write({ ...ASKED, state: 'withdrawn' });

    expect(names()).toEqual([]);
  });
});

describe('the file of other questions', () => {
  it('takes the place of what somebody typed, which is moved beside', async () => {
    const { write, type, read, names } = await openAsked();
    await write(ASKED);
    type('## A1\n', '## A1\ntabs\n');

    await write({ ...ASKED, questions: ['which line?'], round: 2 });

    expect(read()).not.toContain('tabs');
    expect(names().filter((name) => name.includes('.typed-'))).toHaveLength(1);
  });

  it('does so too where what was typed is more than is read', async () => {
    const { write, path, names } = await openAsked();
    await write(ASKED);
    writeFileSync(path, `${readFileSync(path, 'utf8')}${'a log\n'.repeat(100_000)}`);

    await write({ ...ASKED, questions: ['which line?'], round: 2 });

    const [aside = ''] = names().filter((name) => name.includes('.typed-'));
    expect(statSync(join(path, '..', aside)).size).toBeGreaterThan(600_000);
  });
});
