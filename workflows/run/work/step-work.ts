/** What a run knows of the steps of its plan. What comes next is decided by pure rules; this keeps the state that they need. */
import {
  afterWork,
  type NextWork,
  nextWork,
  type StepRules,
  type StepsState,
  type WorkResult,
} from '../../../protocol/admission/next-step.js';
import type { StepVerb } from '../../../protocol/admission/plan-steps.js';
import type { PersonNote } from '../../../protocol/messages/messages.js';
import type { OpenedStep, StepOfTurn } from '../../../protocol/messages/run-steps.js';
import type { ExecutePolicy } from '../../../protocol/run/execute-policy.js';
import type { Place } from '../../../protocol/run/place.js';
import { checkOfStep } from '../../../protocol/run/step-check.js';

/** Source: S-71. */
const RULES: StepRules = { retries: 1 };

interface Tries {
  /** Over all runs of the task. */
  attempts: number;
  /** Where the branch stood before its first try in this run; null: it had none. */
  start: string | null;
  /** How its last try failed. */
  error: string | null;
  /** What people answered its tries, and told them. */
  readonly heard: PersonNote[];
}

export class StepWork {
  private state: StepsState;
  private readonly tries: ReadonlyMap<number, Tries>;

  constructor(
    private readonly steps: readonly OpenedStep[],
    private readonly policy: Partial<Pick<ExecutePolicy, 'keepTree' | 'stepCheck'>>,
  ) {
    this.state = { steps: steps.map(({ seq, status, awaits, failures }) => ({ seq, status, awaits, failures })) };
    this.tries = new Map(steps.map(({ seq, attempts }) => [seq, { attempts, start: null, error: null, heard: [] }]));
  }

  /** What a failed try left is there for the next one. */
  get keepTree(): boolean {
    return this.policy.keepTree === true;
  }

  get next(): NextWork {
    return nextWork(this.state, RULES);
  }

  /** Every step only looks: that nothing was changed is no failure. */
  get isReadOnly(): boolean {
    return this.steps.every(({ verb }) => verb === 'verify');
  }

  verbOf(seq: number): StepVerb {
    return this.stepOf(seq).verb;
  }

  /** Null: its work is not checked. A run that was opened before there was such a check has none. */
  checkOf(seq: number): ReturnType<typeof checkOfStep> {
    return checkOfStep(this.verbOf(seq), this.policy.stepCheck ?? 'none');
  }

  errorOf(seq: number): string | null {
    return this.triesOf(seq).error;
  }

  /** The try that was begun last. */
  tryOf(seq: number, isRetry = false): StepOfTurn {
    return { seq, attempt: this.triesOf(seq).attempts, isRetry };
  }

  heardBy(seq: number): PersonNote[] {
    return this.triesOf(seq).heard;
  }

  /** Answers where the branch stood before the first try. */
  begin(seq: number, head: string): string {
    const tries = this.triesOf(seq);
    tries.attempts += 1;
    tries.start ??= head;
    this.hear({ kind: 'began', seq });
    return tries.start;
  }

  /** Of an earlier run; what failed in this one is begun anew. */
  conversationOf(seq: number, isRetry: boolean): Place | null {
    return isRetry ? null : this.stepOf(seq).continues;
  }

  hear(result: WorkResult): void {
    this.state = afterWork(this.state, result, RULES);
  }

  fail(kind: 'turn' | 'check', seq: number, error: string): void {
    this.triesOf(seq).error = error;
    this.hear({ kind, seq, end: 'failed' });
  }

  private stepOf(seq: number): OpenedStep {
    const step = this.steps.find((one) => one.seq === seq);
    if (step === undefined) throw new Error(`the plan has no step ${seq}`);
    return step;
  }

  private triesOf(seq: number): Tries {
    const tries = this.tries.get(seq);
    if (tries === undefined) throw new Error(`the plan has no step ${seq}`);
    return tries;
  }
}
