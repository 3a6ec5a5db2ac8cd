/**
 * Makes the whole text of a turn's prompt. It opens with the marker of its stage and does not grow beyond its context: what is cut are texts
 * of others, each to its share and in its middle; the stage's purpose or the template for it, its rules, what people wrote and the decision
 * line always stand whole. Only what people wrote can make it longer.
 */

import { isDecisionStage, mayWrite, STAGE_ROWS } from '../../../protocol/run/stages.js';
import { fillTemplate } from '../../../protocol/text/prompt-template.js';
import { type ContextShare, shareOf } from './context-share.js';
import { decisionAgainPrompt } from './decision-again.js';
import type { PromptInput, PromptParts } from './prompt-input.js';
import { decisionRules, readOnlyRules, requestRules, writeRules } from './rules.js';
import { instructionsSection, notesSection, sectionOf } from './sections.js';
import { describeWorkOf } from './stage-work.js';

export interface ComposedPrompt {
  readonly text: string;
  /** Something of what the turn was to be given is left out. */
  readonly cut: boolean;
}

/** Unit: bytes of UTF-8; instructions stand below the sections and must not push the rules out. */
const MAX_INSTRUCTIONS_BYTES = 20_000;

/** Of the context: task and findings stay readable beside the longest notes. */
const MIN_SECTIONS = 0.2;

/** All sections at their full share are 1.35 of the context; six steps bring them below `MIN_SECTIONS`. */
const SHRINK = 0.7;
const MAX_SHRINKS = 6;

export function composePrompt(input: PromptInput): ComposedPrompt {
  const { contextBytes } = input;
  const parts = partsOf(input);
  const own = shareOf(contextBytes);
  const instructions = own.fit(instructionsSection(input), MAX_INSTRUCTIONS_BYTES);
  const top = markerOf(input);
  const bottom = `${joined([notesSection(input), instructions, ...parts.closing])}\n`;
  const room = contextBytes - Buffer.byteLength(top) - Buffer.byteLength(bottom) - 2 * PARAGRAPH.length;
  const least = own.bytesOf(MIN_SECTIONS);
  const middle = fitted(contextBytes, Math.max(room, least), (share) => middleOf(input, parts, share));
  return { text: joined([top, middle.text, bottom]), cut: own.isCut() || middle.cut };
}

const PARAGRAPH = '\n\n';

/** Tells a scripted agent, and whoever reads a prompt, what it is for. */
function markerOf({ stage, round, ask, step }: PromptInput): string {
  return `[stage:${stage}] [round:${round}] [ask:${ask}]${step === null ? '' : ` [step:${step.step.seq}]`}`;
}

/** What is asked for once more is only the decision line, whatever the template says of the work. */
function middleOf(input: PromptInput, { opening, sections }: PromptParts, share: ContextShare): string {
  if (input.template !== null && input.ask === 'work')
    return fillTemplate(input.template.trim(), (name) => sectionOf(name, input, share));
  return joined([opening, ...sections.map((name) => sectionOf(name, input, share))]);
}

/** With smaller shares until it fits, so that each text keeps its head and tail. */
function fitted(contextBytes: number, room: number, make: (share: ContextShare) => string): ComposedPrompt {
  let share = shareOf(contextBytes);
  let text = make(share);
  for (let shrinks = 1; shrinks <= MAX_SHRINKS && Buffer.byteLength(text) > room; shrinks += 1) {
    share = shareOf(contextBytes * SHRINK ** shrinks);
    text = make(share);
  }
  return { text: share.fit(text, room), cut: share.isCut() };
}

function partsOf(input: PromptInput): PromptParts {
  if (input.ask === 'decision') return decisionAgainPrompt(input);
  const { stage, decisionCode, readOnly } = input;
  const { opening, answer } = describeWorkOf[stage](input);
  const closing = [
    mayWrite(stage) && !readOnly ? writeRules(input) : readOnlyRules(input),
    answer,
    requestRules(decisionCode),
    ...(isDecisionStage(stage) ? [decisionRules(stage, decisionCode)] : []),
  ];
  return { opening, sections: STAGE_ROWS[stage].turn?.sections ?? [], closing };
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(PARAGRAPH);
}
