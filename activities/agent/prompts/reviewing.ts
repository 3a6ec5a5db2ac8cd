/** The prompt of stage reviewing: judge the exact commit and end with a review decision (V-30, V-34). */
import type { PromptInput, PromptParts } from './prompt-input.js';
import {
  architectureSection,
  changeSection,
  decisionRules,
  planSection,
  readOnlyRules,
  taskSection,
  validationSection,
} from './sections.js';

export function reviewingPrompt(input: PromptInput): PromptParts {
  return {
    opening: 'You review a change in the git worktree you were started in. Judge the change, not the words about it.',
    sections: [taskSection(input), planSection(input), architectureSection(input), changeSection(input), validationSection(input)],
    closing: [
      readOnlyRules(),
      `## What to judge

Does the change do the task, all of it and nothing else? Is it correct in the odd cases, safe, tested, simple, and in the style of the
code around it? Print a summary and your findings as Markdown. Each finding has an id (F1, F2, …), a severity (low, medium, high), a
category (correctness, architecture, security, tests, performance, maintainability, product, policy), the claim, the evidence (file and
line, or a command and its output), and a recommendation.

APPROVED: it can be merged as it is. CHANGES_REQUESTED: something must be repaired first. BLOCKED: no repair can make it right, or a
person must decide.`,
      decisionRules('reviewing', input.decisionCode),
    ],
  };
}
