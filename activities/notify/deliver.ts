/**
 * Tells one sink of a run's policy about one thing. The policy is the one that was frozen when the run opened.
 * Effects: one program or one POST. Idempotency: a repeat tells again, under the same id. Cancel: a program is ended with its group.
 * Errors: DeliveryFailed, retried by the workflow; nonRetryable where this sink can never take it.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { webhookAddress } from '../../config/keys/webhook-address.js';
import type { DeliverInput, DeliverResult } from '../../protocol/messages/messages.js';
import type { Notification } from '../../protocol/messages/notification.js';
import { hostSinks } from '../../protocol/run/policy.js';
import type { Json } from '../../protocol/text/json.js';
import { captureEnvironment } from '../agent/environment/environment.js';
import { eitherOf } from '../unit/attempts.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import { findRunRecord, type RunRecord } from '../unit/run-record.js';
import { redactorOf } from '../unit/run-redactor.js';
import { type Delivery, deliveryFailure, failed } from './delivery-failure.js';
import { postWebhook } from './post-webhook.js';
import { runSinkProgram } from './run-sink-program.js';

type Sink = ReturnType<typeof hostSinks>[number];

export function createDeliver(deps: HostDeps): (input: DeliverInput) => Promise<DeliverResult> {
  // Without a place: each attempt tells for itself.
  return (input) => attend(deps, randomUUID(), (signals) => deliver(deps, input, eitherOf(signals)));
}

async function deliver(
  deps: HostDeps,
  { run, sink: index, notification }: DeliverInput,
  stop: AbortSignal,
): Promise<DeliverResult> {
  const record = findRunRecord(deps.home.stateDir(run.repoKey, run.runId));
  const sink = record === null ? undefined : hostSinks(record.policy.notify)[index];
  if (record === null || sink === undefined) {
    throw deliveryFailure(`the run ${run.runId} has no sink ${index} on this host; it may have been cleaned`, false);
  }
  deps.failpoint('notify.before-send');
  const delivery = await tell(deps, { sink, record, notification }, stop);
  deps.failpoint('notify.after-send');
  stop.throwIfAborted();
  if (delivery.kind === 'failed') throw deliveryFailure(`${targetOf(sink)}: ${delivery.why}`, delivery.later);
  return { target: targetOf(sink) };
}

interface Telling {
  readonly sink: Sink;
  readonly record: RunRecord;
  readonly notification: Notification;
}

async function tell(deps: HostDeps, { sink, record, notification }: Telling, stop: AbortSignal): Promise<Delivery> {
  // Wire types are JSON; an interface alone has no index signature.
  const body = JSON.stringify(redactorOf({ record }).json({ ...notification } as Record<string, Json>));
  if (sink.kind === 'command') {
    const env = captureEnvironment(deps.environment);
    const forbidden = [record.repository.root, record.worktree];
    return runSinkProgram({ command: sink.command, env, cwd: deps.home.root, forbidden }, `${body}\n`, stop);
  }
  const key = sink.secretEnv === null ? null : (deps.environment[sink.secretEnv] ?? '');
  if (key === '') {
    return failed(`the key must be in the worker's environment variable ${sink.secretEnv ?? ''}, which is not set`, {
      later: false,
    });
  }
  return postWebhook({ url: sink.url, key, id: notification.id }, body, stop);
}

/** For people. */
function targetOf(sink: Sink): string {
  return sink.kind === 'command' ? basename(sink.command[0]) : (webhookAddress(sink.url)?.host ?? 'webhook');
}
