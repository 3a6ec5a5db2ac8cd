/** Asks a reviewer or verifier once more for its decision line alone (V-33), with its own answer at hand. */
import { decisionOf, isDecisionStage } from '../../../protocol/run/stages.js';
import { DECISION_WORDS } from '../answer/decision-line.js';
import type { PromptInput, PromptParts } from './prompt-input.js';
import { decisionRules, readOnlyRules } from './rules.js';

/** Errors: a plain Error for a stage that does not decide, which no caller may ask. */
export function decisionAgainPrompt(input: PromptInput): PromptParts {
  if (!isDecisionStage(input.stage)) throw new Error(`stage ${input.stage} has no decision to ask for`);
  return {
    opening: `You were asked to ${DECISION_WORDS[decisionOf(input.stage)].verb} the change below. Your answer had no decision that could be read.`,
    sections: ['task', 'change', 'answer'],
    closing: [
      readOnlyRules(input),
      '## What is asked\n\nDo not start again. Say what your answer above decides, in one line.',
      decisionRules(input.stage, input.decisionCode),
    ],
  };
}
