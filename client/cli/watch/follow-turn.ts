/** Follows what the agent of a turn says until the turn, or its run, has ended. It asks the files of the run only. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal } from '../../../protocol/run/lifecycle.js';
import { followLiveText, LIVE_START } from '../../look/live-text.js';
import { parseView } from '../../look/parse-view.js';
import { readRunFile, turnFoldersOf } from '../../look/read-run-file.js';

export interface FollowedTurn {
  readonly runDir: string;
  /** Its number. */
  readonly turn: string;
  /** `name`: of its folder. */
  readonly onText: (text: string, name: string) => void;
  /** There is nothing of it yet. */
  readonly waits: () => void;
  readonly stop: AbortSignal;
}

/** **Unit** ms. */
const LOOK_EVERY_MS = 250;

/** A turn that had ended before tells nothing. */
export async function followTurn(followed: FollowedTurn): Promise<'ended' | 'detached'> {
  const { runDir, turn, onText, waits, stop } = followed;
  let name = turnNamed(await turnFoldersOf(runDir), turn);
  if (name !== null && hasEnded(runDir, name)) return 'ended';
  if (name === null) waits();
  while (name === null) {
    const isOver = await isRunOver(runDir);
    name = turnNamed(await turnFoldersOf(runDir), turn);
    if (name === null && isOver) return 'ended';
    if (name === null && (await isStopped(stop))) return 'detached';
  }
  const found = name;
  const follower = followLiveText(join(runDir, 'turns', found), LIVE_START, (text) => onText(text, found));
  try {
    while (!hasEnded(runDir, found) && !(await isRunOver(runDir))) if (await isStopped(stop)) return 'detached';
    await follower.readNow();
    return 'ended';
  } finally {
    follower.close();
  }
}

/** Null: none of them is its. */
export function turnNamed(names: readonly string[], turn: string): string | null {
  return names.find((name) => name.startsWith(`${turn}-`)) ?? null;
}

/** What is left of a turn is written when it ends. */
function hasEnded(runDir: string, name: string): boolean {
  return ['turn.json', 'output.md'].every((file) => existsSync(join(runDir, 'turns', name, file)));
}

async function isRunOver(runDir: string): Promise<boolean> {
  const view = parseView((await readRunFile(join(runDir, 'state.json'))) ?? '');
  return view !== null && isTerminal(view.status);
}

async function isStopped(stop: AbortSignal): Promise<boolean> {
  await delay(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => {});
  return stop.aborted;
}
