/**
 * What a stream may be asked for, as it stands in its address: `topic=list&topic=run:<id>@<position>`. All of it is in the address, so that the server
 * remembers no reader, and a reader goes on with another server. Pure.
 */
import { isRunId } from '../../protocol/run/run-id.js';
import type { LivePosition } from '../look/live-text.js';
import { isWorkflowId } from '../views/page-paths.js';

const PLAIN = ['list', 'batches', 'limits', 'landings'] as const;

export type Topic =
  | { readonly kind: (typeof PLAIN)[number] }
  | { readonly kind: 'batch'; readonly id: string }
  /** What the agent of a turn says. `position` null: from the beginning. */
  | { readonly kind: 'live'; readonly runId: string; readonly turn: number; readonly position: LivePosition | null }
  /** `position` null: from the beginning. */
  | { readonly kind: 'run'; readonly runId: string; readonly position: Position | null };

/** The last line of a journal that somebody has. A reset of the run writes other lines under old numbers. */
export interface Position {
  readonly seq: number;
  /** The first 8 hex digits of what the line says. */
  readonly hash: string;
}

export const MAX_TOPICS = 32;

/** For people: each of them, and where a reader may stand in it. */
export const TOPIC_FORMS: readonly string[] = [
  ...PLAIN,
  'batch:<workflow id>',
  'run:<id>',
  'run:<id>@<line>.<hash>',
  'live:<id>/<turn>',
  'live:<id>/<turn>@<file>.<byte>',
];

/** Null where one of them is none, or there are too many. */
export function readTopics(asked: readonly string[]): readonly Topic[] | null {
  const topics = asked.map(topicIn);
  const known = topics.filter((topic) => topic !== null);
  return topics.length === 0 || topics.length > MAX_TOPICS || known.length < topics.length ? null : known;
}

/** The same for whoever reads the same. */
export function topicKey(topic: Topic): string {
  if (topic.kind === 'run') return `run:${topic.runId}`;
  if (topic.kind === 'live') return `live:${topic.runId}/${topic.turn}`;
  return topic.kind === 'batch' ? `batch:${topic.id}` : topic.kind;
}

export function positionText({ seq, hash }: Position): string {
  return `${seq}.${hash}`;
}

function topicIn(text: string): Topic | null {
  const plain = PLAIN.find((kind) => kind === text);
  if (plain !== undefined) return { kind: plain };
  const [, id] = /^batch:(.*)$/s.exec(text) ?? [];
  if (id !== undefined) return isWorkflowId(id) ? { kind: 'batch', id } : null;
  if (text.startsWith('live:')) return liveTopicIn(text);
  const [, runId, position] = /^run:([^@]+)(?:@(.*))?$/s.exec(text) ?? [];
  if (runId === undefined || !isRunId(runId)) return null;
  if (position === undefined) return { kind: 'run', runId, position: null };
  const [, seq, hash] = /^(\d{1,9})\.([0-9a-f]{8})$/.exec(position) ?? [];
  return seq === undefined || hash === undefined ? null : { kind: 'run', runId, position: { seq: Number(seq), hash } };
}

/** `live:<run>/<turn>@<file>.<byte>` */
function liveTopicIn(text: string): Topic | null {
  const [, runId = '', turn, file, byte] = /^live:([^/@]+)\/(\d{1,6})(?:@(\d)\.(\d{1,9}))?$/.exec(text) ?? [];
  if (turn === undefined || !isRunId(runId)) return null;
  const position = file === undefined ? null : { file: Number(file), byte: Number(byte) };
  return position?.file === 0 ? null : { kind: 'live', runId, turn: Number(turn), position };
}
