/** Tasks that are there already, on a real host: real worker, real repositories, scripted agent. Source: docs/requirements/skep.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../../protocol/actors/backlog.js';
import { type BacklogOf, idsOf } from '../../support/backlog-client.js';
import { openProject } from '../../support/backlog-project.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';

const DEDUP = 'admission:\n  order: [dedup]\n';

const EXPORT = 'Export the monthly report as a CSV file with one row per customer';

/** The first of what was said of a create. */
const saidOf = async (backlog: BacklogOf, task: string | Record<string, unknown>): Promise<Verdict | undefined> =>
  (await backlog.create([task])).verdicts?.[0];

describe('a task that is compared', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  /** Nothing starts, so that what is there stays queued. */
  async function open(project: string, config = DEDUP) {
    const opened = await openProject(host, project, { config });
    await opened.backlog.say('pause');
    return opened;
  }

  it('S-07: twenty equal creates at once give one task and nineteen duplicates', async () => {
    const { backlog } = await open('twenty');

    const answers = await Promise.all(Array.from({ length: 20 }, () => backlog.create([EXPORT])));

    const kinds = answers.map(({ verdicts }) => verdicts?.[0]?.kind);
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'duplicate')).toHaveLength(19);
    const { counts } = await backlog.status();
    expect(counts).toMatchObject({ queued: 1, gated: 0, running: 0, parked: 0 });
  });
});
