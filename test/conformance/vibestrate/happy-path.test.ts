import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestHost, type TestHost, type TestRun } from '../../support/test-host.js';
import type { TestRepository } from '../../support/test-repository.js';

const HAPPY_PATH = ['planning', 'planned', 'architecting', 'architected', 'executing', 'validating', 'reviewing', 'verifying', 'merge_ready'];

describe('a plain run', () => {
  let host: TestHost;
  let repository: TestRepository;
  let run: TestRun;

  beforeAll(async () => {
    host = await openTestHost();
    repository = await host.repository();
    await host.startWorker();
    run = await host.startRun(repository);
    await run.result();
  });

  afterAll(() => host.close());

  it('V-10, V-11: enters each status of the happy path once, in order', () => {
    const moves = run.events().filter((event) => event.type === 'state.changed');

    expect(moves.map((event) => event.data['to'])).toEqual(HAPPY_PATH);
    expect(moves[0]?.data['from']).toBe('created');
  });

  it('V-13: leaves a diff on the branch', () => {
    const diff = repository.git('diff', '--stat', `main..sluice/${run.runId}`);

    expect(diff).toContain('a.txt');
  });
});
