/** What an item knows of the tasks that it resembles, and what an agent says of them where nothing refused it. Pure. Source: S-09, S-13, S-17, S-49. */
import type { ItemInput } from '../../protocol/actors/item.js';
import { passLine } from '../../protocol/actors/task-dedup.js';
import type { AskEnd, Compared, ItemEvent } from './item-state.js';

/** Ids of tasks that it resembles. Whoever takes a closed one up again has seen them. Source: S-12, S-13. */
export function possibleDuplicatesOf({ dedup, again }: ItemInput): readonly string[] {
  return again === null ? (dedup?.possible ?? []).map(({ id }) => id) : [];
}

/** As its host found it when it took the task in. */
export function comparedBefore(input: ItemInput): Compared {
  const candidates = input.again === null ? (input.dedup?.pass.candidates ?? []) : [];
  return { candidates, possible: possibleDuplicatesOf(input), duplicateOf: null, isJudged: candidates.length === 0 };
}

/** What was found once people had answered; `note`: for the journal. Where it could not be compared, what was known counts. */
export function comparedAgain(
  input: ItemInput,
  { found }: Extract<ItemEvent, { kind: 'comparedAgain' }>,
): { readonly compared: Compared; readonly note: string } {
  if ('why' in found) return { compared: comparedBefore(input), note: `it could not be compared again: ${found.why}` };
  const { possible, pass } = found;
  const { candidates } = pass;
  const ids = possible.map(({ id }) => id);
  return {
    compared: { candidates, possible: ids, duplicateOf: null, isJudged: candidates.length === 0 },
    note: `compared again: ${passLine(pass)}`,
  };
}

/**
 * What an agent said of the candidates. `pass`: in the first one a duplicate is closed; once a person has said something about it, a person is asked whether it is one. Without an answer the task is taken in, and
 * what its host found stays possible.
 */
export function judged(
  before: Compared,
  end: AskEnd,
  pass: number,
): { readonly compared: Compared; readonly note: string } {
  const asked = `asked about ${before.candidates.join(', ')}`;
  const done = { ...before, isJudged: true };
  if (end.kind === 'failed')
    return { compared: done, note: `${asked}: no answer (${end.why}); it counts as none of them` };
  const { answer, standing } = end;
  if (answer.ask !== 'dedup') return { compared: done, note: asked };
  const { of, reason } = answer.resemblance;
  // It was shown the candidates alone.
  const unshown = before.possible.filter((id) => !before.candidates.includes(id));
  if (of === null) return { compared: { ...done, possible: unshown }, note: `${asked}: none of them; ${reason}` };
  const note = `${asked}: it is task #${of}; ${reason}`;
  switch (standing) {
    case 'closed':
      return {
        compared: { ...done, possible: before.possible.filter((id) => id !== of) },
        note: `${note}; but that one has closed`,
      };
    case 'open':
      return pass === 0
        ? { compared: { ...done, duplicateOf: { of, reason } }, note }
        : { compared: { ...done, possible: [of] }, note };
    case 'merged':
    case null:
      return { compared: { ...done, possible: [of] }, note };
  }
}

/** Source: docs/requirements/skep.md "Formats", Reasons. */
export function whyDuplicate({ of, reason }: NonNullable<Compared['duplicateOf']>): string {
  return `near-duplicate of task #${of} (asked: ${reason})`;
}
