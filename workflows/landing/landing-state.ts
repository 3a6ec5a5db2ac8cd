/** What a landing knows, and how it looks to people. Pure. */
import type {
  FindBaseInput,
  FindBaseResult,
  LandingGate,
  LandingMessage,
  LandingView,
  RunToLand,
} from '../../protocol/actors/landing.js';
import { type EntryChange, mergeQueueId, type QueueEntry, type QueueRef } from '../../protocol/actors/merge-queue.js';
import type { RunSource } from '../../protocol/messages/messages.js';
import { printable } from '../../protocol/text/printable.js';
import type { Shown, Step } from '../actor/actor.js';

/** Unit: ms since 1970, as all times here. */
export type Phase =
  /** Nobody has asked for it yet. */
  | { readonly kind: 'idle' }
  /** The run, and then the base, are looked at. */
  | { readonly kind: 'opening'; readonly source: RunSource | null }
  | {
      readonly kind: 'queued';
      readonly queue: QueueRef;
      readonly entry: QueueEntry;
      /** What the queue said last; null: nothing yet. */
      readonly heard: EntryChange | null;
      readonly sendAtMs: number;
      readonly everyMs: number;
      /** Somebody gave it up, and why: the queue has the last word. */
      readonly leaving: string | null;
    }
  | { readonly kind: 'gated'; readonly reason: LandingGate; readonly why: string; readonly files: readonly string[] }
  | { readonly kind: 'merged'; readonly commit: string | null }
  | { readonly kind: 'abandoned'; readonly why: string };

/** JSON-safe: it goes over continue-as-new. */
export interface LandingState {
  readonly runId: string;
  /** `<workflow id>/<first execution>`: begins the ids of its entries. */
  readonly self: string;
  /** Another base than the run's, as somebody wrote it. */
  readonly onto: string | null;
  readonly base: string | null;
  readonly host: string | null;
  readonly phase: Phase;
  /** How many entries it made, each with an id of its own. */
  readonly entries: number;
}

export type LandingEvent =
  | LandingMessage
  /** Its own first execution. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'opened'; readonly run: RunToLand }
  | { readonly kind: 'based'; readonly base: FindBaseResult }
  /** What was to be asked for could not be. */
  | { readonly kind: 'failed'; readonly reason: LandingGate; readonly why: string };

export type LandingErrand =
  | { readonly kind: 'open'; readonly workflowId: string }
  | { readonly kind: 'findBase'; readonly workflowId: string; readonly host: string; readonly input: FindBaseInput }
  | { readonly kind: 'enqueue'; readonly workflowId: string; readonly queue: QueueRef; readonly entry: QueueEntry }
  | { readonly kind: 'withdraw'; readonly workflowId: string; readonly id: string };

export type LandingStep = Step<LandingState, LandingErrand>;

export function notAsked(runId: string, { self, onto }: Pick<LandingState, 'self' | 'onto'>): LandingState {
  return { runId, self, onto, base: null, host: null, phase: { kind: 'idle' }, entries: 0 };
}

const MERGE = { idle: 'unmerged', opening: 'unmerged', gated: 'unmerged', queued: 'queued' } as const;

export function viewOf({ runId, base, host, phase }: LandingState): LandingView {
  const queued = phase.kind === 'queued' ? phase : null;
  return {
    ...{ runId, base, host },
    merge: phase.kind === 'merged' || phase.kind === 'abandoned' ? phase.kind : MERGE[phase.kind],
    entry:
      queued === null
        ? null
        : {
            ...{ id: queued.entry.id, queue: mergeQueueId(queued.queue) },
            ...{ state: queued.heard?.state ?? null, why: queued.heard?.why ?? null },
          },
    commit: phase.kind === 'merged' ? phase.commit : (queued?.heard?.commit ?? null),
    gate: phase.kind === 'gated' ? { reason: phase.reason, why: phase.why, files: phase.files } : null,
    abandoned: phase.kind === 'abandoned' ? phase.why : null,
  };
}

/** Of a memo, at whose 2 KiB the server warns. */
const SHOWN_CHARS = 300;

export function showLanding(state: LandingState): Shown {
  const { runId, merge, base, entry, gate, abandoned } = viewOf(state);
  const status = gate === null ? merge : 'waiting_for_approval';
  const why = (gate?.why ?? abandoned ?? entry?.why ?? '').slice(0, SHOWN_CHARS);
  const onto = base === null ? '' : ` on ${base}`;
  const lines = [
    `landing of \`${runId}\`${printable(onto)}: **${gate === null ? (entry?.state ?? merge) : gate.reason}**`,
    printable(why),
    ...(gate?.files ?? []).slice(0, 20).map((file) => `- ${printable(file)}`),
    gate === null ? '' : `once it is mended: \`sluice land ${runId}\`    or: \`sluice landings drop ${runId}\``,
  ];
  return {
    status,
    details: lines.filter((line) => line !== '').join('\n\n'),
    memo: { runId, merge, base, entry: entry?.state ?? null, gate: gate?.reason ?? null, why },
  };
}
