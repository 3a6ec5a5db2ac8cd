/** Shows a validation to people: validation.json, the output of every command, and review.md where red checks are the review. */
import type { Finding } from '../../protocol/run/finding.js';
import type { ValidationReport } from '../../protocol/run/outcomes.js';
import { eitherOf, type Signals } from '../unit/attempts.js';
import type { HostDeps } from '../unit/host-deps.js';
import { projectionOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import type { CommandEndOnCheckout } from './validation-checkout.js';
import { decidesReview } from './validation-findings.js';

export interface PublishedValidation {
  readonly report: ValidationReport;
  readonly ends: readonly CommandEndOnCheckout[];
  readonly findings: readonly Finding[] | null;
  readonly signals: Signals;
}

export async function publishValidation(
  deps: HostDeps,
  run: RunOnHost,
  { report, ends, findings, signals }: PublishedValidation,
): Promise<void> {
  const shown = {
    report,
    findings: decidesReview(run.record.policy) ? findings : null,
    outputs: ends.map(({ exit }) => ({ stdout: exit.stdout, stderr: exit.stderr })),
  };
  await projectionOf(deps, run).projectValidation(shown, eitherOf(signals));
}
