/** The runtime of the SDK's workers in this process: there is one, whoever needs it first, until the last of them ends. */
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/** Errors go to stderr and nothing else; signals are the process' own affair. */
export function installQuietRuntime(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
