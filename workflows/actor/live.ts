/** The life of one execution of a long-lived workflow, and the one place where the kit meets the SDK. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  log,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import { HAND_OVER_SIGNAL, STATUS_QUERY } from '../../protocol/names.js';
import type { Incoming } from '../inbox/inbox.js';
import { listen } from '../inbox/listen.js';
import type { Actor, Errand, Tick } from './actor.js';
import { ActorCore, type Carried } from './core.js';
import { Presenter } from './presenter.js';

/** A fifth of what the server warns at. */
const MAX_EVENTS = 2_000;

/** For the first message of a workflow that somebody started by hand, or by a message that it refused. */
const FIRST_MESSAGE_MS = 10_000;

export class LiveActor<State, Event, Doing extends Errand, View> {
  private readonly core: ActorCore<State, Event, Doing, View>;
  private readonly presenter = new Presenter();
  private isChanged = true;
  /** It goes on from an execution before this one. */
  readonly isHandedOver: boolean;
  /** How many who sent a message wait for what it comes to. */
  private awaited = 0;
  /** Of the watch that is under way. */
  private watching: CancellationScope | null = null;

  /** Hears from here on. `carried`: of the execution before; null: this is the first. */
  constructor(
    private readonly actor: Actor<State, Event, Doing, View>,
    carried: Carried<State> | null,
  ) {
    const before = trusted(carried);
    this.isHandedOver = before !== null;
    this.core = new ActorCore(
      actor,
      before !== null ? before : { rules: newestOf(actor.rules.length), state: actor.first, answered: [] },
    );
    this.listen();
  }

  tell(event: Event | Tick): void {
    this.core.tell(event);
    this.goOn();
  }

  /** Ends when nothing is left to do. `handOver` continues as new; null: what it has under way could not be told to another execution. */
  async live(handOver: ((carried: Carried<State>) => Promise<never>) | null): Promise<View> {
    if (this.core.isFresh) await condition(() => !this.core.isFresh, FIRST_MESSAGE_MS);
    // What the execution before left to be begun.
    this.goOn();
    // It ends with the execution; a cancellation ends the loop below.
    this.wakeInTime().catch(() => undefined);
    this.watch().catch(() => undefined);
    for (;;) {
      await condition(() => this.isChanged);
      this.isChanged = false;
      this.presenter.show(this.core.shown());
      const mayHandOver = handOver !== null && this.core.mayHandOver(isLong());
      if (this.core.mayEnd || mayHandOver) this.watching?.cancel();
      if (this.core.mayEnd) return this.core.view();
      // Whoever waits for an answer has it from this execution.
      if (mayHandOver && !allHandlersFinished()) {
        await condition(allHandlersFinished);
        this.isChanged = true;
      } else if (mayHandOver) await handOver(this.core.carried());
    }
  }

  /** One timer for as long as nothing is due before it, however much happens meanwhile: what was put off is looked at when it rings. */
  private async wakeInTime(): Promise<void> {
    for (;;) {
      await condition(() => this.core.wakesAt !== null);
      const at = this.core.wakesAt ?? 0;
      // Sooner, or never; an end needs no cancelled timer.
      const isOther = () => !this.core.isIdle && (this.core.wakesAt ?? 0) < at;
      if (at > Date.now() && (await condition(isOther, at - Date.now()))) continue;
      const due = this.core.wakesAt;
      if (due === null || due > Date.now()) continue;
      this.tell({ kind: 'tick' });
      await condition(() => this.core.wakesAt !== due);
    }
  }

  /** One at a time, and a new one only for another key. */
  private async watch(): Promise<void> {
    for (;;) {
      await condition(() => this.core.watch !== null);
      const watch = this.core.watch;
      if (watch === null) continue;
      const isOther = () => this.core.watch?.key !== watch.key;
      const scope = new CancellationScope();
      this.watching = scope;
      const over = condition(isOther);
      const heard: Event[] = [];
      await Promise.race([over, scope.run(() => this.actor.perform(watch.errand, (event) => heard.push(event)))]);
      scope.cancel();
      // Errands that begin by it are performed in the scope of whoever tells it.
      for (const event of heard) this.tell(event);
      await over;
    }
  }

  private goOn(): void {
    this.isChanged = true;
    for (const errand of this.core.begin(isLong(), this.awaited > 0)) void this.perform(errand);
  }

  private async perform(errand: Doing): Promise<void> {
    await this.actor.perform(errand, (event) => this.tell(event));
    this.core.end(errand);
    this.goOn();
  }

  private whole({ name, argument }: Incoming, answer: MessageAnswer): MessageAnswer | Promise<MessageAnswer> {
    const reading = this.actor.read(name, argument);
    const more = () => (reading.kind === 'ok' ? this.core.answer(reading.message) : {});
    const found = more();
    return found !== null ? { ...answer, ...found } : this.waitFor(more).then((others) => ({ ...answer, ...others }));
  }

  private async waitFor<Found>(find: () => Found | null): Promise<Found> {
    let found: Found | null = null;
    this.awaited += 1;
    await condition(() => {
      found = find();
      return found !== null;
    });
    this.awaited -= 1;
    // Just found.
    return found as Found;
  }

  private listen(): void {
    const { inbox } = this.core;
    setHandler(defineQuery<View>(STATUS_QUERY), () => this.core.view());
    setHandler(defineSignal(HAND_OVER_SIGNAL), () => {
      this.core.askToHandOver();
      this.goOn();
    });
    listen(this.actor, {
      check: (incoming) => inbox.check(incoming),
      take: (incoming) => {
        const answer = this.whole(incoming, inbox.take(incoming));
        this.goOn();
        return answer;
      },
      hear: (incoming) => {
        const refused = inbox.hear(incoming);
        if (refused !== null) log.warn('signal refused', { name: incoming.name.slice(0, 60), why: refused.why });
        this.goOn();
      },
    });
  }
}

/** Null for a first execution: whoever starts it by hand may hand it anything. */
export function trusted<Given>(carried: Given | null): Given | null {
  return workflowInfo().continuedFromExecutionRunId === undefined ? null : carried;
}

/** A first execution notes the newest rules in its history; another finds its number in its input. */
function newestOf(rules: number): number {
  for (let n = rules; n > 1; n -= 1) if (patched(`rules-${n}`)) return n;
  return 1;
}

function isLong(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_EVENTS;
}
