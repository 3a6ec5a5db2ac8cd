/** What a prompt is made of. Every text in it may be hostile; it belongs into the prompt all the same and decides nothing there. */
import type { Finding } from '../../../protocol/finding.js';
import type { TurnStage } from '../../../protocol/lifecycle.js';
import type { CommandOutput, PersonNote } from '../../../protocol/messages.js';
import type { ValidationReport } from '../../../protocol/outcomes.js';

export interface PromptInput {
  readonly stage: TurnStage;
  /** `decision`: only the decision line is asked for, once more (V-33); for reviewing and verifying only. */
  readonly ask: 'work' | 'decision';
  readonly task: string;
  readonly title: string;
  readonly round: number;
  /** Fresh for each prompt; lines that decide or ask for a person count only with it. */
  readonly decisionCode: string;
  readonly baseSha: string;
  /** The commit that the branch stands at. */
  readonly head: string;
  readonly branch: string;
  readonly plan: string | null;
  readonly architecture: string | null;
  readonly validation: ValidationReport | null;
  /** Of the commands that did not pass, in the order of the report. */
  readonly validationOutput: readonly CommandOutput[];
  readonly review: string | null;
  /** Of the last review or of red checks; a fixer answers each. */
  readonly findings: readonly Finding[];
  /** What people wrote for this turn, oldest first; never cut. */
  readonly notes: readonly PersonNote[];
  /** The policy lets no stage write (V-129). */
  readonly readOnly: boolean;
  /** The stage's own, from the policy. */
  readonly instructions: string | null;
  /** The unreadable answer, for `ask: 'decision'`. */
  readonly previousOutput: string | null;
}

/** A prompt in three parts, so that only the middle is ever cut. */
export interface PromptParts {
  /** What the stage is for. */
  readonly opening: string;
  /** Texts of others. */
  readonly sections: readonly string[];
  /** Rules, and how the answer is read: the end of a prompt is what an agent keeps best. */
  readonly closing: readonly string[];
}
