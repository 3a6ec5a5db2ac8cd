/**
 * One try of the hostile agent: a line of shell that it runs in a turn, and the effect by which somebody outside can tell that it came through.
 * What the agent says of itself never counts. `docs/security.md` has the row that each expectation names.
 */
import type { RunResult } from '../../protocol/messages.js';
import type { TestHost } from '../support/test-host.js';
import type { Facts } from './facts.js';

/** `held`: no effect. `refused`: no effect, and the engine said so. `documented`: the effect is there, and a row says that it would be. */
export type Word = 'held' | 'refused' | 'documented';

/** The word and the id of the row: `held S1`. */
export type Expected = `${Word} ${string}`;

/** In what the line is run: a write turn, a read-only turn, a turn that fails, one that is aborted, set-up, a validation command. */
export type Turn = 'write' | 'look' | 'fail' | 'abort' | 'setup' | 'check';

export type Setting = 'inside' | 'outside';

export const GROUPS = [
  'files',
  'links',
  'descriptors',
  'proc',
  'git',
  'network',
  'sockets',
  'processes',
  'sizes',
  'streams',
  'left behind',
  'engine',
] as const;

export type Group = (typeof GROUPS)[number];

/** Secrets of the world: what stands in `$LOOT` of a try came from where only a way out leads. */
export type SecretName =
  | 'ssh'
  | 'gh'
  | 'netrc'
  | 'checkout'
  | 'home'
  | 'trust'
  | 'other'
  | 'env'
  | 'remote'
  | 'descriptor'
  | 'person'
  | 'server'
  | 'neighbour'
  | 'untracked';

export type Listener = 'loopback' | 'loopback6' | 'socket' | 'abstract' | 'datagram';

/** Paths may hold `$PERSON`, `$REPO`, `$TRY` and the other facts. */
export type Effect =
  | { readonly kind: 'made'; readonly path: string }
  | { readonly kind: 'changed'; readonly path: string }
  | { readonly kind: 'loot'; readonly secret: SecretName }
  | { readonly kind: 'called'; readonly at: Listener }
  | { readonly kind: 'lives' }
  /** A program that the try planted wrote `$MARKS/$TRY`: started by the engine, or by the person who looks at checkout and worktree afterwards. */
  | { readonly kind: 'started' }
  | { readonly kind: 'seen'; readonly look: (after: Aftermath) => boolean | Promise<boolean> };

/** What is there once the run is over. */
export interface Aftermath {
  readonly host: TestHost;
  readonly facts: Facts;
  readonly runId: string;
  readonly result: RunResult;
  /** Journal and result as text. */
  readonly told: string;
  /** What the try wrote to `$LOOT`; empty without. */
  readonly loot: string;
  readonly worktree: string;
  /** The largest size of the worker's resident memory during the run, bytes. */
  readonly workerPeak: number;
  readonly git: (...args: readonly string[]) => string;
}

export interface Try {
  readonly id: string;
  readonly group: Group;
  /** Completes: the agent … */
  readonly what: string;
  /** For `sh -c`; the facts are variables. */
  readonly line: string;
  readonly effect: Effect;
  /** What journal or result say where the engine refuses it. */
  readonly said?: RegExp;
  /** Null: the setting knows no such try. */
  readonly inside: Expected | null;
  readonly outside: Expected | null;
  /** Default: write. */
  readonly turn?: Turn;
  /** It ends or spoils its turn or its run: it has a run of its own. */
  readonly alone?: true;
  /** In the short form. */
  readonly short?: true;
  /** Instead of 10 s. */
  readonly limitMs?: number;
  /** YAML of top-level keys; needs a run of its own. */
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export const made = (path: string): Effect => ({ kind: 'made', path });
export const changed = (path: string): Effect => ({ kind: 'changed', path });
export const loot = (secret: SecretName): Effect => ({ kind: 'loot', secret });
export const called = (at: Listener): Effect => ({ kind: 'called', at });
export const seen = (look: (after: Aftermath) => boolean | Promise<boolean>): Effect => ({ kind: 'seen', look });
export const lives: Effect = { kind: 'lives' };
export const started: Effect = { kind: 'started' };

export function wordOf(expected: Expected): string {
  return expected.split(' ')[0] ?? '';
}

export function rowOf(expected: Expected): string {
  return expected.split(' ')[1] ?? '';
}
