/** What a prompt is made of. Every text in it may be hostile; it belongs into the prompt all the same and decides nothing there. */
import type { TurnStage } from '../../../protocol/lifecycle.js';
import type { ValidationReport } from '../../../protocol/outcomes.js';

/** What one validation command printed. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface PromptInput {
  readonly stage: TurnStage;
  /** `decision`: only the decision line is asked for, once more (V-33); for reviewing and verifying only. */
  readonly ask: 'work' | 'decision';
  readonly task: string;
  readonly title: string;
  readonly round: number;
  /** Fresh for each prompt; in the prompt of stages that decide, and nowhere else. */
  readonly decisionCode: string;
  readonly baseSha: string;
  /** The commit that the branch stands at. */
  readonly head: string;
  readonly branch: string;
  readonly plan: string | null;
  readonly architecture: string | null;
  readonly validation: ValidationReport | null;
  /** Shape: entry n belongs to `validation.commands[n]`; null or missing where it is not to be shown. */
  readonly validationOutput: readonly (CommandOutput | null)[];
  readonly review: string | null;
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
