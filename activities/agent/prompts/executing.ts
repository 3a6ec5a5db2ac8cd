/** The prompt of stage executing: make the change. */
import type { PromptInput, PromptParts } from './prompt-input.js';
import { architectureSection, noWritingRule, planSection, readOnlyRules, requestRules, taskSection, writeRules } from './sections.js';

export function executingPrompt(input: PromptInput): PromptParts {
  const { readOnly } = input;
  return {
    opening: readOnly
      ? `You work out a change to the git worktree you were started in. ${noWritingRule()}`
      : 'You make a change in the git worktree you were started in.',
    sections: [taskSection(input), planSection(input), architectureSection(input)],
    closing: [
      readOnly ? readOnlyRules() : writeRules(),
      `## Your answer

${readOnly ? 'Print the whole change' : 'Make the whole change'}, with tests where the repository has tests, in the style of the code around it. Then print in a few lines of
Markdown what ${readOnly ? 'it changes' : 'you changed'} and why, what you checked, and what is left open.`,
      requestRules(input.decisionCode),
    ],
  };
}
