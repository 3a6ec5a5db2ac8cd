/**
 * Reads a turn of an agent that prints its answer as plain text: the outcome from exit data alone (V-121, V-123), the text from stdout.
 * No pattern looks into the text: a plain program has no format in which "500 files" and "HTTP 500" differ, so every failure is hard.
 * Memory stays bounded whatever was printed; what lies in the middle of a longer text is left out.
 */
import { open } from 'node:fs/promises';
import type { TurnOutcome } from '../../protocol/outcomes.js';
import type { AgentExit, TurnReading } from './contract.js';
import { cutMarker, wholeHead, wholeTail } from './cut-middle.js';

/** Unit: bytes of stdout kept as text, half from the head and half from the tail. */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** Source: `TurnOutcome.why` in protocol/outcomes.ts. */
const MAX_WHY_CHARS = 300;

const STDERR_TAIL_BYTES = 4096;

export async function readPlainTurn(exit: AgentExit): Promise<TurnReading> {
  const text = await readHeadAndTail(exit.stdout, MAX_TEXT_BYTES);
  return {
    outcome: outcomeOf(exit, text, await lastLine(exit.stderr)),
    text,
    usage: { tokensIn: null, tokensOut: null, costMicroUsd: null },
    conversation: null,
  };
}

function outcomeOf(exit: AgentExit, text: string, complaint: string): TurnOutcome {
  switch (exit.reason) {
    case 'timed_out':
      return { kind: 'timeout', why: why('the agent was ended at its time limit', complaint) };
    case 'stalled':
      return { kind: 'timeout', why: why('the agent was ended because it printed nothing for the stall limit', complaint) };
    case 'output_limit':
      return { kind: 'hard', why: why('the agent was ended because it printed more than limits.outputBytes', complaint) };
    case 'aborted':
      return { kind: 'hard', why: why('the agent was ended by an abort', '') };
    case 'interrupted':
      return { kind: 'transient', why: why('the agent was interrupted before it ended', '') };
    case 'exited':
      return exitedOutcome(exit, text, complaint);
  }
}

function exitedOutcome(exit: AgentExit, text: string, complaint: string): TurnOutcome {
  if (exit.signal !== null) return { kind: 'hard', why: why(`the agent died of signal ${exit.signal}`, complaint) };
  if (exit.exitCode === null) return { kind: 'hard', why: why('the agent ended without an exit code', complaint) };
  if (exit.exitCode !== 0) return { kind: 'hard', why: why(`the agent exited with code ${exit.exitCode}`, complaint) };
  if (text.trim() === '') return { kind: 'hard', why: why('the agent printed nothing', complaint) };
  return { kind: 'done' };
}

function why(fact: string, complaint: string): string {
  const sentence = complaint === '' ? fact : `${fact}: ${complaint}`;
  return sentence.length <= MAX_WHY_CHARS ? sentence : `${sentence.slice(0, MAX_WHY_CHARS - 1)}…`;
}

/** The last line of stderr that says something, without control characters. */
async function lastLine(path: string): Promise<string> {
  const tail = await readHeadAndTail(path, STDERR_TAIL_BYTES);
  const lines = tail.split(/[\r\n]+/).map((line) => line.replace(/\p{C}+/gu, ' ').trim());
  return lines.findLast((line) => line !== '') ?? '';
}

async function readHeadAndTail(path: string, maxBytes: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size <= maxBytes) return (await readAt(file, 0, size)).toString('utf8');
    const half = Math.floor(maxBytes / 2);
    const head = wholeHead(await readAt(file, 0, half));
    const tail = wholeTail(await readAt(file, size - half, half));
    return `${head}${cutMarker(size - 2 * half)}${tail}`;
  } finally {
    await file.close();
  }
}

/** One `read` may give fewer bytes than asked for. */
async function readAt(file: Awaited<ReturnType<typeof open>>, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
