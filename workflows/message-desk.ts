/**
 * Where the messages of a run are judged, applied and remembered, the same way for an Update and for a Signal. It knows nothing of how they come in.
 * A refused Update leaves no trace; a refused Signal leaves a line in the journal. A request id that came before is answered as it was, so that
 * nothing is applied twice; only the last `MAX_KNOWN_REQUESTS` are remembered.
 */
import { ApplicationFailure, type CancellationScope } from '@temporalio/workflow';
import { FAILURES } from '../protocol/failures.js';
import type { Gate } from '../protocol/gate.js';
import { MAX_KNOWN_REQUESTS, MAX_REFUSED_LINES } from '../protocol/limits.js';
import { type MessageAnswer, type RunMessage, type RunMessageName, readRunMessage } from '../protocol/run-message.js';
import type { RunContext } from './context.js';
import { noteGate } from './gate.js';
import { type Judgement, judgeMessage, type Situation } from './judge-message.js';

interface DeskSetting {
  readonly run: RunContext['run'];
  readonly presenter: Pick<RunContext['presenter'], 'show'>;
  readonly flush: Pick<RunContext['flush'], 'request'>;
  /** What an abort cancels. */
  readonly lifecycle: Pick<CancellationScope, 'cancel' | 'consideredCancelled'>;
  /** Of the Update at work; none in a Signal. */
  readonly updateId: () => string | undefined;
}

interface Answered {
  readonly name: RunMessageName;
  readonly answer: MessageAnswer;
}

export class MessageDesk {
  /** By request id, the oldest first. */
  private readonly answered = new Map<string, Answered>();
  private refusedLines = 0;

  constructor(private readonly setting: DeskSetting) {}

  /** Runs before anything is recorded. Errors: MessageRefused, MessageUnchanged. */
  check(name: RunMessageName, argument: unknown): void {
    const reading = readRunMessage(name, argument);
    if (reading.kind === 'bad') throw refusal(reading.why);
    const judgement = this.judge(reading.message);
    if (judgement.kind === 'refused') throw refusal(judgement.why);
    // What came before under its request id is answered as it was, to whoever lost the first answer.
    if (judgement.kind === 'unchanged' && this.known(reading.message) === undefined)
      throw ApplicationFailure.nonRetryable(judgement.message, FAILURES.MessageUnchanged, this.setting.run.status);
  }

  take(name: RunMessageName, argument: unknown): MessageAnswer {
    const reading = readRunMessage(name, argument);
    if (reading.kind === 'bad') throw refusal(reading.why);
    const { message } = reading;
    const judgement = this.judge(message);
    // Between the check and here another message of the same workflow task may have been taken.
    if (judgement.kind === 'refused') throw refusal(judgement.why);
    return this.accept(message, judgement);
  }

  hear(name: RunMessageName, argument: unknown): void {
    const reading = readRunMessage(name, argument);
    if (reading.kind === 'bad') {
      this.refuse(name, null, reading.why);
      return;
    }
    const judgement = this.judge(reading.message);
    if (judgement.kind === 'refused') this.refuse(name, reading.message.by, judgement.why);
    else this.accept(reading.message, judgement);
  }

  refuse(name: string, by: string | null, why: string): void {
    const { run, flush } = this.setting;
    if (this.refusedLines >= MAX_REFUSED_LINES || run.people.closing) return;
    this.refusedLines += 1;
    run.note('message.refused', `${name.slice(0, 60)} refused: ${why}`, { name: name.slice(0, 60), by, why });
    flush.request();
  }

  private judge(message: RunMessage): Judgement {
    const { run, lifecycle } = this.setting;
    const before = this.known(message);
    if (before !== undefined) return judgeAgain(message, before);
    const situation: Situation = {
      status: run.status,
      closing: run.people.closing,
      abortRequested: lifecycle.consideredCancelled,
      paused: run.people.pausedAtStatus !== null,
      pauseRequested: run.people.pauseRequested,
      gate: run.gates.open,
      waitingNotes: run.people.notes.length,
      events: run.eventCount,
      historyFull: run.history !== 'free',
    };
    return judgeMessage(message, situation);
  }

