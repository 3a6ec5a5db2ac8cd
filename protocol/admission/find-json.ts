/** Finds the answer of an agent in its free text: prose, code fences and envelopes around it do not matter. Pure. Source: S-28. */
import { listObjects } from './list-json-objects.js';

/** Unit: UTF-16 code units. A longer text is refused whole, for its answer may stand at its end. */
export const MAX_AGENT_ANSWER_CHARS = 1024 * 1024;

/** JSON objects of one text that are offered to the reader. */
export const MAX_OFFERED = 1_000;

/** Why a reader takes an object for something else than the answer that it looks for; such a reason says nothing to the agent. */
export const NOT_MEANT = '';

export type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/**
 * The first JSON object that `read` accepts; a text that it returns says why it refuses one, so no answer is itself a text. Shape: `why` is the reason
 * of the last object that was meant as the answer, for agents quote the form before they fill it in. Errors: those that `read` throws.
 */
export function findAnswer<T extends object>(text: string, read: (value: unknown) => T | string): Found<T> {
  if (text.length > MAX_AGENT_ANSWER_CHARS)
    return refuse(`the answer has ${text.length} characters; at most ${MAX_AGENT_ANSWER_CHARS} are read`);
  let offered = 0;
  let best = NOT_MEANT;
  for (const candidate of listObjects(text, { steps: 0 })) {
    if (offered === MAX_OFFERED) return refuse(best || `none of its first ${MAX_OFFERED} JSON objects is the answer`);
    offered += 1;
    const value = read(candidate);
    if (typeof value !== 'string') return { ok: true, value };
    if (value !== NOT_MEANT) best = value;
  }
  if (offered === 0) return refuse('there is no JSON object in the answer');
  return refuse(best || `none of its JSON objects (${offered}) has the fields of the answer`);
}

function refuse(why: string) {
  return { ok: false, why } as const;
}
