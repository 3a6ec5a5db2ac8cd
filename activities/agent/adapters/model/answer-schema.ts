/**
 * The answers of deciding stages as data: what the model is held to, and what its answer is parsed with, whatever the provider promised.
 * Every key is always there, with null for nothing: the strict mode of providers knows no optional one.
 */
import { z } from 'zod';
import { FINDING_CATEGORIES, SEVERITIES } from '../../../../protocol/run/finding.js';
import { RISK_LEVELS } from '../../../../protocol/run/gate.js';
import { REVIEW_DECISIONS, VERIFICATION_DECISIONS } from '../../../../protocol/run/outcomes.js';
import { decisionOf, isDecisionStage, TURN_STAGES } from '../../../../protocol/run/stages.js';
import type { TurnRequest } from '../../contract.js';

export const ANSWER_KINDS = ['text', 'review', 'verification'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

const request = z
  .object({
    kind: z.enum(['approval', 'question']),
    text: z.string(),
    reason: z.string().nullable(),
    risk: z.enum(RISK_LEVELS),
  })
  .nullable();

const finding = z.object({
  id: z.string(),
  severity: z.enum(SEVERITIES),
  category: z.enum(FINDING_CATEGORIES),
  claim: z.string(),
  evidence: z.array(z.string()),
  recommendation: z.string(),
});

const review = z.object({
  summary: z.string(),
  findings: z.array(finding),
  request,
  decision: z.enum(REVIEW_DECISIONS),
});

const verification = z.object({ summary: z.string(), request, decision: z.enum(VERIFICATION_DECISIONS) });

export const ANSWER_SCHEMAS = { review, verification } as const;

export type Answer = z.infer<typeof review> | z.infer<typeof verification>;

export function answerKindOf({ stage }: Pick<TurnRequest, 'stage'>): AnswerKind {
  const decided = TURN_STAGES.find((one) => one === stage);
  return decided !== undefined && isDecisionStage(decided) ? decisionOf(decided) : 'text';
}

/** Null: it is no answer to this turn. */
export function parseAnswer(turn: Pick<TurnRequest, 'stage'>, text: string): Answer | null {
  const kind = answerKindOf(turn);
  if (kind === 'text') return null;
  try {
    return ANSWER_SCHEMAS[kind].safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Stands below the prompt, which asks for text. */
export function schemaRules(kind: AnswerKind): string {
  if (kind === 'text') return '';
  return `
## Form of your answer

Answer with one JSON object of the given schema instead of text. The value of the decision line goes into "decision", the summary as Markdown
into "summary"${kind === 'review' ? ', the entries of the block into "findings"' : ''}; leave lines and blocks themselves out. "request" is null unless a person is needed.
`;
}
