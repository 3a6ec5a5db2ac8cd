/** The code of a system error, such as `ENOENT`. It does not ask for `instanceof Error`: under jest errors of Node's own come from another realm. */
export function errorCode(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
