/**
 * The projection shows what a run does; it never decides whether the run goes on. A step of it that fails is skipped and told, and what it
 * would have written comes with a later step or not at all. Only a machine that is short of something is waited for: that passes.
 */
import { codeOf } from '../../config/system/error-code.js';

export type Skipped = (what: string, error: unknown) => void;

/** Disk, quota, file descriptors and memory: a repeated activity finds them again. */
const SHORTAGES: ReadonlySet<string | null> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Undefined: skipped. Errors: a shortage, for the activity to be repeated. */
export async function goOn<T>(skipped: Skipped, what: string, step: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (isShortage(error)) throw error;
    skipped(what, error);
    return undefined;
  }
}

export function isShortage(error: unknown): boolean {
  return SHORTAGES.has(codeOf(error));
}
