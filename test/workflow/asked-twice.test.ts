/** A call that is made again because its answer was lost, against the real server: it counts once. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSluice, type Sluice } from '../../client/sluice.js';
import { RedactingCodec } from '../../wire/redacting-codec.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;

let host: TestHost;
let sluice: Sluice;

beforeAll(async () => {
  host = await openTestHost();
  sluice = await createSluice({ ...host, dataConverter: { payloadCodecs: [new RedactingCodec()] } });
}, LIMIT_MS);

afterAll(async () => {
  await sluice.close();
  await host.close();
}, LIMIT_MS);

describe('a start that is asked for twice', () => {
  const input = { task: 'fix it', repo: '/nowhere' };

  it('starts a run once under one request id, and says so each time', async () => {
    const first = await sluice.startRun({ runId: 'shop-1', input, requestId: 'one' });
    const again = await sluice.startRun({ runId: 'shop-1', input, requestId: 'one' });
    await sluice.cancel('shop-1');
    await host.client.workflow.getHandle('shop-1').terminate();
    const afterItsEnd = await sluice.startRun({ runId: 'shop-1', input, requestId: 'one' });

    expect([first, again, afterItsEnd].map(({ kind }) => kind)).toEqual(['started', 'started', 'started']);
    expect((await sluice.describe('shop-1')).execution).toBe('TERMINATED');
  });

  it('refuses an id that another start has taken', async () => {
    await sluice.startRun({ runId: 'shop-2', input, requestId: 'one' });

    expect(await sluice.startRun({ runId: 'shop-2', input, requestId: 'two' })).toEqual({
      kind: 'taken',
      runId: 'shop-2',
    });
    expect(await sluice.startRun({ runId: 'shop-2', input })).toMatchObject({ kind: 'taken' });
  });

  it('starts a batch once under one request id', async () => {
    const batch = {
      workflowId: 'batch:nightly',
      input: { tasks: [{ task: 'one' }], concurrency: 1 },
      searchAttributes: false,
    };

    expect(await sluice.startBatch({ ...batch, requestId: 'one' })).toBe('started');
    expect(await sluice.startBatch({ ...batch, requestId: 'one' })).toBe('started');
    expect(await sluice.startBatch(batch)).toBe('running');
  });
});
