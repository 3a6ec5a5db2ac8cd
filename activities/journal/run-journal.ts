/**
 * Writes a journal batch: events.jsonl, then approvals.json, then state.json, one batch at a time for each run of this process. Batches may come
 * late, twice or out of order: an older view is never written over a newer one, and after a reset the newer history wins, shorter or not.
 * Which one is newer is told by the workflow's own clock and by what this process wrote last. Not promised: order between two processes.
 */
import { join } from 'node:path';
import { readForeignFileSync, textOf } from '../../config/system/foreign-file.js';
import { createSerializer } from '../../config/system/serialize.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import type { JournalBatch } from '../../protocol/messages/messages.js';
import type { MergeState } from '../../protocol/messages/run-view.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { Json, JsonObject } from '../../protocol/text/json.js';
import { isRecord, parseJson } from '../../protocol/text/json.js';
import { appendEvents } from './events-file.js';
import { goOn } from './go-on.js';
import { type LastView, LastViews, type OwnerView } from './last-views.js';
import { putIfMissing, putJson, type RunFolder } from './run-files.js';

export interface WrittenBatch {
  /** The last seq that events.jsonl holds of this history; the one before the batch where nothing could be written. */
  readonly seq: number;
  /** Nothing newer of the run was written before: state.json shows this batch's view. */
  readonly isNewest: boolean;
}

/** A task of the greatest length, and the rest. */
const MAX_STATE_BYTES = 4 * 1024 * 1024;

/** Hundreds of gates with long notes. */
const MAX_GATES_BYTES = 4 * 1024 * 1024;

const serialize = createSerializer();

const MAX_CLOSED_VIEWS = 100;

const written = new LastViews(MAX_CLOSED_VIEWS);

/** Makes an empty approvals.json where there is none. */
export function openGates(folder: RunFolder): Promise<void> {
  return serialize(folder.runDir, () => putIfMissing(folder, 'approvals.json', '[]\n'));
}

/** Of a run whose workflow can say no more: gates that the file shows open expire. Idempotency: what is decided stays. */
export function expireGates(folder: RunFolder, at: string): Promise<void> {
  return serialize(folder.runDir, async () => {
    const gates = entriesOf(readGates(folder));
    if (!gates.some(isPending)) return;
    const expired = { status: 'expired', resolvedAt: at, decisionNote: 'the run ended before anybody decided' };
    await putJson(
      folder,
      'approvals.json',
      gates.map((gate) => (isPending(gate) ? { ...gate, ...expired } : gate)),
    );
  });
}

/** What became of a closed run's head, which its landing alone knows. A state.json that cannot be read stays as it is. */
export function putMerge(folder: RunFolder, merge: MergeState): Promise<void> {
  return serialize(folder.runDir, async () => {
    const path = join(folder.runDir, 'state.json');
    const state = parseJson(textOf(readForeignFileSync(path, { maxBytes: MAX_STATE_BYTES })));
    if (isRecord(state) && state['merge'] !== merge) await putJson(folder, 'state.json', { ...state, merge });
  });
}

interface Writing {
  readonly failpoint: Failpoint;
  /** The owner's workflow says no more. */
  readonly isClosed: boolean;
}

/** A run's, or whoever has a journal. Idempotency: the same batch again writes the same. Errors: only a shortage of the machine (`goOn`). */
export function writeBatch(folder: RunFolder, batch: JournalBatch<OwnerView>, writing: Writing): Promise<WrittenBatch> {
  return serialize(folder.runDir, () => writeAlone(folder, batch, writing));
}

async function writeAlone(
  folder: RunFolder,
  { events, view, gates }: JournalBatch<OwnerView>,
  { failpoint, isClosed }: Writing,
): Promise<WrittenBatch> {
  const last = written.of(folder.runDir);
  const isOlder = last !== undefined && view.updatedAt < last.updatedAt;
  const append = () => {
    const path = join(folder.runDir, 'events.jsonl');
    return appendEvents(
      path,
      { events, lastSeq: view.seq, mayBeLeft: isOlder },
      { ...folder.write, failpoint, redactor: folder.redactor },
    );
  };
  const appended = await goOn(folder.skipped, 'events.jsonl', append);
  const isNewest = !isOlder && !isOvertaken(view, last) && (appended === undefined || appended.batch === 'newest');
  if (gates !== null && (isNewest || (appended?.batch !== 'left' && tellsMore(folder, gates))))
    await putGates(folder, gates);
  if (isNewest) {
    // A view travels as JSON, and is nothing else.
    await putJson(folder, 'state.json', view as unknown as Json);
    written.set(folder.runDir, { ...view, isClosed });
  }
  return { seq: appended?.seq ?? (events[0]?.seq ?? view.seq + 1) - 1, isNewest };
}

/** Of two views of one moment. A shorter journal at a later moment is one after a reset. */
function isOvertaken(view: OwnerView, last: LastView | undefined): boolean {
  return last !== undefined && view.seq < last.seq && view.updatedAt === last.updatedAt;
}

/** Only the batch after a change carries the gates, so a late one may still have what the file lacks: gates are only added and decided. */
function tellsMore(folder: RunFolder, gates: readonly Gate[]): boolean {
  const shown = entriesOf(readGates(folder));
  return (
    told(gates.length, gates.filter((gate) => gate.status === 'pending').length) >
    told(shown.length, shown.filter(isPending).length)
  );
}

function told(count: number, pending: number): number {
  return 2 * count - pending;
}

function readGates(folder: RunFolder): string | null {
  return textOf(readForeignFileSync(join(folder.runDir, 'approvals.json'), { maxBytes: MAX_GATES_BYTES }));
}

function entriesOf(text: string | null): readonly Json[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
}

function isPending(entry: Json): entry is JsonObject {
  return isRecord(entry) && entry['status'] === 'pending';
}

function putGates(folder: RunFolder, gates: readonly Gate[]): Promise<void> {
  return putJson(
    folder,
    'approvals.json',
    gates.map((gate) => ({ ...gate, files: [...gate.files] })),
  );
}
