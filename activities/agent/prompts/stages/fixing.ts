/** The prompt of stage fixing: repair what validation or review found, and answer each finding (V-35). */
import { DISPOSITIONS } from '../../../../protocol/run/finding.js';
import { RESPONSES_BLOCK } from '../../answer/responses-block.js';
import type { PromptInput, StageWork } from '../prompt-input.js';

export function describeWork({ round }: PromptInput): StageWork {
  return {
    opening: `You repair a change in the git worktree you were started in. This is fix round ${round}.`,
    answer: `## Your answer

Repair the cause of every failed command and settle every finding. Do not weaken or skip a test to make it pass. Print in a few lines
what you changed. Then answer each finding in one block like this: a JSON array with one entry a finding. The disposition is
${DISPOSITIONS.join(', ')}: defer leaves it for later, needs-human leaves it to a person.

\`\`\`${RESPONSES_BLOCK}
[{"id": "<id of the finding>", "disposition": "<disposition>", "rationale": "<what you did, or why not>"}]
\`\`\``,
  };
}
