/**
 * Reads a turn of an agent that prints its answer as plain text: the text from stdout, and for a failed one its class from the exit and the last lines
 * of both outputs (failure-table.ts). A turn that ended well is never searched for failures, whatever its text says.
 * Memory stays bounded whatever was printed; what lies in the middle of a longer text is left out.
 */
import { cutMarker, wholeHead, wholeTail } from '../../../config/system/cut-middle.js';
import { withForeignFile } from '../../../config/system/foreign-file.js';
import { TURN_OUTCOMES, type TurnOutcome } from '../../../protocol/run/outcomes.js';
import { withoutSequences } from '../../../protocol/text/printable.js';
import type { AgentExit, TurnReading } from '../contract.js';
import { classifyFailure } from './failure-table.js';
import { readGuardEnd, why } from './guard-end.js';

/** Unit: bytes of stdout kept as text, half from the head and half from the tail. */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** Unit: bytes of the end of an output in which a failure is looked for. */
const TAIL_BYTES = 16 * 1024;

/** A program that gives up says why at the end. */
const TAIL_LINES = 10;

export async function readPlainTurn(exit: AgentExit): Promise<TurnReading> {
  const text = await readHeadAndTail(exit.stdout, MAX_TEXT_BYTES);
  return {
    outcome: outcomeOf(exit, text, await readLastLines(exit.stderr)),
    text,
    usage: { tokensIn: null, tokensOut: null, costMicroUsd: null },
    conversation: null,
    denied: 0,
  };
}

/** The last lines that say something, oldest first, without control characters. A line that does not begin there begins with `…`. */
export async function readLastLines(path: string): Promise<readonly string[]> {
  const lines = await withForeignFile(path, {}, async (file) => {
    const length = Math.min(file.size, TAIL_BYTES);
    const tail = wholeTail(await file.piece({ from: file.size - length, length }));
    return lastLines(file.size > length ? `…${tail}` : tail);
  });
  return lines ?? [];
}

function lastLines(text: string): readonly string[] {
  const lines = withoutSequences(text)
    .split(/[\r\n]+/)
    .map((line) => line.replace(/\p{C}+/gu, ' ').trimEnd());
  return lines.filter((line) => line !== '').slice(-TAIL_LINES);
}

function outcomeOf(exit: AgentExit, text: string, stderr: readonly string[]): TurnOutcome {
  const complaint = stderr.at(-1)?.trim() ?? '';
  return readGuardEnd(exit, complaint) ?? exitedOutcome(exit, text, { stderr, complaint });
}

function exitedOutcome(
  exit: AgentExit,
  text: string,
  said: { readonly stderr: readonly string[]; readonly complaint: string },
): TurnOutcome {
  const { stderr, complaint } = said;
  if (exit.signal !== null) return { kind: 'hard', why: why(`the agent died of signal ${exit.signal}`, complaint) };
  if (exit.exitCode === null) return { kind: 'hard', why: why('the agent ended without an exit code', complaint) };
  if (exit.exitCode === 0 && text.trim() !== '') return { kind: 'done' };
  const fact = exit.exitCode === 0 ? 'the agent printed nothing' : `the agent exited with code ${exit.exitCode}`;
  const tail = text.slice(-TAIL_BYTES);
  const stdout = lastLines(tail.length < text.length ? `…${tail}` : tail);
  const now = new Date(exit.endedAt);
  const { said: words, ...failure } = classifyFailure({ exitCode: exit.exitCode, stderr, stdout, now });
  // The next attempt cannot start before there is room for its own marks.
  if (failure.kind === 'hard' && exit.diskFull === true)
    return { kind: 'transient', why: why(`${fact}, and the disk was full`, complaint) };
  const told = TURN_OUTCOMES[failure.kind].fact;
  const isTold = told !== null || complaint.startsWith('sluice-outcome: ');
  return { ...failure, why: why(told ?? fact, words ?? (isTold ? '' : complaint)) };
}

async function readHeadAndTail(path: string, maxBytes: number): Promise<string> {
  const text = await withForeignFile(path, {}, async (file) => {
    const { size } = file;
    if (size <= maxBytes) return (await file.piece({ from: 0, length: size })).toString('utf8');
    const half = Math.floor(maxBytes / 2);
    const head = wholeHead(await file.piece({ from: 0, length: half }));
    const tail = wholeTail(await file.piece({ from: size - half, length: half }));
    return `${head}${cutMarker(size - 2 * half)}${tail}`;
  });
  // What is no file any more holds no text; a read that is tried again would find the same.
  return text ?? '';
}
