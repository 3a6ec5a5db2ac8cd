/**
 * `steerMs`, `pauseMs`, `abortMs`: what a person waits for who sends a message while an agent is at work, from the Update sent to its answer.
 * `abortToAbortedMs`: from the same moment to the closed run, with an agent that ignores TERM and must be killed after `limits.killGrace`.
 */
import { rmSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunMessageName } from '../protocol/messages/message-rows.js';
import type { RunResult } from '../protocol/messages/messages.js';
import type { MessageAnswer } from '../protocol/messages/run-message.js';
import { add, type Measuring, measureBaselines, startRun } from './plain-run.js';
import { isQuiet } from './quiet-run.js';
import { until } from './until.js';

const PAUSES_A_RUN = 3;

export async function measureMidTurn(measuring: Measuring, count: number): Promise<void> {
  const { host, samples } = measuring;
  const { agent } = host;
  agent.hold();
  agent.stubborn(true);
  for (let n = 0; n < count; n += 1) {
    await measureBaselines(measuring);
    const runId = `bench-mid-turn-${n}`;
    const handle = await startRun(host, runId);
    await until(`the agent of ${runId} is at work`, async () => agent.starts().has(`${runId} planning`));
    for (let pause = 0; pause < PAUSES_A_RUN; pause += 1) {
      add(samples, 'steerMs', await answered(handle, 'steer', { text: `Mind the edge cases (${pause})` }));
      add(samples, 'pauseMs', await answered(handle, 'pause'));
      add(samples, 'resumeMs', await answered(handle, 'resume'));
    }
    const began = performance.now();
    add(samples, 'abortMs', await answered(handle, 'abort'));
    const { outcome } = (await handle.result()) as RunResult;
    if (outcome !== 'aborted') throw new Error(`${runId} ended ${outcome}`);
    add(samples, 'abortToAbortedMs', performance.now() - began);
  }
  rmSync(agent.holdPath);
  agent.stubborn(false);
}

/** Sent once the journal lines of the message before are on the host, as by a person who saw its answer. Errors: a message that changed nothing. */
async function answered(
  handle: WorkflowHandle,
  name: RunMessageName,
  argument: Readonly<Record<string, string>> = {},
): Promise<number> {
  await until(`nothing but the turn of ${handle.workflowId} is under way`, () => isQuiet(handle, 1));
  const began = performance.now();
  const answer = await handle.executeUpdate<MessageAnswer, [unknown]>(name, { args: [argument] });
  const took = performance.now() - began;
  if (!answer.changed) throw new Error(`${name} changed nothing: ${answer.message}`);
  return took;
}
