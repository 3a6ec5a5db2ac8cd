/** A change on its way from a run that ended merge_ready to its base. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { LandingView } from '../../../protocol/actors/landing.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { landingId, STATUS_QUERY } from '../../../protocol/names.js';
import { type EndedRun, endedRun } from '../../support/ended-run.js';
import {
  FORGE_ENV,
  forgedRepository,
  landingWhere,
  mergesAsked,
  tellLanding,
} from '../../support/forge/forged-runs.js';
import { land, landingOf, REPAIRED, settledLanding } from '../../support/landed-runs.js';
import { closedRun } from '../../support/queued-runs.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;

const CHECKED = 'stageList: [executing, validating]\nvalidation: { commands: ["true"] }\n';

describe('landing', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker({ env: FORGE_ENV });
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  const handleOf = ({ run }: EndedRun) => host.client.workflow.getHandle(landingId(run.runId));
  const viewOf = (ended: EndedRun) =>
    handleOf(ended)
      .query<LandingView>(STATUS_QUERY)
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      });
  const landed = ({ run }: EndedRun) => land(host, run.runId);
  const stateOf = ({ run }: EndedRun) => JSON.parse(run.read('state.json')) as RunView;
  /** `merge` of state.json follows the landing by one activity. */
  const merge = (ended: EndedRun, is: RunView['merge']) => until(() => stateOf(ended).merge === is);
  /** Once it is ready for a base that is checked out. */
  const leaveBase = async (ended: EndedRun) => {
    await until(async () => (await viewOf(ended))?.entry?.state === 'ready');
    ended.repository.git('checkout', '-q', '--detach');
    await host.client.workflow.getHandle((await viewOf(ended))?.entry?.queue ?? '').signal('look', {});
  };
  const journalOf = ({ run }: EndedRun) =>
    run
      .read('landing/events.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalEvent);

  it(
    'V-85: a run lands only when a person says so; its status stays merge_ready while merge in state.json goes unmerged, queued, merged',
    async () => {
      const ended = await endedRun(host, { config: CHECKED });
      const { git } = ended.repository;
      const before = git('rev-parse', 'main');

      expect(stateOf(ended)).toMatchObject({ status: 'merge_ready', merge: 'unmerged' });
      expect(await viewOf(ended)).toBeNull();
      await landed(ended);
      // A checkout stands on the base.
      await merge(ended, 'queued');
      expect(stateOf(ended).status).toBe('merge_ready');
      expect(git('rev-parse', 'main')).toBe(before);
      await leaveBase(ended);
      await merge(ended, 'merged');

      expect(stateOf(ended)).toMatchObject({ status: 'merge_ready', outcome: 'merge_ready' });
      expect(git('merge-base', '--is-ancestor', ended.result.headSha ?? '', 'main')).toBe('');
      expect(journalOf(ended).map(({ seq }) => seq)).toEqual(journalOf(ended).map((_, index) => index + 1));
      expect(journalOf(ended).flatMap(({ data }) => data['to'])).toEqual(expect.arrayContaining(['queued', 'merged']));
    },
    LIMIT_MS,
  );

  it(
    'V-85: where a forge is configured a run is shown by a draft pull request, which nobody merges but a person; its status stays merge_ready',
    async () => {
      const one = await forgedRepository(host, { config: CHECKED });
      const { faults, state } = one.forge;
      try {
        const before = state.tip('main');
        const run = await host.startRun(one.repository);
        await run.result();
        await landingWhere(host, run.runId, ({ pull }) => pull?.at === 'draft');
        await tellLanding(host, run.runId, 'look');
        await until(() => faults.done('PullState') === 2);

        expect(one.pullOf(run.runId)).toMatchObject({ isDraft: true, state: 'open', base: 'main' });
        expect([state.tip('main'), mergesAsked(one.forge), faults.done('git receive-pack')]).toEqual([before, 0, 1]);
        const stateOf = () => JSON.parse(run.read('state.json')) as RunView;
        expect(stateOf()).toMatchObject({ status: 'merge_ready', merge: 'unmerged' });
        state.merge(one.pullOf(run.runId), 'a person');
        await tellLanding(host, run.runId, 'look');
        await until(() => stateOf().merge === 'merged');
        expect(stateOf().status).toBe('merge_ready');
      } finally {
        one.forge.close();
      }
    },
    LIMIT_MS,
  );

  it(
    'S-80: result and merge are two fields: whoever waits for a run with commits that are not merged learns merge_ready and unmerged',
    async () => {
      const { result } = await endedRun(host, { config: CHECKED });

      expect(result).toMatchObject({ outcome: 'merge_ready', merge: 'unmerged' });
      expect(result.source?.head).toBe(result.headSha);
    },
    LIMIT_MS,
  );

  it(
    'V-42: landing can be listed: its gate opens before the head goes to the merge queue, and an approval lets it in',
    async () => {
      const ended = await endedRun(host, { config: `gates: [landing]\n${CHECKED}` });
      ended.repository.git('checkout', '-q', '--detach');
      await landed(ended);
      await until(async () => ((await viewOf(ended))?.gate ?? null) !== null);

      expect(await viewOf(ended)).toMatchObject({
        merge: 'unmerged',
        entry: null,
        gates: [{ id: 'gate-1', stage: 'landing', source: 'policy', status: 'pending', commit: ended.result.headSha }],
      });
      await handleOf(ended).executeUpdate('approve', { args: [{ gate: 'gate-1', by: 'ada' }] });
      await merge(ended, 'merged');
      expect(JSON.parse(ended.run.read('landing/approvals.json'))).toMatchObject([
        { status: 'approved', resolvedBy: 'ada' },
      ]);
      expect(journalOf(ended).map(({ type }) => type)).toEqual(
        expect.arrayContaining(['approval.requested', 'approval.approved', 'merge.changed']),
      );
    },
    LIMIT_MS,
  );

  it(
    'V-85: a run lands unasked only where its policy says auto and its head has what that needs; else a person is asked',
    async () => {
      const auto = (needs: string) => `landing: { mode: auto, needs: ${needs} }\n${CHECKED}`;
      const [checked, strict, off] = await Promise.all([
        endedRun(host, { config: auto('checked') }),
        endedRun(host, { config: auto('verified') }),
        endedRun(host, { config: `landing: off\n${CHECKED}` }),
      ]);
      await landed(off);
      await leaveBase(checked);
      await merge(checked, 'merged');
      await until(async () => ((await viewOf(strict))?.gate ?? null) !== null);
      await merge(off, 'abandoned');

      expect(await viewOf(strict)).toMatchObject({ gate: { reason: 'needs' }, merge: 'unmerged' });
      expect((await viewOf(off))?.abandoned).toContain('landing.mode is off');
      await handleOf(strict).executeUpdate('approve', { args: [{ decision: 'reject', note: 'not this way' }] });
      await merge(strict, 'abandoned');
      expect(checked.repository.git('log', '-1', '--format=%H', 'main').trim()).toBe(checked.result.headSha);
      expect(strict.repository.git('rev-list', '--count', `${strict.result.baseSha}..main`).trim()).toBe('0');
    },
    LIMIT_MS,
  );

  it(
    'V-47: changes requested at the gate into landing run fixing with the text, and the gate opens again; after as many as are allowed it is given up',
    async () => {
      const repository = await host.repository(REPAIRED('gates: { stages: [landing], maxChangeRounds: 1 }\n'));
      const changed = (task: string) => closedRun(host, repository, { task: `change\ndo: ${task}` });
      const [asked, refused] = [await changed('touch one'), await changed('touch three')];
      repository.git('checkout', '-q', '--detach');
      const changes = { decision: 'request_changes', note: 'Say hello.' };
      for (const runId of [asked, refused]) {
        const handle = await land(host, runId);
        expect(await settledLanding(host, runId)).toMatchObject({
          gates: [{ stage: 'landing', changesGoTo: 'fixing' }],
        });
        await handle.executeUpdate('approve', { args: [{ gate: 'gate-1', ...changes }] });
        await until(async () => (await landingOf(host, runId)).gate?.id === 'gate-2');
        await handle.executeUpdate('approve', {
          args: [{ gate: 'gate-2', ...(runId === asked ? { decision: 'approve' } : changes) }],
        });
      }

      expect(await settledLanding(host, asked)).toMatchObject({ merge: 'merged' });
      expect(repository.git('show', 'main:hello.txt')).toBe('hello\n');
      expect(repository.git('ls-tree', '--name-only', 'main')).toContain('one');
      expect(await settledLanding(host, refused)).toMatchObject({
        merge: 'abandoned',
        abandoned: expect.stringContaining('changes were requested 2 times'),
      });
    },
    LIMIT_MS,
  );
});
