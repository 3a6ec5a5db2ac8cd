/** A worker for workflows alone, on a task queue of a test's own, so that it can be stopped and replaced while hosts go on. */
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { RedactingCodec } from '../../wire/redacting-codec.js';

export interface WorkflowWorker {
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export interface Served {
  readonly bundlePath: string;
  readonly activities?: object;
}

/** `client`: of the stub host whose namespace it serves. */
export async function startWorkflowWorker(
  client: Client,
  taskQueue: string,
  { bundlePath, activities = {} }: Served,
): Promise<WorkflowWorker> {
  const connection = await NativeConnection.connect({ address: process.env['SLUICE_TEST_ADDRESS'] ?? '' });
  const worker = await Worker.create({
    connection,
    namespace: client.options.namespace,
    taskQueue,
    workflowBundle: { codePath: bundlePath },
    activities,
    dataConverter: { payloadCodecs: [new RedactingCodec()] },
    stickyQueueScheduleToStartTimeout: '1 second',
  });
  const running = worker.run();
  return {
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
