/** What the starter tells the engine process, as one JSON argument: plain data, checked once at the other side. */

export interface EngineOptions {
  readonly home: string;
  readonly binary: string;
  readonly serverVersion: string;
  readonly ui: boolean;
  /** The wanted ports; the next free ones are taken if these are not. */
  readonly ports: { readonly server: number; readonly ui: number };
  readonly durability: 'process' | 'power';
  /** Program and arguments of the worker. */
  readonly worker: readonly [string, ...string[]];
}

/** Errors: plain Error, since only our own starter writes it. */
export function readEngineOptions(text: string | undefined): EngineOptions {
  const value: unknown = JSON.parse(text ?? 'null');
  if (!isEngineOptions(value)) throw new Error('sluice-engine is started by `sluice up` only');
  return value;
}

function isEngineOptions(value: unknown): value is EngineOptions {
  return (
    typeof value === 'object' &&
    value !== null &&
    'home' in value &&
    typeof value.home === 'string' &&
    'binary' in value &&
    typeof value.binary === 'string' &&
    'worker' in value &&
    Array.isArray(value.worker)
  );
}
