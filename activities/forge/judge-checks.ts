/** What the required checks of one commit come to. Pure. Nothing else blocks, and what nobody has begun has not passed. */

import type { CheckState, RequiredChecks } from '../../protocol/actors/forge.js';
import { printableLine } from '../../protocol/text/printable.js';

/** What one app says of one commit. */
export interface PullCheck {
  readonly name: string;
  /** Null: a commit status, which has no app. */
  readonly app: number | null;
  readonly state: CheckState;
  /** By the forge's own word. */
  readonly isRequired: boolean;
}

/** One that the rules of the base name. */
export interface RequiredCheck {
  readonly name: string;
  /** Null: of any app. */
  readonly app: number | null;
}

const MAX_NAMES = 10;
const MAX_NAME_CHARS = 100;

export function judgeChecks(checks: readonly PullCheck[], required: readonly RequiredCheck[]): RequiredChecks {
  const wanted = [...required, ...checks.filter(({ isRequired }) => isRequired)];
  for (const state of ['failed', 'pending'] as const) {
    const names = wanted.filter((one) => stateOf(one, checks) === state).map(({ name }) => name);
    if (names.length > 0) return { state, names: [...new Set(names)].slice(0, MAX_NAMES).map(shortenName) };
  }
  return { state: 'passed', names: [] };
}

/** Any app calls its checks as it likes, and people read it. */
export function shortenName(name: string): string {
  return printableLine(name.slice(0, MAX_NAME_CHARS));
}

/** One name can be of two apps: then all of them must have passed, unless the base says which one it means. */
function stateOf({ name, app }: RequiredCheck, checks: readonly PullCheck[]): CheckState {
  const named = checks.filter((check) => check.name === name);
  const said = app === null ? named : ofApp(named, app);
  if (said.some(({ state }) => state === 'failed')) return 'failed';
  return said.length > 0 && said.every(({ state }) => state === 'passed') ? 'passed' : 'pending';
}

/** A commit status names no app of its own here, so it may be of any: it counts only where that app made no check. That it is of the right one the forge holds at the merge. */
function ofApp(named: readonly PullCheck[], app: number): readonly PullCheck[] {
  const own = named.filter((check) => check.app === app);
  return own.length > 0 ? own : named.filter((check) => check.app === null);
}
