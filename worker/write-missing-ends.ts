/**
 * A run that was terminated, or closed while its host was away, has no end in its files. A starting host worker asks the server about each
 * such run of its own, and a working one about the run whose turn it had to end: what may still live of it is ended, what is missing is
 * written. Runs that the server does not know are left alone.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import { writeTerminatedEnd } from '../activities/closing/terminated-end.js';
import { isClosedOnHost } from '../activities/unit/closed-mark.js';
import type { HostDeps } from '../activities/unit/host-deps.js';
import type { Warn } from '../activities/unit/run-projection.js';
import { findRunRecord, locateRun, type RunRecord } from '../activities/unit/run-record.js';
import { messageOf } from '../config/system/error-code.js';
import { createSerializer } from '../config/system/serialize.js';
import { fieldsOf, textIn } from '../protocol/text/fields.js';
import { listByRepository } from './list-by-repository.js';

export interface MissingEnds {
  readonly deps: HostDeps;
  readonly client: Pick<Client, 'workflow'>;
  readonly warn: Warn;
}

/** A run may be found by a start and by the end of its turn at once; the second one meets the mark of the first. */
const serialize = createSerializer();

/** Every run of this home. Errors: none; a run that cannot be mended now is logged and tried again at the next start. */
export async function writeMissingEnds(ends: MissingEnds): Promise<void> {
  await writeEndsOf(ends, () => true);
}

/** Of a workflow whose turn has just met a closed execution. Errors: none. */
export async function writeMissingEndOf(ends: MissingEnds, workflowId: string): Promise<void> {
  await writeEndsOf(ends, (record) => record.workflowId === workflowId);
}

export function writeToWorkerLog(message: string, fields: Record<string, unknown>): void {
  Runtime.instance().logger.warn(message, fields);
}

async function writeEndsOf(ends: MissingEnds, isWanted: (record: RunRecord) => boolean): Promise<void> {
  for (const stateDir of await listByRepository(ends.deps.home.stateRoot)) {
    try {
      const record = findRunRecord(stateDir);
      if (record !== null && isWanted(record)) await serialize(stateDir, () => writeMissingEnd(ends, record, stateDir));
    } catch (error) {
      // Journal, report, mark, in this order: without the mark all of it is written again, and the journal takes no line twice.
      ends.warn('the missing end of a run cannot be written now; the next start of a worker tries again', {
        stateDir,
        error: messageOf(error),
      });
    }
  }
}

async function writeMissingEnd(
  { deps, client, warn }: MissingEnds,
  record: RunRecord,
  stateDir: string,
): Promise<void> {
  if (isClosedOnHost(stateDir)) return;
  deps.failpoint('server.before-describe');
  const ended = await endedWithoutUs(client, record);
  deps.failpoint('server.after-describe');
  if (ended !== null) await writeTerminatedEnd({ ...deps, warn }, locateRun(deps.home, record), ended);
}

/** Why it ended, as one sentence. One that did not wait for its host says so itself. Null: the run is open, closed by its own closeRun soon, or unknown. */
async function endedWithoutUs(client: MissingEnds['client'], record: RunRecord): Promise<string | null> {
  const { workflowId, firstExecutionRunId } = record;
  try {
    const handle = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId });
    const { status, runId } = await handle.describe();
    if (status.name === 'RUNNING') return null;
    const said = status.name === 'COMPLETED' ? await readError(client, { workflowId, runId }) : null;
    return said ?? `the workflow was ${status.name.toLowerCase()} outside the run`;
  } catch (err) {
    if (err instanceof WorkflowNotFoundError) return null;
    throw err;
  }
}

/** Of that very execution: a run that was reset has others. Null: it says none. */
async function readError(
  client: MissingEnds['client'],
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): Promise<string | null> {
  const result: unknown = await client.workflow.getHandle(workflowId, runId).result();
  return textIn(fieldsOf(result), 'error');
}
