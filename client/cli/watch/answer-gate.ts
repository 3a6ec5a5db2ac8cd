/**
 * Shows the open gate of a watched run and, on an interactive terminal, takes its decision by keys. The decision names the gate and commit
 * that are on the screen and goes the way of every message. Inside a turn no keys are read. A gate that opens while somebody types begins
 * as left open, so that nothing typed for one decides the next.
 */

import { messageOf } from '../../../config/system/error-code.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { type GatePart, type GatePlace, gatherFacts, readGatePart } from '../../look/gate-facts.js';
import { detailsOf } from '../../look/open-gates.js';
import type { MessageToSend, Sent, Sluice } from '../../sluice.js';
import type { ShownGate } from '../gates/gate-block.js';
import { firstPrompt, type GateEffect, type GatePrompt, pressKey } from '../gates/gate-prompt.js';
import { QUEUED } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import { foreignBlock } from '../terminal/io.js';
import type { Key } from '../terminal/keys.js';
import { showText } from '../terminal/pager.js';
import { paintPatch } from '../terminal/patch-colors.js';
import { isInsideTurn, personOf } from '../terminal/person.js';
import type { Display } from './display.js';

export interface AnsweredRun extends Pick<GatePlace, 'runDir' | 'repo'> {
  readonly sluice: Pick<Sluice, 'send' | 'details'>;
  readonly workflowId: string;
  readonly display: Pick<Display, 'gate' | 'giveWay'>;
  /** **Unit** ms, from any start; it only goes forward. */
  readonly now?: () => number;
}

export interface GateAnswerer {
  gate(gate: Gate | null): void;
  view(view: RunView): void;
  /** Resolves when nobody reads what it showed any more. */
  close(): Promise<void>;
}

export function answerGates(context: Context, run: AnsweredRun): GateAnswerer {
  const answerer = new Answerer(context, run);
  return {
    gate: (gate) => answerer.open(gate),
    view: (view) => answerer.saw(view),
    close: () => answerer.close(),
  };
}

/** **Unit** ms. Whoever typed a key this long ago has seen what is on the screen since. */
const QUIET_MS = 1_000;

const OPENED_WHILE_TYPING = 'it opened while you typed: look, wait a second, then press g';

type OpenGate = ShownGate & { readonly prompt: GatePrompt };

type AfterEffect = Pick<OpenGate, 'told'> & Partial<Pick<OpenGate, 'prompt'>>;

class Answerer {
  private readonly readsKeys: boolean;
  private offKeys: () => void = () => {};
  /** What is looked at just now. */
  private looking: Promise<void> | null = null;
  private current: OpenGate | null = null;
  private baseSha: string | null = null;
  private lastKeyAt = Number.NEGATIVE_INFINITY;
  /** A text for a gate was begun and never sent. */
  private leftTyping = false;
  /** The gate on the screen opened under somebody's fingers, and they have not taken it up yet. */
  private isHasty = false;

  constructor(
    private readonly context: Context,
    private readonly run: AnsweredRun,
  ) {
    const { io, json } = context;
    this.readsKeys = io.interactive && io.live && !json && !isInsideTurn(io.env);
    this.listen();
  }

  async close(): Promise<void> {
    this.offKeys();
    await this.looking;
    // Whoever looked has listened again.
    this.offKeys();
  }

  open(gate: Gate | null): void {
    this.leftTyping ||= this.current?.prompt.kind === 'typing';
    if (gate === null) {
      this.show(null);
      return;
    }
    // Whoever looks at one gate in the pager has not seen the next.
    const isTyping = this.leftTyping || this.looking !== null || this.now() - this.lastKeyAt < QUIET_MS;
    this.isHasty = this.readsKeys && isTyping;
    this.leftTyping = false;
    const bare = { gate, facts: null };
    this.show(
      this.isHasty
        ? { ...bare, prompt: { kind: 'left' }, told: [OPENED_WHILE_TYPING] }
        : { ...bare, prompt: firstPrompt(gate), told: [] },
    );
    void this.addFacts(gate);
  }

  saw({ baseSha }: RunView): void {
    this.baseSha = baseSha;
  }

