/**
 * The findings of a review, as the fixer will get them and as people read them: stored once, by the turn that gave them.
 * Where only the decision was asked for again, they stand in the answer before.
 */
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { Finding, FindingResponse } from '../../protocol/run/finding.js';
import type { DecisionReading } from '../../protocol/run/outcomes.js';
import { STAGE_ROWS } from '../../protocol/run/stages.js';
import { findingOfText, readFindings } from '../agent/answer/findings-block.js';
import { readResponses } from '../agent/answer/responses-block.js';
import { readList } from '../journal/read-list.js';
import { artifactsOf } from '../unit/run-projection.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';
import { readTurnText } from './turn-text.js';

/** Effects: one artifact. Idempotency: by content. */
export async function storeFindings(
  context: TurnOnHost,
  text: string,
  decision: DecisionReading,
): Promise<ArtifactRef> {
  const findings = findingsOf(context, text, decision);
  return artifactsOf(context.deps, context.run).putJson(findings);
}

function findingsOf({ deps, run, input }: TurnOnHost, text: string, decision: DecisionReading): readonly Finding[] {
  const own = readFindings(text);
  if (own.length > 0) return own;
  const before = input.previousTurn === null ? '' : readTurnText(deps.home, run, input.previousTurn);
  const earlier = readFindings(before);
  if (earlier.length > 0 || decision.kind !== 'review' || decision.value !== 'CHANGES_REQUESTED') return earlier;
  return [findingOfText(before.trim() === '' ? text : before, input.decisionCode)];
}

export interface ShownFindings {
  readonly findings: readonly Finding[];
  readonly responses: readonly FindingResponse[];
  readonly answered: readonly Finding[];
}

/** For review.md and finding-responses.md. */
export async function findingsShown(
  context: TurnOnHost,
  judgement: { readonly findings: ArtifactRef | null },
  text: string,
): Promise<ShownFindings> {
  const artifacts = artifactsOf(context.deps, context.run);
  const findings = await readList<Finding>(artifacts, judgement.findings);
  if (STAGE_ROWS[context.input.stage].leaves.file !== 'finding-responses.md')
    return { findings, responses: [], answered: [] };
  const answered = await readList<Finding>(artifacts, context.input.context.findings);
  return { findings, responses: readResponses(text, answered), answered };
}
