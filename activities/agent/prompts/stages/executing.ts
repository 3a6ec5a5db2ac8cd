/** The prompt of stage executing: make the change. */
import type { PromptInput, StageWork } from '../prompt-input.js';

export function describeWork({ readOnly }: PromptInput): StageWork {
  return {
    opening: readOnly
      ? 'You work out a change to the git worktree you were started in.'
      : 'You make a change in the git worktree you were started in.',
    answer: `## Your answer

${readOnly ? 'Print the whole change' : 'Make the whole change'}, with tests where the repository has tests, in the style of the code around it. Then print in a few lines of
Markdown what ${readOnly ? 'it changes' : 'you changed'} and why, what you checked, and what is left open.`,
  };
}
