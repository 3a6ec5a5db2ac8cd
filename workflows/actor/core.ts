/**
 * The state of a long-lived workflow and whatever happens to it, without the SDK: what its inbox takes changes it, and errands wait here until the one
 * before them to the same workflow is answered.
 */
import { type Answered, Inbox } from '../inbox/inbox.js';
import type { Actor, Errand, Rules, Shown, Step, Tick, Watch } from './actor.js';

/** At once; the server allows 2 000 and advises 500. */
const MAX_UNDER_WAY = 100;

/** All that one execution leaves to the next. */
export interface Carried<State> {
  readonly rules: number;
  readonly state: State;
  /** The oldest first. */
  readonly answered: readonly Answered[];
  /** What lasts and was not begun, and what waits behind it; missing: nothing. */
  readonly waiting?: readonly Errand[];
}

export class ActorCore<State, Event, Doing extends Errand, View> {
  readonly inbox: Inbox<string, Event>;
  private isAskedToHandOver = false;
  private state: State;
  private waiting: readonly Doing[] = [];
  private readonly underWay = new Set<string>();
  private readonly rules: Rules<State, Event, Doing>;

  /** Errors: plain Error for rules that only a newer worker has: the task is tried again until there is one. */
  constructor(
    private readonly actor: Actor<State, Event, Doing, View>,
    private readonly before: Carried<State>,
  ) {
    const rules = actor.rules[before.rules - 1];
    if (rules === undefined)
      throw new Error(`there are no rules ${before.rules} here; ${actor.rules.length} is the newest`);
    this.rules = rules;
    this.state = before.state;
    // Errands of this very actor: it carried them itself.
    this.waiting = (before.waiting ?? []) as readonly Doing[];
    this.inbox = new Inbox(
      {
        names: actor.signals,
        forgotten: actor.forgotten ?? [],
        read: (name, argument) => actor.read(name, argument),
        judge: (event) => rules.judge(this.state, event),
        apply: (event) => this.tell(event),
        status: () => this.shown().status,
      },
      before.answered,
    );
  }

  askToHandOver(): void {
    this.isAskedToHandOver = true;
  }

  tell(event: Event | Tick): void {
    const { state, errands }: Step<State, Doing> = this.rules.after(this.state, event, Date.now());
    this.state = state;
    const isWanted = (errand: Doing) => this.rules.isWanted?.(state, errand) !== false;
    this.waiting = withoutOld([...this.waiting, ...errands]).filter(isWanted);
  }

  /**
   * The errands whose turn has come; each is under way until `end`. What lasts is left to the next execution once one is due, unless somebody waits for an answer,
   * which nothing else may bring: this execution lives until they have it.
   */
  begin(isLong: boolean, isAwaited = false): readonly Doing[] {
    const isDue = isLong || this.isAskedToHandOver;
    const begun: Doing[] = [];
    const left: Doing[] = [];
    const behind = new Set(this.underWay);
    for (const errand of this.waiting) {
      const isFree = this.underWay.size < MAX_UNDER_WAY && !behind.has(errand.workflowId);
      const isNext = isFree && !(isDue && errand.lasts === true && !isAwaited);
      behind.add(errand.workflowId);
      if (isNext) this.underWay.add(errand.workflowId);
      (isNext ? begun : left).push(errand);
    }
    this.waiting = left;
    return begun;
  }

  end({ workflowId }: Doing): void {
    this.underWay.delete(workflowId);
  }

  /** Nothing would be lost if it ended, but for what is under way. */
  get isIdle(): boolean {
    return this.rules.isIdle(this.state);
  }

  /** Idle because nothing was asked of it yet. */
  get isFresh(): boolean {
    return this.state === this.actor.first && this.isIdle;
  }

  get mayEnd(): boolean {
    return this.isIdle && this.rests;
  }

  mayHandOver(isLong: boolean): boolean {
    const isDue = isLong || this.isAskedToHandOver;
    const held = new Set(this.waiting.flatMap(({ workflowId, lasts }) => (lasts === true ? [workflowId] : [])));
    return isDue && this.underWay.size === 0 && this.waiting.every(({ workflowId }) => held.has(workflowId));
  }

  get wakesAt(): number | null {
    return this.rules.wakesAt(this.state);
  }

  get watch(): Watch<Doing> | null {
    return this.rules.watchOf?.(this.state) ?? null;
  }

  shown(): Shown {
    const { memo, ...shown } = this.actor.show(this.state);
    return { ...shown, memo: { ...memo, rules: this.before.rules } };
  }

  /** What else is to be said to whoever sent a message that was taken; null: that is not known yet. */
  answer(event: Event): Readonly<Record<string, unknown>> | null {
    return this.actor.answer === undefined ? {} : this.actor.answer(this.state, event);
  }

  view(): View {
    return this.actor.view(this.state);
  }

  carried(): Carried<State> {
    const waiting = this.waiting.length === 0 ? {} : { waiting: this.waiting };
    return { rules: this.actor.rules.length, state: this.state, answered: this.inbox.answered, ...waiting };
  }

  /** Everything that was to be done is done and answered: the server drops a signal whose sender closes in the same task. */
  private get rests(): boolean {
    return this.waiting.length === 0 && this.underWay.size === 0;
  }
}

function withoutOld<Doing extends Errand>(errands: readonly Doing[]): readonly Doing[] {
  const isReplaced = ({ workflowId, topic }: Doing, at: number) =>
    topic !== undefined &&
    errands.slice(at + 1).some((other) => other.workflowId === workflowId && other.topic === topic);
  return errands.filter((errand, at) => !isReplaced(errand, at));
}
