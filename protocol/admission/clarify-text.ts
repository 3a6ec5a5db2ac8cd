/** What people and agents write as answers to a classifier's questions, and the text of the task with them. Pure. Source: S-45 to S-48. */
/** A question that a person leaves to the agent. */
export const NOT_APPLICABLE = 'n/a';

/** Rounds of questions that a task may have. Source: S-49. */
export const MAX_CLARIFY_ROUNDS = 3;

/** Unit: characters of one answer: four of three rounds go along with their item. */
export const MAX_ANSWER_CHARS = 2_000;

/** One round of questions that was answered. Shape: as many answers as questions, in their order. */
export interface ClarifyRound {
  readonly questions: readonly string[];
  readonly answers: readonly string[];
}

export type ReadAnswers = { readonly answers: readonly string[] } | { readonly why: string };

/** What is given in any way is judged here: every question has an answer, or is marked `n/a`. Shape: one answer a question; what is missing is empty. */
export function checkAnswers(questions: readonly string[], given: readonly string[]): ReadAnswers {
  if (given.length > questions.length)
    return { why: `there are ${given.length} answers to ${questions.length} questions` };
  const answers = questions.map((_, index) => cleanAnswer(given[index] ?? ''));
  const empty = answers.flatMap((answer, index) => (answer === '' ? [`Q${index + 1}`] : []));
  if (empty.length > 0 && empty.length === questions.length)
    return { why: `no question is answered; write "${NOT_APPLICABLE}" where none can be` };
  if (empty.length > 0)
    return {
      why: `${empty.join(', ')} ${empty.length === 1 ? 'has' : 'have'} no answer; write "${NOT_APPLICABLE}" where none can be`,
    };
  const long = answers.findIndex((answer) => answer.length > MAX_ANSWER_CHARS);
  if (long >= 0)
    return {
      why: `the answer to Q${long + 1} has ${answers[long]?.length} characters; at most ${MAX_ANSWER_CHARS} are taken`,
    };
  return { answers };
}

/** `<description>`, then each question with its answer, in the order of the rounds. Further lines of an answer are indented, so that none passes for another question. */
export function mergeAnswers(description: string, rounds: readonly ClarifyRound[]): string {
  const lines = rounds.flatMap(({ questions, answers }) =>
    questions.map((question, index) => `- ${question}: ${(answers[index] ?? NOT_APPLICABLE).replaceAll('\n', '\n  ')}`),
  );
  return lines.length === 0 ? description : `${description}\n\nClarifications:\n${lines.join('\n')}`;
}

/** Line ends of every system, and no control characters but tabs. Idempotent. */
export function cleanAnswer(text: string): string {
  const clean = text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cs}/gu, '')
    .trim();
  return clean.toLowerCase() === NOT_APPLICABLE ? NOT_APPLICABLE : clean;
}
