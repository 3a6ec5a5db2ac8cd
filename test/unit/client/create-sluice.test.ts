/** What the facade leaves behind where there is no server. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { temporalClient } from '../../../client/calls/temporal-client.js';
import { createSluice } from '../../../client/sluice.js';
import { freePort } from '../../../worker/local-engine/children/ports.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a server that does not answer', () => {
  it('costs whoever asks again and again no connection each time', async () => {
    const close = jest.spyOn(temporalClient().Connection.prototype, 'close');
    const address = `127.0.0.1:${await freePort(30_000 + Math.floor(Math.random() * 10_000))}`;

    await expect(createSluice({ address, connectTimeoutMs: 100 })).rejects.toThrow('Failed to connect');

    expect(close).toHaveBeenCalledTimes(1);
  });
});
