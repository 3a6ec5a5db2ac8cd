/** What lands is checked on a queue of its own: agents that hold every slot of a host for as long as they like keep nothing from its base. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { QUEUED_RUNS } from '../support/queued-repository.js';
import { closedRun, enqueueAll } from '../support/queued-runs.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { until } from '../support/until.js';

const SLOTS = 4;

it('lands and checks while four agents hold all slots and a fifth run waits for one', async () => {
  const host = await openTestHost();
  try {
    giveSlots(host);
    await host.startWorker();
    const repository = await host.repository({ ...QUEUED_RUNS, config: `${QUEUED_RUNS.config}sandbox: off\n` });
    const runs = [await closedRun(host, repository), await closedRun(host, repository)];
    repository.git('checkout', '-q', '-b', 'elsewhere');
    const [started, go] = [join(host.folder, 'started'), join(host.folder, 'go')];
    execFileSync('mkfifo', [go]);
    // Opened to read, it waits until somebody opens it to write.
    const task = `hang\ndo: echo started >> ${started}; read word < ${go}`;
    const hanging = await Promise.all(
      Array.from({ length: SLOTS + 1 }, () => host.startRun(repository, { task, attended: false })),
    );
    const starts = () => (existsSync(started) ? readFileSync(started, 'utf8').split('\n').length - 1 : 0);
    await until(() => starts() === SLOTS);

    const { results } = await (await enqueueAll(host, runs)).ended();

    expect(results.map(({ state }) => state)).toEqual(['merged', 'merged']);
    // The second was made on the first, which nobody had checked: its checks ran, and all agents are where they were.
    expect(repository.git('log', '-1', '--format=%P', 'main').trim().split(' ')).toHaveLength(2);
    expect(starts()).toBe(SLOTS);
    expect(
      (await Promise.all(hanging.map(({ handle }) => handle.describe()))).map(({ status }) => status.name),
    ).toEqual(hanging.map(() => 'RUNNING'));
    await Promise.all(hanging.map(({ handle }) => handle.executeUpdate('abort', { args: [{ by: 'person' }] })));
    await Promise.all(hanging.map(({ handle }) => handle.result()));
  } finally {
    await host.close();
  }
});

function giveSlots({ folder }: TestHost): void {
  const config = join(folder, 'person/.config/sluice');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.yaml'), `version: 1\nslots: ${SLOTS}\n`);
}
