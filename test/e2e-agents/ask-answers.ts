/** What the model behind the mock answers where it is asked about a task: the JSON that is asked for, in prose and a fence, as models put it. */
import type { PromptMarkers } from './prompt-markers.js';

export const JUDGED = {
  classification: 'small',
  confidence: 0.9,
  reason: 'Two lines of one file.',
  needs_clarification: false,
  clarifying_questions: [],
  reject_reason: null,
};

const STEP = { target_file: 'a.txt', symbols: [] } as const;

export const PLANNED = {
  plan: [
    { ...STEP, verb: 'modify', description: 'add a first line', acceptance: 'a.txt says changed', depends_on: [] },
    // Of a test alone the engine runs the commands before the step counts as done.
    { ...STEP, verb: 'test', description: 'add a second line', acceptance: 'a.txt says fixed', depends_on: [0] },
  ],
  files_affected: ['a.txt'],
  symbols_affected: [],
};

export const SAME_REASON = 'Both ask for the same two lines.';

/** Null: the prompt is for a stage of a run. */
export function askAnswer({ stage, candidates }: PromptMarkers): string | null {
  if (stage === 'classify') return wrapped(JUDGED);
  if (stage === 'plan') return wrapped(PLANNED);
  if (stage === 'dedup') return wrapped({ duplicate: true, duplicate_of: candidates[0] ?? null, reason: SAME_REASON });
  return null;
}

function wrapped(answer: object): string {
  return `I looked at it {as far as I could}.\n\n\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\`\n\nThat is all.`;
}
