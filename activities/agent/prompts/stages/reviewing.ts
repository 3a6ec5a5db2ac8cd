/** The prompt of stage reviewing: judge the exact commit and end with a review decision (V-30, V-34). */
import { FINDING_CATEGORIES } from '../../../../protocol/run/finding.js';
import { FINDINGS_BLOCK } from '../../answer/findings-block.js';
import type { StageWork } from '../prompt-input.js';

export function describeWork(): StageWork {
  return {
    opening: 'You review a change in the git worktree you were started in. Judge the change, not the words about it.',
    answer: `## What to judge

Does the change do the task, all of it and nothing else? Is it correct in the odd cases, safe, tested, simple, and in the style of the
code around it? Print a summary as Markdown, then your findings in one block like this: a JSON array with one entry a finding, empty if
there are none. Severity is low, medium or high; category is ${FINDING_CATEGORIES.join(', ')}.

\`\`\`${FINDINGS_BLOCK}
[{"id": "F1", "severity": "<severity>", "category": "<category>", "claim": "<what is wrong>",
  "evidence": ["<file and line, or a command and its output>"], "recommendation": "<what to do>"}]
\`\`\`

APPROVED: it can be merged as it is. CHANGES_REQUESTED: something must be repaired first. BLOCKED: no repair can make it right, or a
person must decide.`,
  };
}
