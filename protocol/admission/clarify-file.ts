/**
 * The file in which a person answers a classifier's questions. A heading stands at the beginning of its line; a line of an answer that could pass for one
 * has a backslash before it. Pure; the host reads and writes it. Source: S-44 to S-48, docs/requirements/skep.md "Formats".
 */
import { checkAnswers, cleanAnswer, type ReadAnswers } from './clarify-text.js';

/** Unit: UTF-16 code units. The longest task (256 KiB), escaped, and four of the longest answers are below. */
export const MAX_CLARIFY_CHARS = 512 * 1024;

/** Relative to the top of the repository. `over`: of a round that is over; null: of the one that is open. */
export function clarifyFileOf(id: string, over: number | null): string {
  return `.sluice/clarify/${id}${over === null ? '' : `.r${over}`}.md`;
}

export interface ClarifyFile {
  readonly number: number;
  readonly task: string;
  /** Each on one line. */
  readonly questions: readonly string[];
  /** In the order of the questions; what is missing is left empty. */
  readonly answers?: readonly string[];
}

export function renderClarify({ number, task, questions, answers = [] }: ClarifyFile): string {
  const head = [
    `# Clarification needed for task #${number}`,
    `Task: ${escapeLines(cleanAnswer(task))}`,
    'Write each answer below its heading, or "n/a" where there is none, and leave the headings as they are.',
    '---',
  ];
  const asked = questions.flatMap((question, index) => [
    `## Q${index + 1}: ${question}`,
    [`## A${index + 1}`, escapeLines(cleanAnswer(answers[index] ?? ''))].join('\n'),
  ]);
  return `${[...head, ...asked].join('\n\n')}\n`;
}

/** Whether nobody typed in it. Anything else is somebody's, wherever it stands: it need not be an answer that can be read. */
export function isUntouched(text: string, file: Omit<ClarifyFile, 'answers'>): boolean {
  return text.length <= MAX_CLARIFY_CHARS && linesOf(text).join('\n') === renderClarify(file);
}

/** Whether nobody typed above its questions, or all that stands there was left out. */
export function hasOwnHead(text: string, file: Omit<ClarifyFile, 'answers'>): boolean {
  const head = headOf(text);
  return head === '' || head === headOf(renderClarify(file));
}

function headOf(text: string): string {
  const lines = linesOf(text);
  const first = lines.findIndex((line) => [HEADINGS, INLINE].some(({ question }) => isMark(line, question(1))));
  return lines.slice(0, Math.max(first, 0)).join('\n').trim();
}

/** Whether it is the file of these questions, whatever somebody typed in it: all of its own lines stand there in their order. */
export function asksTheSame(text: string, file: Omit<ClarifyFile, 'answers'>): boolean {
  if (text.length > MAX_CLARIFY_CHARS) return false;
  const lines = linesOf(text);
  let from = 0;
  const own = linesOf(renderClarify(file)).filter((line) => line !== '');
  return own.every((line) => {
    const at = lines.indexOf(line, from);
    from = at + 1;
    return at >= 0;
  });
}

/** Answers in the order of `questions`; `why` tells a person what to mend. A file with other questions than these is one of another round, and refused. */
export function readClarify(text: string, questions: readonly string[]): ReadAnswers {
  if (text.length > MAX_CLARIFY_CHARS)
    return { why: `the file has ${text.length} characters; at most ${MAX_CLARIFY_CHARS} are read` };
  const lines = linesOf(text);
  const begins = ({ question }: Form) => lines.some((line) => isMark(line, question(1)));
  // Whoever misses both has the form that is written for people.
  const form = !begins(HEADINGS) && begins(INLINE) ? INLINE : HEADINGS;
  const parts = cutParts(lines, { form, questions });
  return 'why' in parts ? parts : checkAnswers(questions, parts.answers);
}

/** As an editor of any system leaves them. */
function linesOf(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n');
}

interface Form {
  readonly question: (k: number) => string;
  readonly answer: (k: number) => string;
  readonly isEscaped: boolean;
}

const HEADINGS: Form = { question: (k) => `## Q${k}`, answer: (k) => `## A${k}`, isEscaped: true };

/** Skep's own. It has no escapes, so that there nothing is taken off. */
const INLINE: Form = { question: (k) => `Q${k}:`, answer: (k) => `A${k}:`, isEscaped: false };

interface Wanted {
  readonly form: Form;
  readonly questions: readonly string[];
}

/** In their order: an answer ends at the next question alone, so that it may hold any other line. */
function cutParts(lines: readonly string[], { form, questions }: Wanted): ReadAnswers {
  const answers: string[] = [];
  let from = lines.findIndex((line) => isMark(line, form.question(1)));
  for (const [index, question] of questions.entries()) {
    const k = index + 1;
    if (from < 0) return missing(form.question(k));
    const below = findMark(lines, form.answer(k), from + 1);
    if (below < 0) return missing(form.answer(k));
    const asked = partText(lines.slice(from, below), form.question(k));
    if (asked !== '' && squeeze(asked) !== squeeze(question))
      return {
        why: `what stands below "${form.question(k)}" and above "${form.answer(k)}" is not the question that is asked now ("${question}"): the file is of another round, was changed there, or lacks a backslash before a "##" of an answer`,
      };
    const next = index + 1 === questions.length ? lines.length : findMark(lines, form.question(k + 1), below + 1);
    const own = lines.slice(below, next < 0 ? lines.length : next);
    const answer = partText(own, form.answer(k));
    answers.push(form.isEscaped ? answer.replace(ESCAPED, '') : answer);
    from = next;
  }
  return { answers };
}

function missing(mark: string): ReadAnswers {
  return { why: `the line "${mark}" is missing, or is not in its place; each question keeps its two lines` };
}

function findMark(lines: readonly string[], mark: string, from: number): number {
  return lines.findIndex((line, index) => index >= from && isMark(line, mark));
}

/** `## Q1` is not the beginning of `## Q10`. */
function isMark(line: string, mark: string): boolean {
  return line.startsWith(mark) && (mark.endsWith(':') || !/^\w/.test(line.slice(mark.length)));
}

/** What stands behind the mark and below it. */
function partText([first = '', ...others]: readonly string[], mark: string): string {
  const behind = first.slice(mark.length);
  return [mark.endsWith(':') ? behind : behind.replace(/^:/, ''), ...others].join('\n').trim();
}

/** A line with backslashes before its `## ` gets one more, so that every one is read back as it was. */
function escapeLines(text: string): string {
  return text.replace(/^(?=\\*## )/gm, '\\');
}

const ESCAPED = /^\\(?=\\*## )/gm;

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
