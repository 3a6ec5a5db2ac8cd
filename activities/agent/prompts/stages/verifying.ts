/** The prompt of stage verifying: does the exact commit do the task? Ends with a verification decision (V-31, V-34). */
import type { StageWork } from '../prompt-input.js';

export function describeWork(): StageWork {
  return {
    opening:
      'You verify a reviewed change in the git worktree you were started in. You are the last to look before it may be merged.',
    answer: `## What to verify

Take each thing that the task asks for and find the place in the change, and the test or command, that shows it. Take nobody's word for
it. Print a summary and the open points as Markdown.

PASSED: all of it is there and shown. FAILED: something is missing or wrong. NEEDS_HUMAN: it cannot be told from here.`,
  };
}
