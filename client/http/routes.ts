/** What the web server answers, but for the page's own files and the stream. One table: the router, docs/api.md and a test that asks every route read it. */
import { z } from 'zod';
import { rowOf } from './list-runs.js';
import { MESSAGE_ROUTES, RunParams } from './message-routes.js';
import { readRun } from './read-run.js';
import { NOTHING, type Route, route, WebFailure } from './route.js';
import { RunList, RunPage } from './shapes.js';

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
  ...MESSAGE_ROUTES,
];
