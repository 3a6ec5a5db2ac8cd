/**
 * One durable clock for the usage limit of one account, `quota:<provider>/<account>`: it parks runs without holding anything of theirs.
 * Waits for: Signals `park`, `probed`, `leave`, `open` (a person's, an Update too); its own timer.
 * Survives: the loss of worker and server. If it is lost itself, waiting runs start it anew by their own timers.
 * Carries: all of its state over continue-as-new. Ends: when it is open and nobody waits.
 */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { STATUS_QUERY } from '../protocol/names.js';
import { printable } from '../protocol/printable.js';
import { QUOTA_MESSAGES, QUOTA_SIGNAL, type QuotaGateView, type QuotaMessageName } from '../protocol/quota.js';
import type { MessageAnswer } from '../protocol/run-message.js';
import { readQuotaEvent } from './quota-messages.js';
import { afterEvent, isIdle, NOBODY_WAITS, type QuotaEvent, type QuotaState, type Send, viewOf, wakesAt } from './quota-table.js';

/** Runs that are told at once. */
const BATCH = 50;

/** A quarter of what the server warns at. */
const MAX_EVENTS = 2_500;

/** For the first message of a gate that somebody started by hand. */
const FIRST_MESSAGE_MS = 10_000;

interface QuotaGateInput {
  /** Of the execution before; unsaid: there was none. */
  readonly state?: QuotaState;
}

const quotaStatusQuery = defineQuery<QuotaGateView>(STATUS_QUERY);
const quotaOpenUpdate = defineUpdate<MessageAnswer, [unknown]>('open');

export async function quotaGate(input?: QuotaGateInput): Promise<QuotaGateView> {
  const gate = new Gate(input?.state?.mode === undefined ? NOBODY_WAITS : input.state);
  listen(gate);
  if (isIdle(gate.state)) await condition(() => !isIdle(gate.state), FIRST_MESSAGE_MS);
  const telling = gate.tellAll();
  // A cancelled gate ends by what the loop below throws.
  telling.catch(() => undefined);
  for (;;) {
    gate.present();
    if (gate.isDone()) break;
    if (gate.handsOver()) await continueAsNew<typeof quotaGate>({ state: gate.state });
    await gate.wake(wakesAt(gate.state));
  }
  gate.ended = true;
  await telling;
  return gate.view();
}

class Gate {
  ended = false;
  private outbox: Send[] = [];
  private sending = false;
  private shown = '';
  private readonly account = workflowInfo().workflowId.replace(/^quota:/, '');

  constructor(public state: QuotaState) {}

  take(event: QuotaEvent): void {
    const { state, sends } = afterEvent(this.state, event, Date.now());
    this.state = state;
    this.outbox.push(...sends);
    setCurrentDetails(details(this.view()));
  }

  view(): QuotaGateView {
    return viewOf(this.account, this.state);
  }

  isDone(): boolean {
    return isIdle(this.state) && this.rests();
  }

  handsOver(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    return (continueAsNewSuggested || historyLength > MAX_EVENTS) && this.rests();
  }

  /** One timer for as long as the time is the same, however many come meanwhile. */
  async wake(at: number | null): Promise<void> {
    const isOther = () => wakesAt(this.state) !== at || this.isDone() || this.handsOver();
    if (at === null) return condition(isOther);
    const due = at - Date.now();
    if (due > 0 && (await condition(isOther, due))) return;
    this.take({ kind: 'tick' });
  }

  /** Runs beside everything else, until the gate ends. */
  async tellAll(): Promise<void> {
    for (;;) {
      await condition(() => this.outbox.length > 0 || this.ended);
      if (this.ended) return;
      this.sending = true;
      await Promise.all(this.outbox.splice(0, BATCH).map((send) => this.tell(send)));
      this.sending = false;
    }
  }

  /** The memo is one event, so only a change of state or time goes out. */
  present(): void {
    const view = this.view();
    const now = `${view.state} ${view.until ?? ''}`;
    if (now === this.shown) return;
    this.shown = now;
    upsertMemo({ account: view.account, state: view.state, until: view.until, since: view.since, note: view.note });
  }

  /** A run that is gone is dropped. */
  private async tell({ workflowId, word }: Send): Promise<void> {
    try {
      await getExternalWorkflowHandle(workflowId).signal(QUOTA_SIGNAL, word);
    } catch (err) {
      if (isCancellation(err)) throw err;
      this.take({ kind: 'unreachable', workflowId });
    }
  }

  private rests(): boolean {
    return this.outbox.length === 0 && !this.sending;
  }
}

function listen(gate: Gate): void {
  setHandler(quotaStatusQuery, () => gate.view());
  setHandler(quotaOpenUpdate, () => {
    const { waiting, state } = gate.view();
    gate.take({ kind: 'open' });
    const changed = state !== 'open';
    const message = changed
      ? `the usage limit counts as over; ${waiting} waiting ${waiting === 1 ? 'run goes' : 'runs go'} on`
      : 'it is open already';
    return { message, status: 'open', changed };
  });
  // A Signal handler that throws would fail the gate.
  const hear = (name: QuotaMessageName, argument: unknown) => {
    const event = readQuotaEvent(name, argument);
    if (event !== null) gate.take(event);
  };
  for (const name of QUOTA_MESSAGES) setHandler(defineSignal<[unknown]>(name), (argument) => hear(name, argument));
  // Else the SDK would keep it for a handler that never comes.
  setDefaultSignalHandler(() => undefined);
}

function details(view: QuotaGateView): string {
  const lines = [
    `usage limit of **${view.account}**: **${view.state}**`,
    view.until === null ? '' : `${view.state === 'probing' ? 'the probe is given up at' : 'one run tries again at'} ${view.until}`,
    view.note === null ? '' : view.note,
    view.refusals === 0 ? '' : `met again by ${view.refusals} probe(s) in a row`,
    view.probe === null ? '' : `probed by: \`${view.probe}\``,
    `${view.waiting} run(s) wait${view.waiting === 0 ? '' : `: ${view.runs.map((run) => `\`${run}\``).join(', ')}`}${view.waiting > view.runs.length ? ', …' : ''}`,
    view.state === 'open'
      ? ''
      : `if it is over: \`sluice quota open ${view.account}\` or \`temporal workflow signal --workflow-id quota:${view.account} --name open\``,
  ];
  return printable(lines.filter((line) => line !== '').join('\n\n')).slice(0, 8_000);
}
