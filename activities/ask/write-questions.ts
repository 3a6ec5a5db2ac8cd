/**
 * The file in which people answer what is asked about a task: `.sluice/clarify/<id>.md` of its repository, and `<id>.r<k>.md` for each round that is over. What somebody typed is never lost:
 * a file that says something else than what was answered is moved beside.
 * Effects: only these files. Idempotency: each is made from the input alone; late or repeated, it is as it was. Source: S-44, S-46, S-48.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { readForeignFile, textOf } from '../../config/system/foreign-file.js';
import type { WriteQuestionsInput } from '../../protocol/actors/ask.js';
import {
  asksTheSame,
  type ClarifyFile,
  clarifyFileOf,
  hasOwnHead,
  isUntouched,
  MAX_CLARIFY_CHARS,
  readClarify,
  renderClarify,
} from '../../protocol/admission/clarify-file.js';
import { UnsafePathError } from '../journal/clear-way.js';
import { ensureFolder, type WriteOptions, writeFileAtomic } from '../journal/write-file.js';
import { servedRepository } from '../policy/served-repository.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import { inputOfItem } from '../unit/item-record.js';

export function createWriteQuestions(deps: HostDeps): (input: WriteQuestionsInput) => Promise<void> {
  return (input) =>
    // Without a place: each attempt writes for itself.
    attend(deps, randomUUID(), () => writeQuestions(deps, input));
}

/** Errors: as of `inputOfItem`; one that no repeat mends where a link lies in the way. */
async function writeQuestions(deps: HostDeps, input: WriteQuestionsInput): Promise<void> {
  const { item, round, questions } = input;
  const { root } = await servedRepository(deps, item.repo);
  const { task } = inputOfItem(deps.home, { run: { task: '', repo: root }, item, repoKey: item.repoKey });
  const write: WriteOptions = { root, fsync: deps.durability === 'power', failpoint: deps.failpoint };
  const asked = { number: Number(item.id), task, questions };
  const path = (over: number | null) => join(root, clarifyFileOf(item.id, over));
  try {
    // What is moved or removed is reached through that folder too.
    ensureFolder(dirname(path(null)), write);
    if (input.state === 'asked') {
      await hide(root, write);
      // A worker that died behind its work is followed by one that does it again: somebody may be typing in it by now.
      const before = await readShown(path(null));
      if (before !== null && asksTheSame(before, asked)) return;
      await setAside(path(null), { asked, answers: [], beside: path(round - 1) });
      return await writeFileAtomic(path(null), renderClarify(asked), write);
    }
    if (input.state === 'answered') {
      // A task that is opened again counts its rounds anew.
      await setAside(path(round), { asked, answers: input.answers, beside: path(round) });
      await writeFileAtomic(path(round), renderClarify({ ...asked, answers: input.answers }), write);
    }
    await setAside(path(null), { asked, answers: input.answers, beside: path(round) });
    rmSync(path(null), { force: true });
  } catch (error) {
    if (!(error instanceof UnsafePathError)) throw error;
    throw ApplicationFailure.nonRetryable(error.message, 'UnsafePath');
  }
}

/** It is the engine's own folder: what lies in it is no file of the project. */
async function hide(root: string, write: WriteOptions): Promise<void> {
  const ignore = join(root, clarifyFileOf('', null), '../.gitignore');
  if (!existsSync(ignore)) await writeFileAtomic(ignore, '*\n', write);
}

interface Aside {
  readonly asked: Omit<ClarifyFile, 'answers'>;
  readonly answers: readonly string[];
  /** The name beside which it goes. */
  readonly beside: string;
}

/** What was typed in it and is not what was answered. One that nobody touched is made again. */
async function setAside(path: string, { beside, ...known }: Aside): Promise<void> {
  const reading = await readForeignFile(path, { maxBytes: MAX_CLARIFY_CHARS });
  const text = textOf(reading);
  if (reading.kind === 'absent') return;
  if (text === null || !isMadeAgain(text, known))
    renameSync(path, beside.replace(/\.md$/, `.typed-${randomUUID().slice(0, 8)}.md`));
}

/** Nobody typed in it, or what was typed is what was answered. */
function isMadeAgain(text: string, { asked, answers }: Omit<Aside, 'beside'>): boolean {
  const read = readClarify(text, asked.questions);
  const isAnswered = 'answers' in read && JSON.stringify(read.answers) === JSON.stringify(answers);
  if (isAnswered && hasOwnHead(text, asked)) return true;
  return isUntouched(text, asked);
}

/** Null: there is none that can be read. */
async function readShown(path: string): Promise<string | null> {
  return textOf(await readForeignFile(path, { maxBytes: MAX_CLARIFY_CHARS }));
}
