/**
 * Lets no single signal stop a run. The SDK throws for a signal whose payload it cannot read, or whose name begins with `__temporal_`: its workflow
 * task fails, and so does every later one, since the signal stays in the history. Here, before the SDK looks, such a signal becomes one that the
 * run reads and refuses, with a line in its journal. Updates need no such care: the SDK refuses an unreadable one to its sender.
 */
import { arrayFromPayloads, defaultPayloadConverter } from '@temporalio/common';
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';

/** Source: @temporalio/common, lib/reserved.js, which does not export it to workflows. */
const RESERVED_PREFIX = '__temporal_';

/** No message takes a list: what cannot be read must neither approve nor be taken for a text. */
const UNREADABLE: readonly string[] = ['a payload that cannot be read'];

/** Loaded into the bundle by its path, see worker/bundle.ts. */
export const interceptors = (): WorkflowInterceptors => ({
  internals: [
    {
      activate(input, next) {
        for (const { signalWorkflow } of input.activation.jobs ?? []) if (signalWorkflow) makeReadable(signalWorkflow);
        next(input);
      },
    },
  ],
});

type Signal = NonNullable<NonNullable<ActivateInput['activation']['jobs']>[number]['signalWorkflow']>;

function makeReadable(signal: Signal): void {
  const { signalName } = signal;
  // In quotes it begins with another character; the journal tells the name as it was.
  if (signalName?.startsWith(RESERVED_PREFIX) === true) signal.signalName = JSON.stringify(signalName);
  try {
    arrayFromPayloads(defaultPayloadConverter, signal.input);
  } catch {
    signal.input = [defaultPayloadConverter.toPayload(UNREADABLE)];
  }
}
