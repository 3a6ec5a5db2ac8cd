/** A watch that lasts: ten minutes of polls and ticks in a moment, on a headless terminal that reads what is printed as a real one does. */
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import xterm, { type Terminal } from '@xterm/headless';
import { pollInPieces } from '../../../client/calls/poll-in-pieces.js';
import { panelDisplay } from '../../../client/cli/watch/panel-display.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { STAGE_LISTS } from '../../../protocol/run/stages.js';
import { openTerminal } from './fake-io.js';

const RUN = {
  runId: 'fix-parser-abcd',
  title: 'Fix the parser',
  stages: STAGE_LISTS.full,
  startedAt: '2026-11-21T10:00:00.000Z',
};
const [MINUTE, SECONDS] = [60, 600];

const turn = (seq: number): JournalEvent => ({
  seq,
  timestamp: RUN.startedAt,
  type: 'turn.started',
  message: 'executing turn by main',
  data: { stage: 'executing', round: 0, seq, agent: 'main', adapter: 'command', model: null },
});

/** All that is to be read there, what has scrolled away too. */
function textOf({ buffer: { active } }: Terminal): readonly string[] {
  const lines = Array.from(
    { length: active.length },
    (_, index) => active.getLine(index)?.translateToString(true) ?? '',
  );
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

async function watchFor(seconds: number, [columns, rows]: readonly [number, number]) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  let written = Promise.resolve();
  const write = (text: string) => {
    written = written.then(() => new Promise((resolve) => terminal.write(text, resolve)));
  };
  const { context } = openTerminal({ write, columns: () => columns, rows: () => rows });
  const display = panelDisplay(context.io, RUN);
  for (let second = 0; second < seconds; second += 1) {
    jest.advanceTimersByTime(1_000);
    if (second % 10 === 0) display.event(turn(second + 1));
    const lines = Array.from({ length: second % 7 }, (_, index) => `line ${index} of ${second}`);
    display.work({ kind: 'agent', command: 'npm test', since: RUN.startedAt, lines });
    if (second % 5 === 4) display.work(null);
  }
  return { display, textOf: async () => (await written, textOf(terminal)) };
}

beforeEach(() => {
  jest.useFakeTimers({
    now: new Date(RUN.startedAt),
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'],
  });
});

afterEach(() => {
  jest.useRealTimers();
});

describe('a watch of ten minutes', () => {
  it.each([
    [100, 30],
    [60, 24],
    [40, 12],
    [20, 8],
  ])('draws one view and no ghost of an earlier one, at %i columns and %i rows', async (...size) => {
    const { display, textOf: read } = await watchFor(SECONDS, size);
    const shown = await read();
    display.end();

    expect(shown.filter((line) => line.startsWith('Fix the parser'))).toHaveLength(1);
    expect(shown.length).toBeLessThan(size[1]);
    expect(shown.join(' ')).toContain(size[0] < 60 ? 'elapsed' : `elapsed ${SECONDS / MINUTE}:00`);
    expect(await read()).toEqual([]);
  });

  it('follows a terminal that is made narrower and wider in mid-view', async () => {
    const terminal = new xterm.Terminal({ cols: 120, rows: 30, allowProposedApi: true, convertEol: true });
    let written = Promise.resolve();
    const write = (text: string) => {
      written = written.then(() => new Promise((resolve) => terminal.write(text, resolve)));
    };
    let resized = () => {};
    const onResize = (listener: () => void) => {
      resized = listener;
      return () => {};
    };
    const { context } = openTerminal({ write, onResize, columns: () => terminal.cols, rows: () => terminal.rows });
    const display = panelDisplay(context.io, { ...RUN, title: `Fix the parser ${'of a long title '.repeat(20)}` });
    for (const columns of [60, 300, 40, 100]) {
      await written;
      terminal.resize(columns, 30);
      resized();
      jest.advanceTimersByTime(5_000);
    }
    await written;

    expect(textOf(terminal).filter((line) => line.includes('Fix the parser'))).toHaveLength(1);
    display.end();
  });

  it('leaves no listener behind, however often it asks', async () => {
    jest.useRealTimers();
    const stop = new AbortController();
    const warnings: unknown[] = [];
    const warn = (warning: unknown) => void warnings.push(warning);
    process.on('warning', warn);
    let asked = 0;
    // As the SDK does: each poll hangs a listener on its signal and takes none away.
    const poll = (signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        asked += 1;
        if (asked > SECONDS) resolve('closed');
        else signal.addEventListener('abort', () => reject(signal.reason as Error));
      });

    expect(await pollInPieces(stop.signal, poll, 1)).toBe('closed');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);

    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
