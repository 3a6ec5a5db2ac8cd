/** The prompt of stage executing: make the change, or one step of its plan. */
import type { PromptInput, StageWork, StepPrompt } from '../prompt-input.js';
import { describeStepFacts, wrapped } from '../step-facts.js';

export function describeWork({ readOnly, step }: PromptInput): StageWork {
  if (step !== null) return describeStep(step, readOnly);
  return {
    opening: readOnly
      ? 'You work out a change to the git worktree you were started in.'
      : 'You make a change in the git worktree you were started in.',
    answer: `## Your answer

${readOnly ? 'Print the whole change' : 'Make the whole change'}, with tests where the repository has tests, in the style of the code around it. Then print in a few lines of
Markdown what ${readOnly ? 'it changes' : 'you changed'} and why, what you checked, and what is left open.`,
  };
}

/** Source: S-62 to S-64, S-71, S-84. */
function describeStep(prompt: StepPrompt, readOnly: boolean): StageWork {
  const parts = [
    `## Your step: ${prompt.step.seq} of ${prompt.others.length}`,
    describeStepFacts(prompt),
    `Do only this step: what the other steps are for is done in turns of their own. ${readOnly ? 'Print the change of the step.' : 'Make the change of the step.'}`,
    ...(prompt.isResumed ? [RESUMED] : []),
    ...(prompt.failed === null ? [] : [describeFailure(prompt.failed)]),
    `## Your answer

Print in a few lines of Markdown what you did for this step, what you checked, and what is left open.`,
  ];
  return {
    opening: readOnly
      ? 'You work out one step of a plan for the git worktree you were started in.'
      : 'You do one step of a plan in the git worktree you were started in.',
    answer: parts.join('\n\n'),
  };
}

const RESUMED =
  'This step was begun before and not finished. The worktree stands at the commit that is named above; look at what is there, and finish the step.';

function describeFailure({ error, output }: NonNullable<StepPrompt['failed']>): string {
  const printed = output.trim() === '' ? '' : `\n\n${wrapped('output', output)}`;
  return `Previous attempt failed: ${error}${printed}\n\nFix the issue and complete the step.`;
}
