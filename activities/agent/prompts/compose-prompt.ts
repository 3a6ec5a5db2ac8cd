/**
 * Makes the whole text of a turn's prompt. It opens with the marker of its stage and never grows beyond `MAX_PROMPT_BYTES`: what is cut
 * are texts of others, in their middle, with a marker; the stage's purpose, its rules, what people wrote and the decision line always stand whole.
 * Only what people wrote can make it longer.
 */
import { cutMiddle } from '../cut-middle.js';
import { architectingPrompt } from './architecting.js';
import { decisionAgainPrompt } from './decision-again.js';
import { executingPrompt } from './executing.js';
import { fixingPrompt } from './fixing.js';
import { planningPrompt } from './planning.js';
import type { PromptInput, PromptParts } from './prompt-input.js';
import { reviewingPrompt } from './reviewing.js';
import { instructionsSection, notesSection } from './sections.js';
import { verifyingPrompt } from './verifying.js';

/** Unit: bytes of UTF-8; about 50 000 tokens, a quarter of a usual context window. */
export const MAX_PROMPT_BYTES = 200_000;

/** Unit: bytes of UTF-8; instructions stand below the sections and must not push the rules out. */
const MAX_INSTRUCTIONS_BYTES = 20_000;

/** Unit: bytes of UTF-8; task and findings stay readable beside the longest notes. */
const MIN_SECTIONS_BYTES = 40_000;

export function composePrompt(input: PromptInput): string {
  const parts = partsOf(input);
  const instructions = cutMiddle(instructionsSection(input), MAX_INSTRUCTIONS_BYTES);
  const top = joined([markerOf(input), parts.opening]);
  const bottom = `${joined([notesSection(input), instructions, ...parts.closing])}\n`;
  const room = MAX_PROMPT_BYTES - Buffer.byteLength(top) - Buffer.byteLength(bottom) - 2 * PARAGRAPH.length;
  return joined([top, cutMiddle(joined(parts.sections), Math.max(room, MIN_SECTIONS_BYTES)), bottom]);
}

const PARAGRAPH = '\n\n';

/** Tells a scripted agent, and whoever reads a prompt, what it is for. */
function markerOf({ stage, round, ask }: PromptInput): string {
  return `[stage:${stage}] [round:${round}] [ask:${ask}]`;
}

function partsOf(input: PromptInput): PromptParts {
  if (input.ask === 'decision') return decisionAgainPrompt(input);
  switch (input.stage) {
    case 'planning':
      return planningPrompt(input);
    case 'architecting':
      return architectingPrompt(input);
    case 'executing':
      return executingPrompt(input);
    case 'reviewing':
      return reviewingPrompt(input);
    case 'fixing':
      return fixingPrompt(input);
    case 'verifying':
      return verifyingPrompt(input);
  }
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(PARAGRAPH);
}
