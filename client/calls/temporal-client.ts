/**
 * Loads the Temporal SDK's client when it is needed, by `require`. It is CommonJS, and `import` of it first parses every file for the
 * names that it exports: a quarter of the whole load, which is the largest part of what a short command costs.
 */
import { createRequire } from 'node:module';

type TemporalClient = typeof import('@temporalio/client');
type Internals = typeof import('@temporalio/client/lib/internal.js');

const require = createRequire(import.meta.url);

/** Answers at once where it is loaded. The process does nothing else meanwhile. */
export function temporalClient(): TemporalClient {
  return require('@temporalio/client') as TemporalClient; // `require` knows no types; this is the package's own.
}

/** Under one request id the server starts once, however often it is asked, and answers each as the first. The SDK makes an id for every start of its own. */
export function underRequestId(requestId: string | undefined) {
  const { InternalWorkflowStartOptionsSymbol } = require('@temporalio/client/lib/internal') as Internals; // As above.
  return requestId === undefined ? {} : { [InternalWorkflowStartOptionsSymbol]: { requestId } };
}
