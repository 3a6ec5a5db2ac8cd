/** The messages of a person to a run or its landing, over HTTP: each names what it is about and has a request id, so that one whose answer was lost is sent again as the same. */
import { z } from 'zod';
import { closedAccounts, openAccount } from '../../config/home/closed-accounts.js';
import { MAX_BY_CHARS, MAX_REQUEST_ID_CHARS } from '../../protocol/limits.js';
import {
  FIELD_LIMITS,
  type FieldKind,
  GATE_DECISIONS,
  MESSAGE_ROWS,
  RUN_MESSAGES,
  type RunMessageName,
} from '../../protocol/messages/message-rows.js';
import { landingId, quotaGateId } from '../../protocol/names.js';
import { isRunId } from '../../protocol/run/run-id.js';
import type { MessageToSend, Sent } from '../calls/send-message.js';
import { OPENED_HERE } from '../look/limited-accounts.js';
import { isWorkflowId } from '../views/page-paths.js';
import { Answered, type Route, route, WebFailure, type WebParts } from './route.js';
import { ServerAway } from './server-line.js';
import { SentAnswer } from './shapes.js';

export const RunParams = z.strictObject({ id: z.string().refine(isRunId, 'is no run id') });
export const IdParams = z.strictObject({ id: z.string().refine(isWorkflowId, 'is no id') });

const REQUEST_ID = z.string().min(1).max(MAX_REQUEST_ID_CHARS);

/** Messages that only say something about the one gate that a person saw. */
const NAMES_ITS_GATE: Readonly<Partial<Record<RunMessageName, readonly string[]>>> = {
  approve: ['gate', 'decision', 'commit'],
  answer: ['promptId'],
};

const LANDING_MESSAGES: readonly RunMessageName[] = ['approve', 'answer', 'pause', 'resume', 'abort'];

/** What is another thing than for a run. */
const LANDING_WORDS: Readonly<Partial<Record<RunMessageName, string>>> = {
  pause: 'it does not land until it is resumed',
  resume: 'it goes on',
  abort: 'the head is given up, unless it has landed before its queue hears of it',
};

export const MESSAGE_ROUTES: readonly Route[] = [
  ...RUN_MESSAGES.map((name) =>
    messageRoute({
      path: '/api/runs/:id',
      name,
      params: RunParams,
      body: bodyOf(name),
      about: `the run: ${MESSAGE_ROWS[name].does}`,
      workflowIdOf: async ({ id }, { lister }) => (await lister.find(id))?.workflowId ?? id,
    }),
  ),
  ...LANDING_MESSAGES.map((name) =>
    messageRoute({
      path: '/api/landings/:id',
      name,
      params: RunParams,
      body: bodyOf(name),
      about: `the landing of its head: ${LANDING_WORDS[name] ?? MESSAGE_ROWS[name].does}`,
      workflowIdOf: async ({ id }) => landingId(id),
    }),
  ),
  route({
    method: 'POST',
    path: '/api/landings/:id/land',
    about:
      'asks for the head of a closed run to land, on the branch that it began at or on `onto`; asked again it is the same landing',
    params: RunParams,
    body: z.strictObject({ requestId: REQUEST_ID, onto: z.string().min(1).max(MAX_BY_CHARS).nullable().optional() }),
    answer: SentAnswer,
    async handle({ params: { id }, body: { onto = null } }, { line, lister, by }) {
      const run = await lister.find(id);
      if (run === null) throw new WebFailure(404, `there is no run ${id}`, 'sluice list');
      await line.ask((sluice) => sluice.land({ runId: id, workflowId: run.workflowId, onto, by }));
      return { sent: 'accepted' as const, message: 'it is asked to land' };
    },
  }),
  messageRoute({
    path: '/api/batches/:id',
    name: 'abort',
    params: IdParams,
    body: bodyOf('abort'),
    about: 'the batch: starts no more of its tasks and aborts the runs that it started',
    workflowIdOf: async ({ id }) => id,
  }),
  ...(['pause', 'resume'] as const).map((name) =>
    messageRoute({
      path: '/api/queues/:id',
      name,
      params: IdParams,
      body: z.strictObject({ requestId: REQUEST_ID }),
      about: `the merge queue of that workflow id: ${name === 'pause' ? 'lands nothing until it is resumed' : 'goes on'}`,
      workflowIdOf: async ({ id }) => id,
    }),
  ),
  route({
    method: 'POST',
    path: '/api/accounts/:id/open',
    about:
      'the account `<provider>/<account>`: its usage limit is over, says a person; the runs that wait go on, and this host starts turns again, also where nobody waits or the server is away',
    params: IdParams,
    body: z.strictObject({ requestId: REQUEST_ID }),
    answer: SentAnswer,
    async handle({ params: { id }, body: { requestId } }, { line, home, by }) {
      const message: MessageToSend = { name: 'open', argument: { by }, requestId };
      const isClosedHere = closedAccounts(home, Date.now()).some(({ account }) => account === id);
      const sent = await line
        .ask((sluice) => sluice.send(quotaGateId(id), message))
        .catch((error: unknown) => {
          if (isClosedHere && error instanceof ServerAway) return null;
          throw error;
        });
      if (sent?.kind === 'refused' || sent?.kind === 'not_kept') return answerOf(sent);
      // What this host remembers of the limit would hold its turns back all the same.
      await openAccount(home, id);
      if (sent === null) return { sent: 'accepted' as const, message: OPENED_WITHOUT_SERVER };
      const isGateOver = sent.kind === 'closed' || sent.kind === 'unknown';
      return isClosedHere && isGateOver ? { sent: 'accepted' as const, message: OPENED_HERE } : answerOf(sent);
    },
  }),
];

const OPENED_WITHOUT_SERVER = 'turns are started on this host again; the server is away, so no run that waits was told';

interface MessageRoute<Params extends z.ZodType<{ readonly id: string }>> {
  /** Behind which the name stands. */
  readonly path: string;
  readonly name: MessageToSend['name'];
  readonly about: string;
  readonly params: Params;
  readonly body: z.ZodType;
  readonly workflowIdOf: (params: z.infer<Params>, parts: WebParts) => Promise<string>;
}

function messageRoute<Params extends z.ZodType<{ readonly id: string }>>(row: MessageRoute<Params>): Route {
  const { path, name, about, params, body, workflowIdOf } = row;
  return route({
    method: 'POST',
    path: `${path}/${name}`,
    about,
    params,
    body,
    answer: SentAnswer,
    async handle(asked, parts) {
      const { requestId, ...argument } = asked.body as { readonly requestId: string }; // As its schema says.
      const message: MessageToSend = { name, argument: { ...argument, by: parts.by }, requestId };
      const workflowId = await workflowIdOf(asked.params, parts);
      return answerOf(await parts.line.ask((sluice) => sluice.send(workflowId, message)));
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
  return z.strictObject({ requestId: REQUEST_ID, ...Object.fromEntries(fields) });
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
        message: 'no worker took it; it is checked when a worker is there',
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
