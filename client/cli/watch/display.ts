/**
 * How a watched run is shown: a live panel on a terminal (panel-display.ts), one line an event in a pipe, one object a line with --json.
 * All three listen to the same events and views, so a watcher does not know which one it feeds.
 */

import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { type Retrying, retryText } from '../../calls/retrying.js';
import type { RunListener } from '../../look/follow-files.js';
import { partsOf } from '../../look/gate-facts.js';
import { decidingCommands, gateLine, gateRows } from '../../views/gate-text.js';
import { clockOf } from '../../views/local-time.js';
import { factRows, lookingCommand } from '../gates/fact-rows.js';
import type { ShownGate } from '../gates/gate-block.js';
import { foreign, type Io } from '../terminal/io.js';
import { isTwiceTold, plainLine } from '../terminal/plain-lines.js';
import { timeText } from '../terminal/time-text.js';
import { workText } from './work-lines.js';

export interface Display extends RunListener {
  /** A line about the watching itself, for instance that the server is away; null takes it back. */
  notice(text: string | null): void;
  /** What the run fails at again and again; null when that is over. */
  retrying(retrying: Retrying | null): void;
  /** The open gate, whenever something about it changes; null when none is open any more. */
  gate(shown: ShownGate | null): void;
  /** A line of ours among the events. */
  note(text: string): void;
  /** Whatever else has the terminal until `work` is done is not drawn over. */
  giveWay(work: () => Promise<void>): Promise<void>;
  /** Takes the panel away; nothing is shown after it. */
  end(): void;
}

export function plainDisplay(io: Io): Display {
  let told: string | null = null;
  let gateTold: string | null = null;
  let workTold: string | null = null;
  const isToldElsewhere = skipTwiceTold();
  return {
    event(event) {
      if (!isToldElsewhere(event)) io.out(foreign(plainLine(event, io)));
    },
    view: () => {},
    work(work) {
      const what = work === null ? null : workText(work);
      if (work !== null && what !== null && what !== workTold)
        io.out(foreign(`${timeText(work.since, io, clockOf)} running ${what}`));
      workTold = what;
    },
    notice: (text) => {
      if (text !== null) io.err(text);
    },
    retrying(retrying) {
      // Not every attempt: a log would drown in them.
      if (retrying !== null && retrying.message !== told)
        io.err(foreign(`${retrying.activity} fails: ${retryText(retrying)}`));
      told = retrying?.message ?? null;
    },
    gate(shown) {
      if (shown !== null && shown.facts !== null && shown.gate.id !== gateTold)
        for (const line of gateLines(shown, io)) io.out(line);
      if (shown === null || shown.facts !== null) gateTold = shown?.gate.id ?? null;
    },
    note: (text) => io.out(foreign(text)),
    giveWay: (work) => work(),
    end: () => {},
  };
}

/** Whoever is told of statuses only, because the run is on another host, is told of each. */
export function skipTwiceTold(): (event: JournalEvent) => boolean {
  let tellsSteps = false;
  return (event) => {
    tellsSteps ||= event.type !== 'state.changed';
    return tellsSteps && isTwiceTold(event);
  };
}

/** Where no keys are read: the gate in full, and the commands that decide it. */
function gateLines({ gate, facts }: ShownGate, io: Io): string[] {
  const own = gateRows(gate, { time: (iso) => timeText(iso, io) }).filter(
    ({ name }) => name !== 'risk' && name !== 'reason',
  );
  const rows = [...own, ...factRows(facts, gate)];
  const looks = partsOf(facts).map((part) => `  ${'look'.padEnd(9)} ${lookingCommand(part, gate.runId)}`);
  const commands = decidingCommands(gate, gate.runId).map(
    (command, index) => `  ${(index === 0 ? 'decide' : '').padEnd(9)} ${command}`,
  );
  return [
    `It waits for a person: ${gateLine(gate)}`,
    ...rows.map(({ name, text }) => `  ${name.padEnd(9)} ${text}`),
    ...looks,
    ...commands,
  ];
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
  return {
    event: nothing,
    view: nothing,
    work: nothing,
    notice: nothing,
    retrying: nothing,
    gate: nothing,
    note: nothing,
    giveWay: (work) => work(),
    end: nothing,
  };
}
