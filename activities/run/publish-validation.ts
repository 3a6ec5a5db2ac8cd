/** Shows a validation to people: validation.json and the output of every command. */
import type { ValidationReport } from '../../protocol/outcomes.js';
import type { HostDeps } from './host-deps.js';
import { projectionOf } from './run-projection.js';
import type { RunOnHost } from './run-record.js';
import type { CommandEndOnCheckout } from './validation-checkout.js';

export async function publishValidation(
  deps: HostDeps,
  run: RunOnHost,
  { report, ends }: { report: ValidationReport; ends: readonly CommandEndOnCheckout[] },
): Promise<void> {
  await projectionOf(deps, run).projectValidation({
    report,
    outputs: ends.map(({ exit }) => ({ stdout: exit.stdout, stderr: exit.stderr })),
  });
}
