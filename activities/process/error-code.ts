/** The code of a system error. By shape, not by `instanceof`: an error from another realm (a test runner's, a vm's) is one too. */
export function errorCode(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