  press(key: Key): void {
    const { current } = this;
    const at = this.now();
    const isQuiet = at - this.lastKeyAt >= QUIET_MS;
    this.lastKeyAt = at;
    if (current === null || (this.isHasty && !isQuiet)) return;
    const { prompt, effect } = pressKey(current.prompt, current.gate, key);
    if (prompt.kind !== 'left') this.isHasty = false;
    this.show({ ...current, prompt });
    if (effect !== null) void this.act(current.gate, effect);
  }

  /** Never rejects. */
  private async addFacts(gate: Gate): Promise<void> {
    const { run } = this;
    const details = await detailsOf(run, run.sluice);
    const facts = await gatherFacts(this.place, gate, details?.stages ?? []);
    const { current } = this;
    if (current?.gate.id === gate.id) this.show({ ...current, facts });
  }

  private get place(): GatePlace {
    const { runDir, repo } = this.run;
    return { runDir, repo, baseSha: this.baseSha };
  }

  private listen(): void {
    if (this.readsKeys) this.offKeys = this.context.io.onKey((key) => this.press(key));
  }

  private now(): number {
    return this.run.now?.() ?? performance.now();
  }

  /** Never rejects: what went wrong is shown where the decision was taken. */
  private async act(gate: Gate, effect: GateEffect): Promise<void> {
    const after = await this.effectOf(gate, effect).catch((error: unknown) => ({
      prompt: firstPrompt(gate),
      told: [`not sent, or it is not known: ${messageOf(error)}`],
    }));
    // It may have been decided elsewhere meanwhile.
    const { current } = this;
    if (current?.gate.id === gate.id) this.show({ ...current, ...after });
  }

  private async effectOf(gate: Gate, effect: GateEffect): Promise<AfterEffect> {
    // Nothing is decided by it: what was typed meanwhile goes on.
    if (effect.kind === 'show') return { told: await this.showPart(gate, effect.part) };
    const message = composeMessage(gate, effect, personOf(this.context));
    const sent = await this.run.sluice.send(this.run.workflowId, message, this.context.io.stop);
    return afterSending(gate, sent);
  }

  /** In the pager of the person, which has the keys meanwhile. */
  private async showPart(gate: Gate, part: GatePart): Promise<readonly string[]> {
    const { io } = this.context;
    const text = await readGatePart(part, this.place, gate);
    if (text === null) return [`there is no ${part} yet, or it is not on this machine`];
    if (this.looking !== null) return [];
    const shown = part === 'diff' ? paintPatch(text, io.colors) : foreignBlock(text);
    this.offKeys();
    this.looking = this.run.display
      .giveWay(() => showText(io, shown))
      .finally(() => {
        this.looking = null;
        this.lastKeyAt = this.now();
        this.listen();
      });
    await this.looking;
    return [];
  }

  private show(current: OpenGate | null): void {
    this.current = current;
    this.run.display.gate(current === null ? null : { ...current, prompt: this.readsKeys ? current.prompt : null });
  }
}

function composeMessage(
  { id, createdAt: openedAt, commit }: Gate,
  effect: Exclude<GateEffect, { kind: 'show' }>,
  by: string,
): MessageToSend {
  if (effect.kind === 'answer') return { name: 'answer', argument: { promptId: id, openedAt, text: effect.text, by } };
  return {
    name: 'approve',
    argument: { gate: id, openedAt, decision: effect.decision, note: effect.note, commit, by },
  };
}

function afterSending(gate: Gate, sent: Sent): AfterEffect {
  switch (sent.kind) {
    case 'accepted':
      return { prompt: { kind: 'sent' }, told: [`accepted: ${sent.answer.message}`] };
    case 'queued':
      return { prompt: { kind: 'left' }, told: [`queued: ${QUEUED}`] };
    case 'refused':
      return { prompt: firstPrompt(gate), told: [`refused: ${sent.why}`] };
    case 'not_kept':
      return { prompt: { kind: 'left' }, told: [`the server keeps no more messages of this run: ${sent.why}`] };
    case 'cancelled':
    case 'closed':
      return { prompt: { kind: 'left' }, told: ['the run is closed'] };
    case 'unknown':
      return { prompt: { kind: 'left' }, told: ['the server does not know this run'] };
  }
}
