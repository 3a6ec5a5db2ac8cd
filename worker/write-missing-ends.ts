/**
 * A run that was terminated, or closed while its host was away, has no end in its files. A starting host worker asks the server about each
 * such run of its own, ends what may still live of it, and writes what is missing. Runs that the server does not know are left alone.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import { isClosedOnHost } from '../activities/run/closed-mark.js';
import type { HostDeps } from '../activities/run/host-deps.js';
import type { Warn } from '../activities/run/run-projection.js';
import { findRunRecord, type RunRecord } from '../activities/run/run-record.js';
import { writeTerminatedEnd } from '../activities/run/terminated-end.js';
import { messageOf } from '../config/error-code.js';

/** Errors: none; a run that cannot be mended now is logged and tried again at the next start. */
export async function writeMissingEnds(deps: HostDeps, client: Pick<Client, 'workflow'>, warn: Warn = toWorkerLog): Promise<void> {
  for (const stateDir of await stateDirs(deps.home.stateRoot)) {
    try {
      await writeMissingEnd({ deps, client, warn }, stateDir);
    } catch (error) {
      // Journal, report, mark, in this order: without the mark all of it is written again, and the journal takes no line twice.
      warn('the missing end of a run cannot be written now; the next start of a worker tries again', { stateDir, error: messageOf(error) });
    }
  }
}

interface Mending {
  readonly deps: HostDeps;
  readonly client: Pick<Client, 'workflow'>;
  readonly warn: Warn;
}

async function writeMissingEnd({ deps, client, warn }: Mending, stateDir: string): Promise<void> {
  const record = findRunRecord(stateDir);
  if (record === null || isClosedOnHost(stateDir)) return;
  const ended = await endedWithoutUs(client, record);
  if (ended !== null) await writeTerminatedEnd({ ...deps, warn }, { record, stateDir, env: {} }, ended);
}

function toWorkerLog(message: string, fields: Record<string, unknown>): void {
  Runtime.instance().logger.warn(message, fields);
}

/** Null: the run is open, closed by its own closeRun soon, or unknown. */
async function endedWithoutUs(client: Pick<Client, 'workflow'>, record: RunRecord): Promise<string | null> {
  try {
    const { status } = await client.workflow
      .getHandle(record.workflowId, undefined, { firstExecutionRunId: record.firstExecutionRunId })
      .describe();
    return status.name === 'RUNNING' ? null : status.name.toLowerCase();
  } catch (err) {
    if (err instanceof WorkflowNotFoundError) return null;
    throw err;
  }
}

async function stateDirs(root: string): Promise<readonly string[]> {
  const repositories = await readdir(root).catch(() => []);
  const runs = await Promise.all(
    repositories.map(async (repository) =>
      (await readdir(join(root, repository)).catch(() => [])).map((run) => join(root, repository, run)),
    ),
  );
  return runs.flat();
}
