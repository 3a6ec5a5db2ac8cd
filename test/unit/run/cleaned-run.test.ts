import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createCleanRun } from '../../../activities/closing/clean-run.js';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

describe('a reset of a run that was cleaned', () => {
  let host: RewindHost;
  let run: DrivenRun;

  const clean = () => {
    const input = { hostId: 'host-1', run: { runId: run.runId, repoKey: run.opened.repoKey }, giveUp: true };
    return new MockActivityEnvironment().run(createCleanRun(host.deps), input);
  };

  beforeAll(async () => {
    host = await aRewindHost({ config: '', fixture: fixtureWith({}) });
    run = await host.start('run-1');
    await run.turn('planning');
    await run.close('aborted');
    await clean();
    run.resetTo(2, run.head);
  });

  afterAll(() => host.close());

  const refusal = {
    type: 'RunExists',
    nonRetryable: true,
    message: expect.stringMatching(/was cleaned[\s\S]*sluice run/),
  };

  it('is told at once that nothing is left, for no retry brings it back', async () => {
    await expect(run.turn('planning')).rejects.toMatchObject(refusal);
    await expect(run.validate()).rejects.toMatchObject(refusal);
    await expect(host.open(host.openInput('run-1'))).rejects.toMatchObject(refusal);
  });

  it('gets its end written all the same, and leaves nothing that a clean does not find', async () => {
    await run.close('failed');

    expect(readFileSync(join(run.stateDir, 'closed.json'), 'utf8')).toBe('{"outcome":"failed"}');
    await clean();
    expect(readdirSync(run.stateDir).sort()).toEqual(['closed.json', 'run.json']);
  });
});
