/**
 * Reads what Node's errors say, by their fields: an error of another realm (a vm context, a worker's bundle) is no
 * `instanceof Error` here.
 */

/** `ENOENT` and the like, or null. */
export function codeOf(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}

/** Of the error of a program that a later build was put in the place of: what it had not loaded yet is gone. */
export const BUILT_ANEW = 'SLUICE_BUILT_ANEW';

/** Of the error of a program that lacks a part of its own build. */
export const NOT_WHOLE = 'SLUICE_NOT_WHOLE';

/** A part of this program cannot be loaded, which no server mends. */
export function lacksPart(error: unknown): boolean {
  const code = codeOf(error);
  return code === BUILT_ANEW || code === NOT_WHOLE;
}

export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

/** Of the class of an error, such as the SDK's `WorkflowNotFoundError`; whoever asks need not load the SDK. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
