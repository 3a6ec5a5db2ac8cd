/** Somebody ends a backlog while its tasks are at work or wait: it is begun anew by the next word, knows them again, and starts none above its limit. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readLedger } from '../../activities/agent/scripted/ledger.js';
import { backlogId } from '../../protocol/actors/backlog.js';
import { openBacklog } from '../support/backlog-client.js';
import { openProject } from '../support/backlog-project.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { fixtureWith } from '../support/test-repository.js';
import { until } from '../support/until.js';

/** Each waits in its turn until it may go on. */
const TURNS = fixtureWith({ executing: { append: { 'a.txt': 'changed\n' }, text: 'Added a line.', waitFor: 'go' } });

describe('a backlog that is terminated', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('V-132: is begun anew by the next task, and starts none before all that are open have told how they stand', async () => {
    const config = 'stageList: [executing, validating]\n';
    const { backlog, repository } = await openProject(host, 'ended', { fixture: TURNS, config });
    await backlog.create(['one', 'two']);
    await backlog.reaches('1', 'running');
    await host.client.workflow.getHandle(backlogId('ended')).terminate('a person');

    const anew = await openBacklog(host.client, { project: 'ended', repo: repository.path, host: host.hostId });
    await anew.create(['three']);
    await until(async () => (await anew.status()).counts.running === 1);

    const { entries, counts } = await anew.status();
    expect(counts).toEqual({ admitting: 0, clarifying: 0, gated: 0, queued: 2, running: 1, parked: 0 });
    expect(entries.map(({ id, waitsFor }) => [id, waitsFor?.kind ?? null])).toEqual([
      ['1', null],
      ['2', 'slot'],
      ['3', 'slot'],
    ]);
    repository.release('go');
    for (const id of ['1', '2', '3']) await backlog.reaches(id, 'parked');
    const starts = readLedger(repository.ledgerPath).map(({ event }) => event);
    // One after the other, each once.
    expect(starts).toEqual(['START', 'END', 'START', 'END', 'START', 'END']);
  }, 300_000);
});
