/** What the web server answers, but for the page's own files and the stream. One table: the router, docs/api.md and a test that asks every route read it. */
import { z } from 'zod';
import { nameOf } from '../../config/system/error-code.js';
import { RefusedError } from '../../protocol/text/refusal.js';
import { type FoundRun, viewOf } from '../look/find-runs.js';
import { readPatchOfFile } from '../look/patch-of-file.js';
import { readTurnText, TURN_TEXTS } from '../look/read-turns.js';
import { type RunLister, rowOf } from './list-runs.js';
import { IdParams, MESSAGE_ROUTES, RunParams } from './message-routes.js';
import { readReport } from './read-report.js';
import { readRun } from './read-run.js';
import { renderReport } from './render-report.js';
import { NOTHING, type Route, route, WebFailure } from './route.js';
import {
  BatchList,
  BatchPage,
  FilePatch,
  LandingsPage,
  LimitsPage,
  ReportFile,
  RunList,
  RunPage,
  TextPiece,
} from './shapes.js';
import { readBatch, readBatches, readLandings, readLimits } from './snapshots.js';

/** A number in an address. */
const PLACE = z.string().regex(/^\d{1,9}$/);

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
    async handle({ body }, { session, by, newCode }) {
      const key = session.tradeCode(body.code);
      if (key === null) throw new WebFailure(401, 'this code was used, is too old, or is none', newCode);
      return { key, by };
    },
  }),
  route({
    method: 'GET',
    path: '/api/session',
    about: 'who a decision by that key is told of',
    params: NOTHING,
    body: NOTHING,
    answer: z.strictObject({ by: z.string() }),
    handle: async (_, { by }) => ({ by }),
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
      const run = await foundRun(lister, id);
      return line.ask((sluice) => readRun(run, sluice)).catch(() => readRun(run, null));
    },
  }),
  route({
    method: 'GET',
    path: '/api/runs/:id/diff/:commit/:n',
    about:
      'the patch of one changed file, by the `headSha` of the run that was seen and the place in its `changes`, from 0; at most 512 KiB of it',
    params: RunParams.extend({ commit: z.string(), n: PLACE }),
    body: NOTHING,
    answer: FilePatch,
    async handle({ params: { id, commit, n } }, { lister, line }) {
      const run = await foundRun(lister, id);
      const view = await line.ask((sluice) => viewOf(run, sluice)).catch(() => viewOf(run, null));
      const { repo, baseSha = null, headSha = null } = view ?? { repo: '' };
      if (baseSha === null || headSha === null) throw new WebFailure(404, 'this run has no change yet');
      // Under the same place another head may have another file.
      if (headSha !== commit) throw new WebFailure(409, 'it has changed: the run has another head by now');
      const found = await readPatchOfFile({ repo, baseSha, headSha, place: Number(n) }).catch(notPrinted(id));
      if (found === null) throw new WebFailure(404, 'there is no such change here', `sluice diff ${id}`);
      return found;
    },
  }),
  route({
    method: 'GET',
    path: '/api/runs/:id/turns/:n/:part/:from',
    about: 'a text of one turn, `output` or `prompt`: 256 KiB of it from a byte on',
    params: RunParams.extend({ n: PLACE, part: z.enum(TURN_TEXTS), from: PLACE }),
    body: NOTHING,
    answer: TextPiece,
    async handle({ params: { id, n, part, from } }, { lister }) {
      const { runDir } = await foundRun(lister, id);
      const found = runDir === null ? null : await readTurnText({ runDir, n: Number(n), part, from: Number(from) });
      if (found === null) throw new WebFailure(404, 'there is no such text here', `sluice logs ${id} --turn ${n}`);
      return found;
    },
  }),
  route({
    method: 'GET',
    path: '/api/runs/:id/report',
    about: 'the report of a run, from its folder: what `sluice report` writes',
    params: RunParams,
    body: NOTHING,
    answer: ReportFile,
    async handle({ params: { id } }, { lister }) {
      const run = await foundRun(lister, id);
      const { runDir } = run;
      if (runDir === null) throw new WebFailure(404, 'the files of this run are on another machine');
      return { html: await renderReport(await readReport({ ...run, runDir }, new Date().toISOString())) };
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

/** Errors: WebFailure where git was ended, for too much or too long, else the same. */
function notPrinted(id: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof RefusedError)
      throw new WebFailure(409, `the page cannot show this change: ${error.parts.what}`, `sluice diff ${id}`);
    throw error;
  };
}

/** Errors: WebFailure. */
async function foundRun(lister: RunLister, id: string): Promise<FoundRun> {
  const run = await lister.find(id);
  if (run === null) throw new WebFailure(404, `there is no run ${id}`, 'sluice list');
  return run;
}
