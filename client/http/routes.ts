/** What the web server answers, but for the page's own files and the stream. One table: the router, docs/api.md and a test that asks every route read it. */
import { z } from 'zod';
import { nameOf } from '../../config/system/error-code.js';
import { rowOf } from './list-runs.js';
import { IdParams, MESSAGE_ROUTES, RunParams } from './message-routes.js';
import { readRun } from './read-run.js';
import { NOTHING, type Route, route, WebFailure } from './route.js';
import { BatchList, BatchPage, LandingsPage, LimitsPage, RunList, RunPage } from './shapes.js';
import { readBatch, readBatches, readLandings, readLimits } from './snapshots.js';

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/session',
    about:
      'the code that `sluice web` printed, for a key that goes as `Authorization: Bearer <key>` with every other request',
    open: true,
    params: NOTHING,
    body: z.strictObject({ code: z.string().min(1).max(100) }),
    answer: z.strictObject({ key: z.string(), by: z.string() }),
    async handle({ body }, { session, by }) {
      const key = session.tradeCode(body.code);
      if (key === null)
        throw new WebFailure(
          401,
          'this code was used, is too old, or is none',
          'press Enter in the terminal of sluice web',
        );
      return { key, by };
    },
  }),
  route({
    method: 'GET',
    path: '/api/runs',
    about: 'the runs, newest first',
    params: NOTHING,
    body: NOTHING,
    answer: RunList,
    async handle(_, { lister }) {
      const { runs, source } = await lister.list();
      return { rows: runs.map(rowOf), source };
    },
  }),
  route({
    method: 'GET',
    path: '/api/runs/:id',
    about: 'one run in full',
    params: RunParams,
    body: NOTHING,
    answer: RunPage,
    async handle({ params: { id } }, { lister, line }) {
      const run = await lister.find(id);
      if (run === null) throw new WebFailure(404, `there is no run ${id}`, 'sluice list');
      return line.ask((sluice) => readRun(run, sluice)).catch(() => readRun(run, null));
    },
  }),
  route({
    method: 'GET',
    path: '/api/batches',
    about: 'the batches, newest first',
    params: NOTHING,
    body: NOTHING,
    answer: BatchList,
    handle: (_, { line }) => line.ask(readBatches),
  }),
  route({
    method: 'GET',
    path: '/api/batches/:id',
    about: 'one batch, by its workflow id, with each of its tasks',
    params: IdParams,
    body: NOTHING,
    answer: BatchPage,
    handle: ({ params: { id } }, { line }) => line.ask((sluice) => readBatch(sluice, id)).catch(notFound),
  }),
  route({
    method: 'GET',
    path: '/api/limits',
    about: 'the accounts whose usage limit is reached, and what is used of the budgets of the day',
    params: NOTHING,
    body: NOTHING,
    answer: LimitsPage,
    handle: (_, { line, home }) => readLimits(line, home),
  }),
  route({
    method: 'GET',
    path: '/api/landings',
    about: 'the landings, the newest of each run, and the merge queues',
    params: NOTHING,
    body: NOTHING,
    answer: LandingsPage,
    handle: (_, { line }) => line.ask(readLandings),
  }),
  ...MESSAGE_ROUTES,
];

/** Errors: WebFailure for what the server does not know, else the same. */
function notFound(error: unknown): never {
  if (nameOf(error) === 'WorkflowNotFoundError') throw new WebFailure(404, 'there is nothing of this name');
  throw error;
}
