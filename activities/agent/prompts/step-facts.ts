/** What every prompt about one step of a plan says of it. Source: S-62. */
import { cutMiddle } from '../../../config/system/cut-middle.js';
import { taggedText } from '../../../protocol/text/tagged-text.js';
import type { StepPrompt } from './prompt-input.js';

/** Unit: bytes of each text of a step. */
const MAX_TEXT_BYTES = 2_000;

export function describeStepFacts({ step, checks }: Pick<StepPrompt, 'step' | 'checks'>): string {
  const { verb, targetFile, symbols, acceptance, description } = step;
  const facts = [
    `- Verb: ${verb}`,
    ...(targetFile === null ? [] : [`- File: ${targetFile}`]),
    ...(symbols.length === 0 ? [] : [`- Symbols: ${cutMiddle(symbols.join(', '), MAX_TEXT_BYTES)}`]),
    ...(checks.length === 0
      ? []
      : [`- The tests of this repository: ${cutMiddle(checks.join(' && '), MAX_TEXT_BYTES)}`]),
  ];
  return [
    facts.join('\n'),
    wrapped('step', description),
    `It is done when this holds:\n\n${wrapped('acceptance', acceptance)}`,
  ].join('\n\n');
}

/** Cut. */
export function wrapped(name: string, text: string): string {
  return taggedText(name, cutMiddle(text.trim(), MAX_TEXT_BYTES + 1_000));
}
