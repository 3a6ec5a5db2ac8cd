/** The runtime of the SDK's workers in this process: there is one, whoever needs it first. */
import { DefaultLogger, Runtime } from '@temporalio/worker';

let isInstalled = false;

/** Errors go to stderr and nothing else; signals are the process' own affair. */
export function installQuietRuntime(): void {
  if (!isInstalled) Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  isInstalled = true;
}
