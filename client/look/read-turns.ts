/** The turns of a run, from its folder. Files are only shown, never obeyed: anybody may have written them. */
import { join } from 'node:path';
import { withForeignFile } from '../../config/system/foreign-file.js';
import { parseRecord } from '../../protocol/text/json.js';
import { readRunFile, turnFoldersOf } from './read-run-file.js';
import { wholeCharacters } from './whole-characters.js';

export interface ShownTurn {
  /** Of its place in the journal; names it within its run. */
  readonly n: number;
  readonly stage: string;
  readonly round: number | null;
  readonly agent: string | null;
  readonly startedAt: string | null;
  /** Null: it is at work, or was lost. */
  readonly endedAt: string | null;
  /** `done`, or why not. */
  readonly end: string | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
}

/** The newest count where there are more. */
const MAX_SHOWN = 200;

/** **Unit** bytes: many times what the engine writes about a turn. All of them are read at once. */
const MAX_TURN_BYTES = 128 * 1024;

/** Oldest first. */
export async function readTurns(runDir: string): Promise<readonly ShownTurn[]> {
  const folders = (await turnFoldersOf(runDir))
    .filter((name) => TURN_FOLDER.test(name))
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  return Promise.all(folders.slice(-MAX_SHOWN).map((name) => readTurn(runDir, name)));
}

export const TURN_TEXTS = ['output', 'prompt'] as const;
export type TurnText = (typeof TURN_TEXTS)[number];

export interface AskedText {
  readonly runDir: string;
  readonly n: number;
  readonly part: TurnText;
  /** **Unit** bytes. */
  readonly from: number;
}

export interface PieceOfText {
  readonly text: string;
  /** Where the next piece begins; null: this is the last. **Unit** bytes. */
  readonly next: number | null;
}

/** **Unit** bytes. */
const PIECE_BYTES = 256 * 1024;

/** Null where there is no such turn, or it left no such text. */
export async function readTurnText({ runDir, n, part, from }: AskedText): Promise<PieceOfText | null> {
  const folder = await turnFolderOf(runDir, n);
  if (folder === null) return null;
  const read = withForeignFile(join(runDir, 'turns', folder, `${part}.md`), {}, async (file) => {
    const bytes = wholeCharacters(await file.piece({ from, length: PIECE_BYTES }));
    const end = from + bytes.length;
    return { text: bytes.toString('utf8'), next: end < file.size && end > from ? end : null };
  });
  return read.catch(() => null);
}

/** Its name. Null: there is no such turn, or not yet. */
export async function turnFolderOf(runDir: string, n: number): Promise<string | null> {
  const names = await turnFoldersOf(runDir);
  return names.find((name) => TURN_FOLDER.test(name) && Number.parseInt(name, 10) === n) ?? null;
}

const TURN_FOLDER = /^\d{1,6}-[a-z_]{1,30}$/;

async function readTurn(runDir: string, name: string): Promise<ShownTurn> {
  const fields = parseRecord((await readRunFile(join(runDir, 'turns', name, 'turn.json'), MAX_TURN_BYTES)) ?? '') ?? {};
  const text = (field: string) => (typeof fields[field] === 'string' ? fields[field] : null);
  const count = (field: string) => (typeof fields[field] === 'number' ? fields[field] : null);
  return {
    n: Number.parseInt(name, 10),
    stage: name.replace(/^\d+-/, ''),
    round: count('round'),
    agent: text('agent'),
    startedAt: text('startedAt'),
    endedAt: text('endedAt'),
    end: text('class'),
    tokensIn: count('tokensIn'),
    tokensOut: count('tokensOut'),
    costMicroUsd: count('costMicroUsd'),
  };
}
