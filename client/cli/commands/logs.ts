/** `sluice logs`: the journal of a run as plain lines (or the events as they are with --json), or what one turn's agent said. */

import { join } from 'node:path';
import { liveName } from '../../../protocol/messages/live-text.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { isFromFiles } from '../../calls/listed-run.js';
import type { FoundRun } from '../../look/find-runs.js';
import { followFiles } from '../../look/follow-files.js';
import { CUT_JOURNAL } from '../../look/journal-tail.js';
import { readRunFile, turnFoldersOf } from '../../look/read-run-file.js';
import { filesElsewhere } from '../find/files-elsewhere.js';
import { findRun } from '../find/find-run.js';
import { connectToLook } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, foreignBlock } from '../terminal/io.js';
import { jsonDisplay, plainDisplay } from '../watch/display.js';
import { followTurn, turnNamed } from '../watch/follow-turn.js';
import { refusalOf } from '../watch/refused-start.js';
import { exitCodeOfEnd } from '../watch/run-end.js';
import { watchRun } from '../watch/watch-run.js';

export interface LogsOptions {
  readonly asked: string | null;
  readonly follow: boolean;
  readonly turn?: string | undefined;
}

export async function logs(
  context: Context,
  { asked, follow, turn }: LogsOptions,
  connect = connectToLook,
): Promise<ExitCode> {
  const { io, json } = context;
  await using sluice = await connect(context);
  const run = await findRun(context, sluice, asked);
  const { runDir } = run;
  if (runDir === null) throw new RefusedError((await refusalOf(run, sluice)) ?? filesElsewhere(run));
  if (turn !== undefined) {
    const asked = { run, runDir, turn };
    if (follow && sluice !== null && run.closedAt === null && !isFromFiles(run)) return await tellTurn(context, asked);
    return await printTurn(context, asked);
  }
  const display = json ? jsonDisplay(io) : plainDisplay(io);
  if (follow && sluice !== null && run.closedAt === null && !isFromFiles(run)) {
    const end = await watchRun({ sluice, workflowId: run.workflowId, runDir, display, stop: io.stop });
    if (end.kind === 'server_away')
      io.err(
        `The server stays away, so this log is not whole; it goes on with: sluice up && sluice logs -f ${foreign(run.runId)}`,
      );
    // However the run ended, its log is whole: only that it was left counts.
    return exitCodeOfEnd(end) === EXIT.detached ? EXIT.detached : EXIT.done;
  }
  const follower = followFiles(runDir, display);
  await follower.readNow();
  follower.close();
  if (follower.isCut()) io.err(CUT_JOURNAL);
  if (follow && sluice === null) io.err('The engine is down, so there is nothing to follow; it starts with: sluice up');
  return EXIT.done;
}

/** **Unit** bytes. Source: the default of `limits.outputBytes`. */
const MAX_OUTPUT_BYTES = 200 * 1024 * 1024;

interface AskedTurn {
  readonly run: FoundRun;
  readonly runDir: string;
  readonly turn: string;
}

/** What it says while it works; of one that has ended, and was not seen at work, what it came to. */
async function tellTurn(context: Context, asked: AskedTurn): Promise<ExitCode> {
  const { io, json } = context;
  const { run, runDir, turn } = asked;
  if (!/^\d+$/.test(turn)) return printTurn(context, asked);
  let last = '';
  const onText = (text: string, name: string) => {
    last = text;
    if (json) io.json({ kind: 'live', runId: run.runId, turn: name, text });
    else io.write(foreignBlock(text));
  };
  const waits = () => io.err(`Turn ${turn} has not begun, or has said nothing yet.`);
  const end = await followTurn({ runDir, turn, onText, waits, stop: io.stop });
  if (!json && last !== '' && !last.endsWith('\n')) io.out('');
  if (end === 'detached') return EXIT.detached;
  return json || last === '' ? printTurn(context, asked) : EXIT.done;
}

async function printTurn({ io, json }: Context, { run, runDir, turn }: AskedTurn): Promise<ExitCode> {
  const names = (await turnFoldersOf(runDir)).toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const name = turnNamed(names, turn);
  if (name === null || !/^\d+$/.test(turn)) {
    throw new RefusedError({
      what: `the run ${foreign(run.runId)} has no turn ${foreign(turn)}`,
      why: 'turns are numbered by their place in the run',
      now: names.length === 0 ? 'It has no turns on this machine.' : `It has: ${foreign(names.join(', '))}`,
      mend:
        names.length === 0
          ? `sluice status ${foreign(run.runId)}`
          : `sluice logs ${foreign(run.runId)} --turn ${Number.parseInt(names[0] ?? '', 10)}`,
    });
  }
  const folder = join(runDir, 'turns', name);
  const read = (file: string) => readRunFile(join(folder, file), MAX_OUTPUT_BYTES);
  const output = (await read('output.md')) ?? (await read('stream.jsonl')) ?? (await read(liveName(1))) ?? '';
  if (json) io.json({ kind: 'turn', runId: run.runId, turn: name, output });
  else io.out(foreignBlock(output.trimEnd()));
  return EXIT.done;
}
