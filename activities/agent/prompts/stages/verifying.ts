/** The prompt of stage verifying: does the exact commit do the task, or one step of its plan? Ends with a verification decision (V-31, V-34, S-69). */
import type { PromptInput, StageWork, StepPrompt } from '../prompt-input.js';
import { describeStepFacts, wrapped } from '../step-facts.js';

export function describeWork({ step }: PromptInput): StageWork {
  if (step !== null) return describeStep(step);
  return {
    opening:
      'You verify a reviewed change in the git worktree you were started in. You are the last to look before it may be merged.',
    answer: `## What to verify

Take each thing that the task asks for and find the place in the change, and the test or command, that shows it. Take nobody's word for
it. Print a summary and the open points as Markdown.

PASSED: all of it is there and shown. FAILED: something is missing or wrong. NEEDS_HUMAN: it cannot be told from here.`,
  };
}

function describeStep(prompt: StepPrompt): StageWork {
  const said = prompt.made?.said.trim() ?? '';
  const parts = [
    `## The step that you judge: ${prompt.step.seq} of ${prompt.others.length}`,
    describeStepFacts(prompt),
    ...(said === '' ? [] : [`What its agent said of it, which is no evidence:\n\n${wrapped('output', said)}`]),
    `## What to verify

Take what the step is accepted by and find the place in the change that shows it. Other steps have turns of their own: what they are for is
not missing here. Print in a few lines of Markdown what holds and what does not; whoever tries the step again reads it.

PASSED: it holds. FAILED: it does not, or something that the step was to leave alone is broken. NEEDS_HUMAN: it cannot be told from here.`,
  ];
  return {
    opening: 'You verify one step of a plan in the git worktree you were started in. Its work is committed.',
    answer: parts.join('\n\n'),
  };
}
