/**
 * A run that was terminated, or closed while its host was away, has no end in its files. A starting host worker asks the server about each
 * such run of its own, ends what may still live of it, and writes what is missing. Runs that the server does not know are left alone.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { isClosedOnHost } from '../activities/run/closed-mark.js';
import type { HostDeps } from '../activities/run/host-deps.js';
import { findRunRecord, type RunRecord } from '../activities/run/run-record.js';
import { writeTerminatedEnd } from '../activities/run/terminated-end.js';

/** Errors: none; a run that cannot be mended now is tried again at the next start. */
export async function writeMissingEnds(deps: HostDeps, client: Client): Promise<void> {
  for (const stateDir of await stateDirs(deps.home.stateRoot)) {
    const record = findRunRecord(stateDir);
    if (record === null || isClosedOnHost(stateDir)) continue;
    try {
      const ended = await endedWithoutUs(client, record);
      if (ended !== null) await writeTerminatedEnd(deps, { record, stateDir, env: {} }, ended);
    } catch {
      // The server or the disk is not there; nothing was written by halves.
    }
  }
}

/** Null: the run is open, closed by its own closeRun soon, or unknown. */
async function endedWithoutUs(client: Client, record: RunRecord): Promise<string | null> {
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
