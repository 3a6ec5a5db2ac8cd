/**
 * Shows the open gate of a watched run and, on an interactive terminal, takes its decision by keys. The decision names the gate and commit
 * that are on the screen and goes the way of every message. Inside a turn no keys are read. A gate that opens while somebody types begins
 * as left open, so that nothing typed for one decides the next.
 */

import { messageOf } from '../../../config/system/error-code.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { diffFiles } from '../../repository.js';
import type { MessageToSend, Sent, Sluice } from '../../sluice.js';
import { firstPrompt, type GateEffect, type GatePrompt, pressKey } from '../gates/gate-prompt.js';
import { QUEUED } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import type { Key } from '../terminal/keys.js';
import { isInsideTurn, personOf } from '../terminal/person.js';
import type { Display } from './display.js';

export interface AnsweredRun {
  readonly sluice: Pick<Sluice, 'send'>;
  readonly workflowId: string;
  /** Where its commits are. */
  readonly repo: string;
  readonly display: Pick<Display, 'gate'>;
  /** **Unit** ms, from any start; it only goes forward. */
  readonly now?: () => number;
}

export interface GateAnswerer {
  gate(gate: Gate | null): void;
  view(view: RunView): void;
  close(): void;
}

export function answerGates(context: Context, run: AnsweredRun): GateAnswerer {
  const answerer = new Answerer(context, run);
  const { io, json } = context;
  const offKeys =
    io.interactive && io.live && !json && !isInsideTurn(io.env) ? io.onKey((key) => answerer.press(key)) : null;
  answerer.readsKeys = offKeys !== null;
  return {
    gate: (gate) => answerer.open(gate),
    view: (view) => answerer.saw(view),
    close: () => offKeys?.(),
  };
}

/** **Unit** ms. Whoever typed a key this long ago has seen what is on the screen since. */
const QUIET_MS = 1_000;

const OPENED_WHILE_TYPING = 'it opened while you typed: look, wait a second, then press g';

interface OpenGate {
  readonly gate: Gate;
  readonly prompt: GatePrompt;
  readonly told: readonly string[];
}

class Answerer {
  readsKeys = false;
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
  ) {}

  open(gate: Gate | null): void {
    this.leftTyping ||= this.current?.prompt.kind === 'typing';
    if (gate === null) {
      this.show(null);
      return;
    }
    this.isHasty = this.readsKeys && (this.leftTyping || this.now() - this.lastKeyAt < QUIET_MS);
    this.leftTyping = false;
    this.show(
      this.isHasty
        ? { gate, prompt: { kind: 'left' }, told: [OPENED_WHILE_TYPING] }
        : { gate, prompt: firstPrompt(gate), told: [] },
    );
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
    if (this.current?.gate.id === gate.id) this.show({ gate, ...after });
  }

  private async effectOf(gate: Gate, effect: GateEffect): Promise<Omit<OpenGate, 'gate'>> {
    if (effect.kind === 'show_diff') return { prompt: { kind: 'choosing' }, told: await this.diffOf(gate) };
    const message = composeMessage(gate, effect, personOf(this.context));
    const sent = await this.run.sluice.send(this.run.workflowId, message, this.context.io.stop);
    return afterSending(gate, sent);
  }

  private async diffOf({ commit }: Gate): Promise<readonly string[]> {
    const files =
      this.baseSha === null || commit === null ? null : await diffFiles(this.run.repo, this.baseSha, commit);
    if (files === null) return ['the commits are not on this machine'];
    if (files.length === 0) return ['nothing is changed yet'];
    return files.map(({ path, insertions, deletions }) => `${path}  +${insertions} -${deletions}`);
  }

  private show(current: OpenGate | null): void {
    this.current = current;
    this.run.display.gate(current === null ? null : { ...current, prompt: this.readsKeys ? current.prompt : null });
  }
}

function composeMessage(
  { id, commit }: Gate,
  effect: Exclude<GateEffect, { kind: 'show_diff' }>,
  by: string,
): MessageToSend {
  if (effect.kind === 'answer') return { name: 'answer', argument: { promptId: id, text: effect.text, by } };
  return { name: 'approve', argument: { gate: id, decision: effect.decision, note: effect.note, commit, by } };
}

function afterSending(gate: Gate, sent: Sent): Omit<OpenGate, 'gate'> {
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
