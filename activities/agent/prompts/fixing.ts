/** The prompt of stage fixing: repair what validation or review found, and answer each finding. */
import type { PromptInput, PromptParts } from './prompt-input.js';
import { architectureSection, changeSection, planSection, reviewSection, taskSection, validationSection, writeRules } from './sections.js';

export function fixingPrompt(input: PromptInput): PromptParts {
  return {
    opening: `You repair a change in the git worktree you were started in. This is fix round ${input.round}.`,
    sections: [
      taskSection(input),
      planSection(input),
      architectureSection(input),
      changeSection(input),
      validationSection(input),
      reviewSection(input),
    ],
    closing: [
      writeRules(),
      `## Your answer

Repair the cause of every failed command and settle every finding. Do not weaken or skip a test to make it pass. Then print, for each
finding, its id and one of accept, fix, rebut, defer or needs-human with the reason, and in a few lines what you changed.`,
    ],
  };
}
