/** The prompt of stage planning: from the task to a plan, with nothing changed. */
import type { StageWork } from '../prompt-input.js';

export function describeWork(): StageWork {
  return {
    opening:
      'You plan a change to the git repository you were started in. Others will design, make and review it from your plan.',
    answer: `## Your answer

Print the plan as Markdown, short and concrete:
- what is asked, and how one sees that it is done;
- the cause or the place in the code, with files and functions that you have read;
- the steps, in order, each small enough to check;
- which tests show it, and what could go wrong.`,
  };
}
