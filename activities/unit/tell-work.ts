/**
 * Tells whoever watches a run what a command of it is at: looks at what the command has printed about once a second, and shows the end of it.
 * A view and nothing more: what cannot be read or written is left out, and a command that is quick is not told at all.
 */
import { stat } from 'node:fs/promises';
import { wholeTail } from '../../config/system/cut-middle.js';
import { withForeignFile } from '../../config/system/foreign-file.js';
import type { LiveTurn } from '../../protocol/messages/live-text.js';
import { type LiveWork, MAX_LIVE_CHARS, MAX_LIVE_LINES } from '../../protocol/messages/live-work.js';
import { printable } from '../../protocol/text/printable.js';
import type { Redactor } from '../../protocol/text/value-redactor.js';
import type { Glance } from '../agent/contract.js';
import { jsonObjectOf } from '../agent/events/read-json-lines.js';
import { SpokenText } from '../agent/events/spoken-text.js';
import type { LiveFile } from '../journal/live-file.js';

export interface WorkTeller {
  readonly redactor: Pick<Redactor, 'text' | 'visible'>;
  /** Shows it in the folder of the run; null: nothing is at work any more. */
  show(work: LiveWork | null): Promise<void>;
  /** Of what the agent of a turn says. */
  liveFile(turn: LiveTurn): LiveFile;
}

export interface WatchedCommand {
  readonly kind: LiveWork['kind'];
  /** Of set-up and checks. */
  readonly command: string | null;
  /** Path of what it prints. */
  readonly stdout: string;
  /** What a line of JSON says; without it what is printed is text. */
  readonly glance: ((event: Readonly<Record<string, unknown>>) => Glance | null) | null;
}

const LOOK_EVERY_MS = 1_000;

/** Unit: bytes of the end that are looked at. */
const TAIL_BYTES = 64 * 1024;

/** Answers and throws what `work` does. `teller` null: nobody could watch. */
export async function tellingWork<T>(
  teller: WorkSink | null,
  watched: WatchedCommand,
  work: () => Promise<T>,
): Promise<T> {
  if (teller === null) return work();
  const look = createLook(teller, watched);
  try {
    return await lookingOn(look.again, work);
  } finally {
    await look.end();
  }
}

/** Looks about once a second while `work` lasts, one look at a time; none is under way when it answers. */
export async function lookingOn<T>(again: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  let looking: Promise<void> = Promise.resolve();
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // Whatever a look meets, the command is not to end for it.
    looking = again()
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await looking;
  }
}

type WorkSink = Pick<WorkTeller, 'redactor' | 'show'>;

function createLook(teller: WorkSink, { kind, command, stdout, glance }: WatchedCommand) {
  const begun = new Date().toISOString();
  const line = command === null ? null : clean(teller, command).join(' ');
  let shown: LiveWork | null = null;
  const show = async (work: LiveWork) => {
    if (JSON.stringify(work) === JSON.stringify(shown)) return;
    shown = work;
    // Only a view: whoever works must not end for it.
    await teller.show(work).catch(() => {});
  };
  return {
    async again() {
      const seen = glance === null ? textSeen(await readTail(stdout)) : eventsSeen(await readTail(stdout), glance);
      const since = await bornAt(stdout);
      const own = seen.command === null ? null : clean(teller, seen.command).join(' ');
      const isNew = own !== null && own !== shown?.command;
      await show({
        kind,
        command: line ?? own,
        since: own === null ? (since ?? begun) : isNew ? new Date().toISOString() : (shown?.since ?? begun),
        lines: clean(teller, seen.text).slice(-MAX_LIVE_LINES),
      });
    },
    // Whatever this process showed: of one that was killed something may stand there still.
    end: () => teller.show(null).catch(() => {}),
  };
}

/** When the command began, also where another worker began it. */
async function bornAt(path: string): Promise<string | null> {
  const born = await stat(path).catch(() => null);
  return born === null || born.birthtimeMs === 0 ? null : born.birthtime.toISOString();
}

/** Whole lines only: the beginning of a secret would not be known as one. */
async function readTail(path: string): Promise<string> {
  const text = await withForeignFile(path, {}, async (file) => {
    const length = Math.min(file.size, TAIL_BYTES);
    const tail = wholeTail(await file.piece({ from: file.size - length, length }));
    return file.size > length ? tail.slice(tail.indexOf('\n') + 1) : tail;
  }).catch(() => null);
  return (text ?? '').slice(0, (text ?? '').lastIndexOf('\n') + 1);
}

interface Seen {
  readonly text: string;
  readonly command: string | null;
}

function textSeen(tail: string): Seen {
  return { text: tail, command: null };
}

/** What stands behind the last newline waits for its end. */
function eventsSeen(tail: string, glance: NonNullable<WatchedCommand['glance']>): Seen {
  const spoken = new SpokenText();
  let text = '';
  let command: string | null = null;
  for (const line of tail.split('\n')) {
    const event = jsonObjectOf(line);
    const seen = event === null ? null : glance(event);
    if (seen === null) continue;
    text += spoken.add(seen);
    if (seen.kind === 'command') command = seen.command;
    else if (seen.kind === 'command_ended') command = null;
  }
  return { text: text.slice(0, text.lastIndexOf('\n') + 1), command };
}

/** A key whose first line is not here any more is known by nothing but its form. */
const KEY_LINE = /^[A-Za-z0-9+/=]{40,}$/;

function clean({ redactor }: WorkSink, text: string): readonly string[] {
  const lines = printable(redactor.text(text))
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd());
  return lines
    .filter((line) => line !== '' && !KEY_LINE.test(line.trim()))
    .map((line) => line.slice(0, MAX_LIVE_CHARS));
}
