/** The prompt of stage executing: make the change. */
import type { PromptInput, PromptParts } from './prompt-input.js';
import { architectureSection, planSection, taskSection, writeRules } from './sections.js';

export function executingPrompt(input: PromptInput): PromptParts {
  return {
    opening: 'You make a change in the git worktree you were started in.',
    sections: [taskSection(input), planSection(input), architectureSection(input)],
    closing: [
      writeRules(),
      `## Your answer

Make the whole change, with tests where the repository has tests, in the style of the code around it. Then print in a few lines of
Markdown what you changed and why, what you checked, and what is left open.`,
    ],
  };
}
