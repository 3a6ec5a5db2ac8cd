/**
 * `emptyActivityMs`: what one activity costs through this engine when it does nothing, so that the server's part of every figure is known.
 * The workflow runs on one queue and its activities on another, as runs do. Unit: the whole workflow divided by its activities.
 */
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { installQuietRuntime } from '../../test/support/quiet-runtime.js';
import { emptyActivities } from './activities.js';

const WORKFLOW_QUEUE = 'bench-empty';
const ACTIVITY_QUEUE = 'bench-empty-activities';
/** Source: docs/performance.md "How it is measured". */
const ACTIVITIES = 12;

export interface EmptyActivities {
  /** Milliseconds an activity. */
  measure(): Promise<number>;
  close(): Promise<void>;
}

export async function startEmptyActivities(client: Client, address: string): Promise<EmptyActivities> {
  installQuietRuntime();
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = fileURLToPath(new URL('./workflow.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  const namespace = client.options.namespace;
  const workers = await Promise.all([
    Worker.create({
      connection,
      namespace,
      taskQueue: WORKFLOW_QUEUE,
      workflowBundle,
      workflowTaskPollerBehavior: { type: 'autoscaling' },
    }),
    Worker.create({ connection, namespace, taskQueue: ACTIVITY_QUEUE, activities: emptyActivities }),
  ]);
  const done = Promise.all(workers.map((worker) => worker.run()));
  let measured = 0;
  return {
    async measure() {
      measured += 1;
      const began = performance.now();
      await client.workflow.execute('emptyActivitiesInARow', {
        workflowId: `bench-empty-${measured}`,
        taskQueue: WORKFLOW_QUEUE,
        args: [{ count: ACTIVITIES, taskQueue: ACTIVITY_QUEUE }],
      });
      return (performance.now() - began) / ACTIVITIES;
    },
    async close() {
      for (const worker of workers) worker.shutdown();
      await done;
      await connection.close();
    },
  };
}