  private accept(message: RunMessage, judgement: Exclude<Judgement, { kind: 'refused' }>): MessageAnswer {
    const changed = judgement.kind === 'accepted';
    if (changed) this.apply(message);
    const answer: MessageAnswer = { message: judgement.message, status: this.setting.run.status, changed };
    // What changed nothing leaves no trace, like an Update that was not accepted for it.
    if (changed) this.remember(message, answer);
    return answer;
  }

  private apply(message: RunMessage): void {
    const { run, presenter, flush, lifecycle } = this.setting;
    const { people } = run;
    const { by } = message;
    switch (message.name) {
      case 'approve':
        this.decide(message);
        break;
      case 'answer':
        this.decide({ ...message, name: 'approve', gate: message.promptId, decision: 'approve', note: message.text, commit: null });
        break;
      case 'pause':
        people.pauseRequested = true;
        run.note('run.pause_requested', `${by ?? 'somebody'} asks for a pause`, { by, text: message.note });
        break;
      case 'resume':
        people.pauseRequested = false;
        people.pausedAtStatus = null;
        run.note('run.resume_requested', `${by ?? 'somebody'} resumes the run`, { by, text: message.note });
        break;
      case 'abort':
        people.abort = { by, reason: message.reason };
        run.note('run.abort_requested', `${by ?? 'somebody'} aborts the run`, { by, text: message.reason });
        lifecycle.cancel();
        break;
      case 'steer':
        people.notes.push({ kind: 'steer', text: message.text, by, at: new Date().toISOString() });
        run.note('run.steered', `${by ?? 'somebody'} says: ${message.text}`, { by, text: message.text });
        break;
      case 'rename':
        people.title = message.title;
        run.note('run.renamed', `${by ?? 'somebody'} calls the run "${message.title}"`, { by, text: message.title });
        break;
    }
    presenter.show();
    flush.request();
  }

  private decide({ decision, note, by }: Extract<RunMessage, { name: 'approve' }>): void {
    const { run } = this.setting;
    const { open } = run.gates;
    if (open === null) return;
    const { status, event, verb } = DECIDED[decision];
    const guidance = decision === 'request_changes' || open.question ? note : null;
    const resolution = { status, resolvedAt: new Date().toISOString(), resolvedBy: by, decisionNote: note, guidance };
    run.gates.resolve(open.id, resolution);
    noteGate(run, { ...open, ...resolution }, { type: event, message: `${by ?? 'somebody'} ${verb} ${open.id} before ${open.stage}` });
  }

  private known({ requestId }: RunMessage): Answered | undefined {
    const id = requestId ?? this.setting.updateId();
    return id === undefined ? undefined : this.answered.get(id);
  }

  private remember({ requestId, name }: RunMessage, answer: MessageAnswer): void {
    const id = requestId ?? this.setting.updateId();
    if (id === undefined) return;
    this.answered.set(id, { name, answer });
    const [oldest] = this.answered.keys();
    if (this.answered.size > MAX_KNOWN_REQUESTS && oldest !== undefined) this.answered.delete(oldest);
  }
}

const DECIDED = {
  approve: { status: 'approved', event: 'approval.approved', verb: 'approved' },
  reject: { status: 'rejected', event: 'approval.rejected', verb: 'rejected' },
  request_changes: { status: 'changes_requested', event: 'approval.changes_requested', verb: 'requested changes at' },
} as const satisfies Record<string, { status: Gate['status']; event: `approval.${string}`; verb: string }>;

/** What came before under this request id is answered as it was; an id that named another message is a mistake of the sender. */
function judgeAgain({ name }: RunMessage, before: Answered): Judgement {
  if (before.name === name) return { kind: 'unchanged', message: before.answer.message };
  return { kind: 'refused', why: `this requestId was used for ${before.name} before` };
}

function refusal(why: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(why, FAILURES.MessageRefused);
}
