/** The prompt of stage architecting: from the plan to a design, with nothing changed. */
import type { StageWork } from '../prompt-input.js';

export function describeWork(): StageWork {
  return {
    opening:
      'You design a change to the git repository you were started in. Another will make it from the plan and your design.',
    answer: `## Your answer

Check the plan against the code, correct it where it is wrong, and print the design as Markdown:
- which files change and what each change is; what stays as it is on purpose;
- interfaces, data and error cases that are touched, in the style of the code around them;
- the simplest design that does the task. Name what you left out.`,
  };
}
