/**
 * The prompt of a turn as people are shown it: what the agent was given and nothing else. The file that is kept of it lies where a hostile agent
 * outside a sandbox can write, so it counts only by the hash that the outcome mark has of it.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readForeignFile, textOf } from '../../config/system/foreign-file.js';
import { PROMPT_FILE } from './agent-start.js';

/** Far above every context that a prompt may be given. */
const MAX_PROMPT_BYTES = 64 * 1024 * 1024;

export interface ShownPrompt {
  readonly text: string;
  readonly isGiven: boolean;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** `given`: null where no agent was started. */
export async function shownPrompt(dir: string, given: string | null): Promise<ShownPrompt> {
  const text = textOf(await readForeignFile(join(dir, PROMPT_FILE), { maxBytes: MAX_PROMPT_BYTES }));
  if (given === null) return { text: text ?? '', isGiven: true };
  if (text !== null && sha256(text) === given) return { text, isGiven: true };
  return { text: 'What is kept of this prompt is not what the agent was given, so it is not shown.\n', isGiven: false };
}
