/**
 * The live text of a turn as it grows, from a position: a file and a byte in it, which is a fact of the files, so that whoever has it goes on there. Anybody may have
 * put anything in their place: what is no regular file is not there, and no more is read of one than the engine writes.
 */
import { join } from 'node:path';
import { withForeignFile } from '../../config/system/foreign-file.js';
import { liveName, MAX_LIVE_BYTES, MAX_LIVE_FILES } from '../../protocol/messages/live-text.js';
import { type FolderFollower, followFolder } from './follow-folder.js';
import { wholeCharacters } from './whole-characters.js';

/** `file`: from 1, as `liveName` has it. `byte`: where the next text begins. */
export interface LivePosition {
  readonly file: number;
  readonly byte: number;
}

export const LIVE_START: LivePosition = { file: 1, byte: 0 };

/** `next`: behind the text. */
export type OnLiveText = (text: string, next: LivePosition) => void;

export function followLiveText(turnDir: string, from: LivePosition, onText: OnLiveText): FolderFollower {
  let at = from;
  const look = async () => {
    for (let isMore = true; isMore; ) {
      // First, since what the writer left is whole once it began another.
      const isLeft = at.file < MAX_LIVE_FILES && (await isThere(join(turnDir, liveName(at.file + 1))));
      const bytes = await newBytes(join(turnDir, liveName(at.file)), at.byte);
      if (bytes.length > 0) {
        at = { ...at, byte: at.byte + bytes.length };
        onText(bytes.toString('utf8'), at);
      }
      if (isLeft) at = { file: at.file + 1, byte: 0 };
      isMore = isLeft;
    }
  };
  return followFolder(turnDir, (name) => name === null || /^live\.(?:\d\.)?md$/.test(name), look);
}

async function isThere(path: string): Promise<boolean> {
  return (await withForeignFile(path, {}, async () => true).catch(() => null)) ?? false;
}

async function newBytes(path: string, from: number): Promise<Buffer> {
  const read = withForeignFile(path, {}, (file) => {
    const length = Math.min(file.size, MAX_LIVE_BYTES) - from;
    return length <= 0 ? Promise.resolve(NOTHING) : file.piece({ from, length });
  });
  return wholeCharacters((await read.catch(() => null)) ?? NOTHING);
}

const NOTHING = Buffer.alloc(0);
