/** What the report of a run is made of: what the run left in its folder, and nothing else. No server is asked. */
import { join } from 'node:path';
import { MAX_JOURNAL_EVENTS } from '../../protocol/limits.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { stageUseOf } from '../../protocol/messages/stage-use.js';
import { computeMetrics, type Metrics } from '../../protocol/views/metrics.js';
import { type FoundRun, viewOf } from '../look/find-runs.js';
import { CUT_JOURNAL, JournalTail } from '../look/journal-tail.js';
import { lineOf } from './journal-lines.js';
import { readRun } from './read-run.js';
import { redactedJson } from './redacted-json.js';
import type { JournalLine, RunPage } from './shapes.js';

/** No run leaves as many; whoever writes more has nobody wait for them. */
const MAX_EVENTS = 2 * MAX_JOURNAL_EVENTS;

/** All its text is redacted; whoever shows it makes it printable. */
export interface ReportPage {
  readonly page: RunPage;
  readonly lines: readonly JournalLine[];
  readonly metrics: Metrics;
  /** ISO 8601: until when what is open was counted. */
  readonly madeAt: string;
  /** Sentences: what could not be told. */
  readonly notes: readonly string[];
}

/** Never rejects for what cannot be read. */
export async function readReport(run: FoundRun & { readonly runDir: string }, madeAt: string): Promise<ReportPage> {
  const events: JournalEvent[] = [];
  const journal = new JournalTail(join(run.runDir, 'events.jsonl'));
  let more = 0;
  await journal.read((event) => {
    if (events.length < MAX_EVENTS) events.push(event);
    else more += 1;
  });
  const page = { ...(await readRun(run, null)), stages: [...stageUseOf(events)] };
  const startedAt = (await viewOf(run, null))?.startedAt ?? run.startedAt;
  const metrics = computeMetrics(events, startedAt, endOf(events) ?? madeAt);
  const lines = events.map(lineOf);
  const notes = [
    ...page.leftOut.map((told) => `Not all is told here: ${told}.`),
    ...(journal.isCut ? [CUT_JOURNAL] : []),
    ...(more > 0 ? [`events.jsonl has ${more} events more than are told here.`] : []),
  ];
  return JSON.parse(redactedJson({ page, lines, metrics, madeAt, notes } satisfies ReportPage)) as ReportPage;
}

/** Null: the run is open, or the line of its end is lost. */
function endOf(events: readonly JournalEvent[]): string | null {
  return events.findLast(({ type }) => RUN_ENDS.includes(type))?.timestamp ?? null;
}

const RUN_ENDS: readonly JournalEvent['type'][] = ['run.completed', 'run.failed', 'run.aborted'];
