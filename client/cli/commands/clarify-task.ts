/** `sluice task clarify`: answers what is asked about a task, from the file in which that was written, or from the command line. */
import { join, resolve } from 'node:path';
import { readForeignFile, textOf } from '../../../config/system/foreign-file.js';
import type { ItemView } from '../../../protocol/actors/item.js';
import { clarifyFileOf, MAX_CLARIFY_CHARS, readClarify } from '../../../protocol/admission/clarify-file.js';
import { checkAnswers, NOT_APPLICABLE, type ReadAnswers } from '../../../protocol/admission/clarify-text.js';
import { findItem } from '../find/find-item.js';
import { connectToLook } from '../server/connect.js';
import { refusal } from '../start/run-arguments.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';
import { serverOf, tellTask } from './task.js';

export interface ClarifyOptions {
  readonly asked: string | null;
  /** One for each question, in their order; empty: they stand in the file. */
  readonly answers: readonly string[];
  /** Instead of the one in the repository. */
  readonly file?: string | undefined;
}

/** Errors: RefusedError. Source: S-45 to S-47. */
export async function clarifyTask(context: Context, { asked, answers, file }: ClarifyOptions): Promise<ExitCode> {
  const by = personOf(context);
  await using sluice = serverOf(await connectToLook(context));
  const item = await findItem(context, sluice, { asked, states: ['clarifying'] });
  const view = await sluice.item(item);
  const { questions = [], round = 0 } = view?.admission ?? {};
  if (view === null || questions.length === 0)
    throw refusal(
      `nothing is asked about ${foreign(`${item.project}-${item.id}`)}`,
      'only a task with open questions takes answers',
      `sluice task show ${item.id}`,
    );
  const path = file === undefined ? join(view.repo, clarifyFileOf(view.id, null)) : resolve(context.io.cwd, file);
  const read = answers.length > 0 ? checkAnswers(questions, answers) : await readFrom(path, questions);
  if ('why' in read) throw notAnswered(view, { why: read.why, path: answers.length > 0 ? null : path });
  return await tellTask(context, sluice, { item, name: 'answer', argument: { by, round, answers: read.answers } });
}

async function readFrom(path: string, questions: readonly string[]): Promise<ReadAnswers> {
  const reading = await readForeignFile(path, { maxBytes: 4 * MAX_CLARIFY_CHARS });
  const text = textOf(reading);
  if (text !== null) return readClarify(text, questions);
  return { why: reading.kind === 'absent' ? 'there is no such file' : 'it is no file that can be read' };
}

function notAnswered(
  { id, admission }: ItemView,
  { why, path }: { readonly why: string; readonly path: string | null },
): Error {
  const asked = (admission?.questions ?? []).map((question, at) => `Q${at + 1}: ${question}`).join('  ');
  return refusal(
    `${path === null ? '' : `${foreign(path)}: `}${foreign(why)}`,
    `every question is answered, or marked "${NOT_APPLICABLE}": ${foreign(asked)}`,
    `sluice task clarify ${id} --answer "…"    one for each question; or write them into its file`,
  );
}
