/** What a workflow asked of others, as a kept history has it and as a replay tells it, one line each. */
import { createHash } from 'node:crypto';
import type { Json } from '../../protocol/text/json.js';
import { redactJson } from '../../protocol/text/redact.js';
import type { ToldCommand } from './tell-commands.js';

interface Payloads {
  readonly payloads?: readonly { readonly data?: string }[];
}

export interface KeptEvent {
  readonly workflowExecutionStartedEventAttributes?: { readonly workflowId: string };
  readonly activityTaskScheduledEventAttributes?: {
    readonly activityType: { readonly name: string };
    readonly input?: Payloads;
  };
  readonly signalExternalWorkflowExecutionInitiatedEventAttributes?: {
    readonly signalName: string;
    readonly workflowExecution: { readonly workflowId: string; readonly runId?: string };
    readonly input?: Payloads;
  };
  readonly startChildWorkflowExecutionInitiatedEventAttributes?: {
    readonly workflowType: { readonly name: string };
    readonly workflowId: string;
    readonly input?: Payloads;
  };
}

/** Instead of an activity's input, which may be large and hold paths of a machine: a replay never looks at it. */
export function hashedInput(input: Payloads): Payloads {
  return { payloads: (input.payloads ?? []).map(({ data }) => ({ data: base64Of(hashOf(textOf(data))) })) };
}

export function keptCommand(event: KeptEvent): string[] {
  const activity = event.activityTaskScheduledEventAttributes;
  if (activity !== undefined) return [[`activity ${activity.activityType.name}`, ...textsOf(activity.input)].join(' ')];
  const signal = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
  if (signal !== undefined) {
    const { workflowId, runId = '' } = signal.workflowExecution;
    return [`signal ${signal.signalName} to ${workflowId} ${runId} ${textsOf(signal.input).join(' ')}`];
  }
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
  return child === undefined
    ? []
    : [`child ${child.workflowType.name} ${child.workflowId} ${textsOf(child.input).join(' ')}`];
}

export function toldCommand({ what, args }: ToldCommand): string {
  // As the codec of the recording wrote it; what is undefined has no text.
  const texts = args.map((arg) => (arg === undefined ? '' : JSON.stringify(redactJson(arg as Json))));
  return `${what} ${(what.startsWith('activity ') ? texts.map(hashOf) : texts).join(' ')}`;
}

function textsOf(input: Payloads | undefined): readonly string[] {
  return (input?.payloads ?? []).map(({ data }) => textOf(data));
}

function textOf(data = ''): string {
  return Buffer.from(data, 'base64').toString();
}

function base64Of(text: string): string {
  return Buffer.from(text).toString('base64');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
