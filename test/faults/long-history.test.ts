/** A run that people talked to for long: it answers, is replayed by a new worker, goes on, and its close and its report are right. */
import { describe, expect, it } from '@jest/globals';
import { openGate } from '../support/decide-gates.js';
import { PLAIN_END } from '../support/held-run.js';
import { openedOnce } from '../support/opened.js';
import { tracesOf } from '../support/run-traces.js';
import { openTestHost } from '../support/test-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 240_000;
const AT_ONCE = 100;
const RENAMES = 700;
const STEERS = 45;
/** Of `temporal.api.enums.v1.WorkflowTaskFailedCause`. */
const NON_DETERMINISTIC_ERROR = 24;
const CONFIG = 'gates:\n  stages: [executing, reviewing]\nvalidation:\n  commands: ["grep -q changed a.txt"]\n';

const host = openedOnce(openTestHost);

describe('a run with a history of more than 2 000 events', () => {
  it(
    'is replayed by a new worker, answers, takes its gates, and closes with a whole journal and a right report',
    async () => {
      const repository = await host.repository({ config: CONFIG });
      const first = await host.startWorker();
      const run = await host.startRun(repository, { attended: true });
      const { handle } = run;
      await openGate(run);
      // A query that meets a long workflow task on a busy machine is asked again.
      const heard = (count: number) =>
        run.view().then(
          ({ seq }) => seq > count,
          () => false,
        );
      for (let sent = 0; sent < RENAMES; sent += AT_ONCE) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, (_, n) => handle.signal('rename', { title: `title ${sent + n + 1}` })),
        );
        await until(() => heard(sent + AT_ONCE), LIMIT_MS);
      }
      for (let n = 0; n < STEERS; n += 1) await handle.executeUpdate('steer', { args: [{ text: `note ${n + 1}` }] });
      await until(async () => {
        const { raw } = await handle.describe();
        return (raw.pendingActivities ?? []).length === 0 && (raw.pendingWorkflowTask ?? null) === null;
      });

      await first.kill();
      await host.startWorker();

      const view = await run.view();
      expect(view).toMatchObject({ status: 'waiting_for_approval', pendingApprovalId: 'gate-1' });
      expect(view.seq).toBeGreaterThan(RENAMES + STEERS);
      await handle.executeUpdate('approve', { args: [{ gate: 'gate-1' }] });
      const { id } = await openGate(run, 1);
      await handle.executeUpdate('approve', { args: [{ gate: id }] });

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject({ ...PLAIN_END, living: [] });
      const { events } = await handle.fetchHistory();
      expect(events?.length).toBeGreaterThan(2000);
      // Others are tried again: where the server ends a task behind which too many messages wait, where one took too long, and where a copy of the run is given up.
      const causes = events?.flatMap(({ workflowTaskFailedEventAttributes: failure }) => failure?.cause ?? []);
      expect(causes).not.toContain(NON_DETERMINISTIC_ERROR);
      const journal = run.events();
      expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, index) => index + 1));
      expect(journal.filter(({ type }) => type === 'run.renamed')).toHaveLength(RENAMES);
      expect(journal.filter(({ type }) => type === 'run.steered')).toHaveLength(STEERS);
      expect(JSON.parse(run.read('state.json'))).toMatchObject({ status: 'merge_ready', seq: journal.length });
      expect(run.read('report.md')).toContain('a.txt');
      expect(run.read('turns/4-executing/prompt.md').match(/note \d+/g)?.length).toBe(STEERS);
    },
    LIMIT_MS,
  );
});
