/** The worker that serves workflows and their control activities; it touches no host. */
import { existsSync } from 'node:fs';
import type { WorkflowClient } from '@temporalio/client';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { WORKFLOW_BUNDLE } from '../config/system/entries.js';
import type { Failpoint } from '../protocol/failpoints.js';
import { TASK_QUEUE } from '../protocol/names.js';
import { DATA_CONVERTER } from '../wire/data-converter.js';
import { askToHandOver } from './ask-to-hand-over.js';
import { createControlActivities } from './control-activities.js';
import { writeToWorkerLog } from './write-missing-ends.js';

/** Each cached run costs some 130 KB of memory; beyond this they are replayed. */
const MAX_CACHED_WORKFLOWS = 500;

/** Each is one call of the server. */
const CONTROL_SLOTS = 50;

/**
 * Thousands of signals that were stored while no worker ran come in one activation. Interrupted by the SDK's limit of 5 s it would be given up again
 * and again, and the interruption can end the process. The SDK reads this option, though its public type does not name it.
 */
const LONG_ACTIVATIONS = { isolateExecutionTimeout: '60 seconds' };

export interface ControlWorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** For the activities that start workflows. */
  readonly workflow: WorkflowClient;
  readonly failpoint: Failpoint;
  readonly bundlePath?: string;
}

/** Errors: plain Error that names `npm run setup` if the bundle was not built. */
export async function createControlWorker({
  connection,
  namespace,
  workflow,
  bundlePath,
  failpoint,
}: ControlWorkerOptions): Promise<Worker> {
  const codePath = bundlePath ?? WORKFLOW_BUNDLE;
  if (!existsSync(codePath))
    throw new Error(`the workflow bundle ${codePath} is missing. Build it with \`npm run setup\`.`);
  void askToHandOver(workflow, writeToWorkerLog);
  return Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle: { codePath },
    activities: { ...createControlActivities(workflow, failpoint) },
    maxConcurrentActivityTaskExecutions: CONTROL_SLOTS,
    dataConverter: DATA_CONVERTER,
    maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
    workflowTaskPollerBehavior: { type: 'autoscaling' },
    // After a kill the first task of a run would wait 10 s for the dead worker.
    stickyQueueScheduleToStartTimeout: '1 second',
    shutdownGraceTime: '10 seconds',
    ...LONG_ACTIVATIONS,
  });
}
