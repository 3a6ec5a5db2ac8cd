/**
 * Loads the Temporal SDK's client when it is needed, by `require`. It is CommonJS, and `import` of it first parses every file for the
 * names that it exports: a quarter of the whole load, which is the largest part of what a short command costs.
 */
import { createRequire } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';

type TemporalClient = typeof import('@temporalio/client');

const require = createRequire(import.meta.url);

/** Answers at once where it is loaded. The process does nothing else meanwhile. */
export function temporalClient(): TemporalClient {
  return require('@temporalio/client') as TemporalClient; // `require` knows no types; this is the package's own.
}

/** Loads it for a later call, while programs that were just started do their work. */
export async function prepareTemporalClient(): Promise<void> {
  await turn();
  temporalClient();
}
