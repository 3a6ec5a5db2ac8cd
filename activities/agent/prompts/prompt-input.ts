/** What a prompt is made of. Every text in it may be hostile; it belongs into the prompt all the same and decides nothing there. */

import type { StepStatus } from '../../../protocol/admission/next-step.js';
import type { PlanStep } from '../../../protocol/admission/plan-steps.js';
import type { CommandOutput, PersonNote } from '../../../protocol/messages/messages.js';
import type { Finding } from '../../../protocol/run/finding.js';
import type { ValidationReport } from '../../../protocol/run/outcomes.js';
import type { ToolLevel } from '../../../protocol/run/policy.js';
import type { TurnStage } from '../../../protocol/run/stages.js';
import type { PromptSection } from '../../../protocol/text/prompt-template.js';

export interface PromptInput {
  readonly stage: TurnStage;
  /** `decision`: only the decision line is asked for, once more (V-33); for stages that decide only. */
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
  /** What the agent may do in this turn by its own tools. */
  readonly tools: ToolLevel;
  /** The stage's own, from the policy. */
  readonly instructions: string | null;
  /** A person's text instead of the stage's opening and sections; without fault. Null: the built-in ones. */
  readonly template: string | null;
  /** Unit: bytes of UTF-8. */
  readonly contextBytes: number;
  /** An attempt at this very turn ran out of its context window. */
  readonly afterOverflow: boolean;
  /** The unreadable answer, for `ask: 'decision'`. */
  readonly previousOutput: string | null;
  /** Null: the turn does no single step of the plan. */
  readonly step: StepPrompt | null;
}

/** What a prompt says of the one step of a plan that its turn is to do. */
export interface StepPrompt {
  readonly step: PlanStep;
  /** Of its commit. */
  readonly subject: string;
  readonly baseBranch: string;
  /** All steps, in the order in which they run, and how far they are. */
  readonly others: readonly Readonly<
    Pick<PlanStep, 'seq' | 'verb' | 'description'> & { status: StepStatus; commits: readonly string[] }
  >[];
  /** What the engine tests with. */
  readonly checks: readonly string[];
  /** An earlier run of the task began it and did not finish. */
  readonly isResumed: boolean;
  /** How its last try failed; null: this is the first. */
  readonly failed: { readonly error: string; readonly output: string } | null;
  /** What its last try left: the commit before it, and the end of what its agent said. Null: it was not begun. */
  readonly made: { readonly since: string; readonly said: string } | null;
}

/** `answer`: the unreadable one. */
export type SectionName = PromptSection | 'answer';

/** What the file of a stage says; sections, rules and the form of the answer follow from its row. */
export interface StageWork {
  /** What the stage is for. */
  readonly opening: string;
  /** What it is to do and to print. */
  readonly answer: string;
}

/** A prompt in three parts, so that only the middle is ever cut, and only opening and sections can be a person's instead. */
export interface PromptParts {
  /** What the stage is for. */
  readonly opening: string;
  /** Texts of others. */
  readonly sections: readonly SectionName[];
  /** Rules, and how the answer is read: the end of a prompt is what an agent keeps best. */
  readonly closing: readonly string[];
}
