/**
 * How a watched run is shown: a live panel on a terminal, one line an event in a pipe, one object a line with --json.
 * All three listen to the same events and views, so a watcher does not know which one it feeds.
 */

import type { JournalEvent } from '../../protocol/journal.js';
import { STAGES, type Stage } from '../../protocol/lifecycle.js';
import type { RunView } from '../../protocol/run-view.js';
import { type Retrying, retryText } from '../retrying.js';
import { columnsOf } from './columns.js';
import type { RunListener } from './follow-files.js';
import type { ShownGate } from './gate-block.js';
import { decidingCommands, gateLine, gateRows } from './gate-text.js';
import { foreign, type Io } from './io.js';
import { type PanelState, renderPanel } from './panel.js';
import { agentLabel, plainLine } from './plain-lines.js';
import { pauseText, roundText } from './waiting-text.js';

export interface Display extends RunListener {
  /** A line about the watching itself, for instance that the server is away; null takes it back. */
  notice(text: string | null): void;
  /** What the run fails at again and again; null when that is over. */
  retrying(retrying: Retrying | null): void;
  /** The open gate, whenever something about it changes; null when none is open any more. */
  gate(shown: ShownGate | null): void;
  /** A line of ours among the events. */
  note(text: string): void;
  /** Takes the panel away; nothing is shown after it. */
  end(): void;
}

export interface ShownRun {
  readonly runId: string;
  readonly title: string;
  readonly stages: readonly Stage[];
  readonly startedAt: string;
}

export function plainDisplay(io: Io): Display {
  let told: string | null = null;
  let gateTold: string | null = null;
  return {
    event: (event) => io.out(foreign(plainLine(event))),
    view: () => {},
    notice: (text) => {
      if (text !== null) io.err(text);
    },
    retrying(retrying) {
      // Not every attempt: a log would drown in them.
      if (retrying !== null && retrying.message !== told) io.err(foreign(`${retrying.activity} fails: ${retryText(retrying)}`));
      told = retrying?.message ?? null;
    },
    gate(shown) {
      if (shown !== null && shown.gate.id !== gateTold) for (const line of gateLines(shown)) io.out(line);
      gateTold = shown?.gate.id ?? null;
    },
    note: (text) => io.out(foreign(text)),
    end: () => {},
  };
}

/** Where no keys are read: the gate in full, and the commands that decide it. */
function gateLines({ gate }: ShownGate): string[] {
  const rows = gateRows(gate).filter(({ name }) => name !== 'risk' && name !== 'reason');
  const commands = decidingCommands(gate, gate.runId).map((command, index) => `  ${(index === 0 ? 'decide' : '').padEnd(9)} ${command}`);
  return [`It waits for a person: ${gateLine(gate)}`, ...rows.map(({ name, text }) => `  ${name.padEnd(9)} ${text}`), ...commands];
}

/** Lines `{"kind":"event",…}` with the event as it stands in events.jsonl, `{"kind":"retrying",…}` and those of `gateDisplay`. */
export function jsonDisplay(io: Io): Display {
  return {
    ...gateDisplay(io),
    event: (event) => io.json({ kind: 'event', ...event }),
    retrying: (retrying) => io.json({ kind: 'retrying', retrying }),
    note: (text) => io.json({ kind: 'note', text }),
  };
}

/** Lines `{"kind":"gate","gate":{…}}` when a gate opens, with null when it is decided. */
export function gateDisplay(io: Io): Display {
  let told: string | null = null;
  return {
    ...silentDisplay(),
    gate(shown) {
      const id = shown?.gate.id ?? null;
      if (id !== told) io.json({ kind: 'gate', gate: shown?.gate ?? null });
      told = id;
    },
  };
}

function silentDisplay(): Display {
  const nothing = () => {};
  return { event: nothing, view: nothing, notice: nothing, retrying: nothing, gate: nothing, note: nothing, end: nothing };
}

/** **Unit** ms: the clock of the panel ticks in seconds. */
const TICK_MS = 1_000;

export function panelDisplay(io: Io, run: ShownRun): Display {
  const state = createPanelState(run);
  let drawn: readonly string[] = [];
  let ended = false;
  const erase = () => {
    // After the terminal became narrower the old lines take more rows than they were.
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(stripColors(line)) / io.columns())), 0);
    return rows === 0 ? '' : `\r\u001b[${rows}A\u001b[0J`;
  };
  const draw = () => {
    if (ended) return;
    const lines = renderPanel(state.current(), { now: Date.now(), columns: io.columns(), rows: io.rows(), colors: io.colors });
    const text = `${erase()}${lines.join('\n')}\n`;
    drawn = lines;
    io.write(text);
  };
  const timer = setInterval(draw, TICK_MS);
  const offResize = io.onResize(draw);
  draw();
  return {
    event(event) {
      state.event(event);
      draw();
    },
    view(view) {
      state.view(view);
      draw();
    },
    notice(text) {
      state.notice(text);
      draw();
    },
    retrying(retrying) {
      state.retrying(retrying);
      draw();
    },
    gate(shown) {
      state.gate(shown);
      draw();
    },
    note(text) {
      state.line(foreign(text));
      draw();
    },
    end() {
      if (ended) return;
      clearInterval(timer);
      offResize();
      io.write(erase());
      ended = true;
    },
  };
}

/** Folds events and views into what the panel shows. */
export function createPanelState(run: ShownRun) {
  let state: PanelState = {
    runId: foreign(run.runId),
    title: foreign(run.title),
    stages: run.stages,
    entered: [],
    status: null,
    agent: null,
    waiting: null,
    round: null,
    pause: null,
    gate: null,
    startedAt: run.startedAt,
    stageSince: null,
    lines: [],
    notice: null,
    retrying: null,
  };
  const enter = (stage: Stage, since: string) => {
    if (state.entered.at(-1) === stage) return;
    state = { ...state, entered: [...state.entered.filter((entered) => entered !== stage), stage], stageSince: since };
  };
  const addLine = (text: string) => {
    state = { ...state, lines: [...state.lines.slice(-20), text] };
  };
  return {
    line: addLine,
    current: (): PanelState => state,
    event(event: JournalEvent) {
      const to = event.type === 'state.changed' ? STAGES.find((stage) => stage === event.data['to']) : undefined;
      if (to !== undefined) enter(to, event.timestamp);
      addLine(foreign(plainLine(event)));
    },
    view(view: RunView) {
      if (view.stage !== null && state.entered.length === 0) enter(view.stage, view.updatedAt);
      state = {
        ...state,
        title: foreign(view.title),
        status: view.status,
        agent: view.agent === null ? null : foreign(agentLabel(view.agent)),
        waiting: view.waiting,
        round: roundText(view),
        pause: pauseText(view),
        startedAt: view.startedAt,
      };
    },
    gate(gate: ShownGate | null) {
      state = { ...state, gate };
    },
    notice(text: string | null) {
      state = { ...state, notice: text };
    },
    retrying(retrying: Retrying | null) {
      state = { ...state, retrying: retrying === null ? null : foreign(`${retrying.activity} fails: ${retryText(retrying)}`) };
    },
  };
}

function stripColors(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}
