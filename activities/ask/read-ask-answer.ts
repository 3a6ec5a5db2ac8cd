/** The answer to an ask out of what the agent printed. A plan is kept beside its task, under the hash of its text. */
import type { AskAnswer } from '../../protocol/actors/ask.js';
import { cutText } from '../../protocol/admission/agent-text.js';
import { readClassification } from '../../protocol/admission/classifier-answer.js';
import { readResemblance } from '../../protocol/admission/duplicate-answer.js';
import { findAnswer } from '../../protocol/admission/find-json.js';
import { readPlan } from '../../protocol/admission/plan-answer.js';
import { isReadOnlyPlan, type PlanStep } from '../../protocol/admission/plan-steps.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import type { HostDeps } from '../unit/host-deps.js';
import { keepPlan } from '../unit/kept-plan.js';

export type AskReading =
  | { readonly ok: true; readonly answer: AskAnswer }
  /** Why it is none. */
  | { readonly ok: false; readonly why: string };

interface Asked {
  readonly ask: AskName;
  readonly itemDir: string;
  /** As of `AskInput`. */
  readonly candidates: readonly string[];
  readonly durability: HostDeps['durability'];
}

/** Effects: the file of a plan. `text`: without secret values. */
export function readAskAnswer(text: string, { ask, itemDir, candidates, durability }: Asked): AskReading {
  if (ask === 'dedup') {
    const found = findAnswer(text, (value) => readResemblance(value, candidates));
    return found.ok ? { ok: true, answer: { ask, resemblance: found.value } } : found;
  }
  if (ask === 'classify') {
    const found = findAnswer(text, readClassification);
    return found.ok ? { ok: true, answer: { ask, classification: found.value } } : found;
  }
  const found = findAnswer(text, readPlan);
  if (!found.ok) return found;
  const { steps } = found.value;
  const hash = keepPlan(itemDir, steps, durability);
  return { ok: true, answer: { ask, plan: { hash, lines: steps.map(lineOf), readsOnly: isReadOnlyPlan(steps) } } };
}

/** Unit: characters: fifty of them stand in the item. */
const MAX_LINE_CHARS = 160;

function lineOf({ seq, verb, description, targetFile }: PlanStep): string {
  const target = targetFile === null ? '' : ` → ${targetFile}`;
  return cutText(`${seq}. [${verb}] ${description.replace(/\s+/g, ' ')}${target}`, MAX_LINE_CHARS);
}
