/**
 * One try of the hostile agent: a line of shell that it runs in a turn, and the effect by which somebody outside can tell that it came through.
 * What the agent says of itself never counts. `docs/security.md` has the row that each expectation names.
 */
import type { RunResult } from '../../protocol/messages/messages.js';
import type { TestHost } from '../support/test-host.js';
import type { Facts } from './facts.js';

/** `held`: no effect. `refused`: no effect, and the engine said so. `documented`: the effect is there, and a row says that it would be. */
export type Word = 'held' | 'refused' | 'documented';

/** The word and the id of the row: `held S1`. */
export type Expected = `${Word} ${string}`;

/** In what the line is run: a write turn, a read-only turn, a review, a turn that fails, one that is aborted, set-up, a validation command. */
export type Turn = 'write' | 'look' | 'review' | 'fail' | 'abort' | 'setup' | 'check';

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
  | 'other'
  | 'env'
  | 'remote'
  | 'descriptor'
  | 'person'
  | 'server'
  | 'neighbour'
  | 'given';

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
  /** The same, but by the engine: before the person looks. */
  | { readonly kind: 'obeyed' }
  | { readonly kind: 'seen'; readonly look: (after: Aftermath) => boolean | Promise<boolean> };

/** What is there once the run is over. */
export interface Aftermath {
  readonly host: TestHost;
  readonly facts: Facts;
  readonly secrets: Readonly<Record<SecretName, string>>;
  readonly runId: string;
  readonly result: RunResult;
  /** Journal and result as text. */
  readonly told: string;
  readonly eventTypes: readonly string[];
  /** What the try wrote to `$LOOT`; empty without. */
  readonly loot: string;
  /** Bytes by which the largest memory of the worker grew; endless where it died. */
  readonly workerGrew: number;
  /** Bytes on the disk of the repository with the run directory, and of what the engine keeps of the run. */
  readonly bytesLeft: number;
  /** Whether the worktree has it. */
  has(path: string): boolean;
  worktreeText(path: string): string;
  textOf(path: string): string;
  /** Whether a file of the run directory holds it. */
  recorded(text: string): boolean;
  /** What `sluice status` and `sluice logs` print of it. */
  shown(): Promise<string>;
  isAlive(pid: string): boolean;
  git(...args: readonly string[]): string;
  gitFails(...args: readonly string[]): boolean;
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
  /** It ends or spoils its turn or its run: it has a run of its own, which it shares with tries of the same name; `alone`: with none. */
  readonly run?: string;
  /** In the short form. */
  readonly short?: true;
  /** Instead of 10 s. */
  readonly limitMs?: number;
  /** YAML of top-level keys that no run has by itself. */
  readonly config?: string;
  /** What the agent answers instead of its plain words; with `{{code}}` for the code of its prompt. */
  readonly answer?: string;
  /** Committed in the repository. */
  readonly files?: Readonly<Record<string, string>>;
}

export const made = (path: string): Effect => ({ kind: 'made', path });
export const changed = (path: string): Effect => ({ kind: 'changed', path });
export const loot = (secret: SecretName): Effect => ({ kind: 'loot', secret });
export const called = (at: Listener): Effect => ({ kind: 'called', at });
export const seen = (look: (after: Aftermath) => boolean | Promise<boolean>): Effect => ({ kind: 'seen', look });
export const lives: Effect = { kind: 'lives' };
export const started: Effect = { kind: 'started' };
export const obeyed: Effect = { kind: 'obeyed' };

/** The run is done, as if nothing were amiss. */
export const passes = seen(({ result }) => result.outcome === 'merge_ready');
/** The run does not come to its end as it would have. */
export const spoils = seen(({ result }) => result.outcome !== 'merge_ready');

export function inGroup(group: Group, tries: readonly Omit<Try, 'group'>[]): readonly Try[] {
  return tries.map((one) => ({ group, ...one }));
}

export function wordOf(expected: Expected): string {
  return expected.split(' ')[0] ?? '';
}

export function rowOf(expected: Expected): string {
  return expected.split(' ')[1] ?? '';
}
