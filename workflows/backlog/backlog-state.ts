/** What a backlog knows. Pure. */
import type {
  AdmitInput,
  AdmitResult,
  BacklogMessage,
  SetTerms,
  TaskToCreate,
  Verdict,
} from '../../protocol/actors/backlog.js';
import type { ItemFound, ItemInput, LostBy } from '../../protocol/actors/item.js';
import type { Grant } from '../../protocol/actors/slot-grant.js';
import type { ClosedItem } from '../../protocol/actors/task-dedup.js';
import type { BacklogTerms } from '../../protocol/run/backlog-policy.js';
import type { Step } from '../actor/actor.js';
import { Rows } from './rows.js';

/** Unit: ms. */
export const FIRST_SEEK_MS = 60_000;

/** Unit: ms since 1970, as all times here. It goes over continue-as-new as `pack-rows.ts` packs it. */
export interface BacklogState {
  readonly project: string;
  /** Of the first admission, whose project it is from then on; null: nothing was admitted yet. */
  readonly home: Pick<AdmitResult, 'repo' | 'repoKey'> | null;
  /** Those in force: of the config, and beside that what somebody said. */
  readonly terms: BacklogTerms;
  /** As the last admission found them. */
  readonly configured: BacklogTerms;
  readonly set: SetTerms;
  /** Of every open item, by what it reported last. */
  readonly rows: Rows;
  /** The oldest first. */
  readonly creates: readonly Create[];
  /** Of the last admission, and those before it whose items are not there yet. */
  readonly answers: readonly Answer[];
  /** What its host is asked for just now, by key; null: nothing. */
  readonly admitting: readonly string[] | null;
  /** Hosts that did not take tasks in; what came for others goes before what came for them. */
  readonly away: readonly AwayHost[];
  /** What has closed since its host was told so last. Missing: its tasks are not compared. */
  readonly closed?: readonly ClosedItem[];
  /** Keys of tasks about which its host is asked again, since what it said was not believed. Missing: there are none. */
  readonly recompare?: readonly string[];
  /** Items whose workflows are not there yet. */
  readonly unstarted: readonly ItemInput[];
  readonly isStarting: boolean;
  readonly isPaused: boolean;
  /** Items that were open when it began, and have not told how they stand. Null: it does not know yet which there are. */
  readonly unheard: readonly string[] | null;
  /** When the server is asked again for those; `atMs` null: it is being asked, or all have told. */
  readonly seek: { readonly atMs: number | null; readonly everyMs: number };
  /** The highest number of all. */
  readonly last: number;
  /** All slots are taken, and somebody waits: when the next of those that hold one is asked how it stands, each by its row. Null: nobody waits. */
  readonly ask: { readonly atMs: number } | null;
}

/** What is left of a `create`. */
export interface Create {
  readonly key: string;
  readonly repo: string;
  readonly host: string;
  readonly by: string | null;
  /** Those that were not admitted yet. */
  readonly tasks: readonly TaskToCreate[];
  /** Of those before them. */
  readonly verdicts: readonly Verdict[];
  readonly bytes: number;
  readonly dryRun?: true;
}

export interface Answer {
  readonly key: string;
  readonly verdicts: readonly Verdict[];
  /** It could be told at an admission before. */
  readonly isTold?: true;
}

export interface AwayHost {
  readonly host: string;
  readonly sinceMs: number;
  /** Null: it is being asked again. */
  readonly againAtMs: number | null;
  readonly everyMs: number;
}

export type BacklogEvent =
  | BacklogMessage
  | { readonly kind: 'begin' }
  /** Ids of items. */
  | { readonly kind: 'open'; readonly ids: readonly string[] }
  | { readonly kind: 'openUnknown' }
  /** `told`: ids of those whose closing it was told. */
  | { readonly kind: 'admitted'; readonly result: AdmitResult; readonly told?: readonly string[] }
  /** None of what was asked for can be admitted. */
  | { readonly kind: 'unadmitted'; readonly why: string }
  | { readonly kind: 'away'; readonly host: string }
  | { readonly kind: 'started'; readonly isDone: boolean; readonly ids: readonly string[] }
  | { readonly kind: 'unreachable'; readonly id: string }
  | { readonly kind: 'looked'; readonly id: string; readonly isOpen: boolean }
  /** Of a task that others depend on. */
  | { readonly kind: 'found'; readonly id: string; readonly found: ItemFound };

/** `workflowId` orders them. */
export type BacklogErrand =
  | {
      readonly kind: 'admit';
      readonly workflowId: 'host';
      readonly lasts: true;
      readonly host: string;
      readonly input: AdmitInput;
    }
  | { readonly kind: 'start'; readonly workflowId: 'items'; readonly items: readonly ItemInput[] }
  | { readonly kind: 'grant'; readonly workflowId: string; readonly id: string; readonly grant: Grant }
  | {
      readonly kind: 'ask';
      readonly workflowId: string;
      readonly id: string;
      readonly known: number;
      readonly topic: 'ask';
    }
  | { readonly kind: 'findOpen'; readonly workflowId: 'open items'; readonly project: string }
  | { readonly kind: 'lookAtRun'; readonly workflowId: string; readonly id: string; readonly runId: string }
  | { readonly kind: 'lookAtItem'; readonly workflowId: string; readonly id: string; readonly topic: 'look' }
  | {
      readonly kind: 'failDependency';
      readonly workflowId: string;
      readonly id: string;
      readonly dependency: string;
      readonly reason: LostBy | null;
    }
  | { readonly kind: 'stopItem'; readonly workflowId: string; readonly id: string; readonly by: string | null };

export type BacklogStep = Step<BacklogState, BacklogErrand>;

/** Those whose host is asked just now, the first of them first. */
export function askedOf({ creates, admitting }: BacklogState): readonly Create[] {
  const keys = new Set((admitting ?? []).map((asked) => asked.slice(0, asked.lastIndexOf('#'))));
  return creates.filter(({ key }) => keys.has(key));
}

/** `project`: of its workflow id. */
export function emptyBacklog(project: string, terms: BacklogTerms): BacklogState {
  return {
    project,
    home: null,
    terms,
    configured: terms,
    set: {},
    rows: Rows.none,
    creates: [],
    answers: [],
    admitting: null,
    away: [],
    unstarted: [],
    isStarting: false,
    isPaused: false,
    unheard: null,
    seek: { atMs: null, everyMs: FIRST_SEEK_MS },
    last: 0,
    ask: null,
  };
}
