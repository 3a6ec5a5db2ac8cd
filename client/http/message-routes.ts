/** The messages of a person to a run or its landing, over HTTP: each names what it is about and has a request id, so that one whose answer was lost is sent again as the same. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { MAX_REQUEST_ID_CHARS } from '../../protocol/limits.js';
import {
  FIELD_LIMITS,
  type FieldKind,
  GATE_DECISIONS,
  MESSAGE_ROWS,
  RUN_MESSAGES,
  type RunMessageName,
} from '../../protocol/messages/message-rows.js';
import { landingId } from '../../protocol/names.js';
import { isRunId } from '../../protocol/run/run-id.js';
import type { MessageToSend, Sent } from '../calls/send-message.js';
import { Answered, type Route, route, WebFailure, type WebParts } from './route.js';
import { SentAnswer } from './shapes.js';

export const RunParams = z.strictObject({ id: z.string().refine(isRunId, 'is no run id') });

/** Messages that only say something about the one gate that a person saw. */
const NAMES_ITS_GATE: Readonly<Partial<Record<RunMessageName, readonly string[]>>> = {
  approve: ['gate', 'decision', 'commit'],
  answer: ['promptId'],
};

const LANDING_MESSAGES: readonly RunMessageName[] = ['approve', 'answer', 'pause', 'resume', 'abort'];

export const MESSAGE_ROUTES: readonly Route[] = [
  ...RUN_MESSAGES.map((name) =>
    messageRoute('runs', name, async (runId, parts) => (await parts.lister.find(runId))?.workflowId ?? runId),
  ),
  ...LANDING_MESSAGES.map((name) => messageRoute('landings', name, async (runId) => landingId(runId))),
];

type WorkflowIdOf = (runId: string, parts: WebParts) => Promise<string>;

function messageRoute(owner: 'runs' | 'landings', name: RunMessageName, workflowIdOf: WorkflowIdOf): Route {
  return route({
    method: 'POST',
    path: `/api/${owner}/:id/${name}`,
    about: `${owner === 'runs' ? 'the run' : 'the landing of its head'}: ${MESSAGE_ROWS[name].does}`,
    params: RunParams,
    body: bodyOf(name),
    answer: SentAnswer,
    async handle({ params, body }, parts) {
      const { requestId = randomUUID(), ...argument } = body as { readonly requestId?: string }; // As its schema says.
      const message: MessageToSend = { name, argument: { ...argument, by: parts.by }, requestId };
      const workflowId = await workflowIdOf(params.id, parts);
      const sent = await parts.line.ask((sluice) => sluice.send(workflowId, message));
      return answerOf(sent);
    },
  });
}

/** Shape: fields that the message has, text within its limits; `requestId`. */
function bodyOf(name: RunMessageName) {
  const needed = NAMES_ITS_GATE[name] ?? [];
  const fields = Object.entries<FieldKind>(MESSAGE_ROWS[name].fields).map(([field, kind]) => {
    const schema = schemaOf(kind);
    const isNeeded = needed.includes(field) || kind === 'text' || kind === 'title';
    // A gate before the first commit shows none.
    return [field, field === 'commit' ? schema.nullable() : isNeeded ? schema : schema.nullable().optional()] as const;
  });
  return z.strictObject({
    requestId: z.string().min(1).max(MAX_REQUEST_ID_CHARS),
    ...Object.fromEntries(fields),
  });
}

function schemaOf(kind: FieldKind) {
  if (kind === 'decision') return z.enum(GATE_DECISIONS);
  return z.string().min(1).max(FIELD_LIMITS[kind]);
}

function answerOf(sent: Sent): SentAnswer | Answered<SentAnswer> {
  switch (sent.kind) {
    case 'accepted':
      return { sent: sent.kind, message: sent.answer.message };
    case 'queued':
      return new Answered(202, {
        sent: sent.kind,
        message: 'no worker answered; it is checked when a worker is there',
      });
    case 'cancelled':
      return { sent: sent.kind, message: 'the server keeps no more messages of it, so it was cancelled' };
    case 'refused':
    case 'not_kept':
      return new Answered(409, { sent: sent.kind, message: sent.why });
    case 'closed':
      return new Answered(409, { sent: sent.kind, message: 'it is closed, so it takes no message' });
    case 'unknown':
      throw new WebFailure(404, 'the server knows no such run or landing', 'sluice list');
  }
}
