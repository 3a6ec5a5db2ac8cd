/** A connection that the system cannot hand over, for which Node says an error of the whole server. */
import { Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { serveWeb } from '../../../client/http/serve-web.js';
import { serveCommandLine } from '../../../worker/serve-command-line.js';
import { playEngine } from '../../support/played-engine.js';
import { tempFolders } from '../../support/temp-folder.js';

describe('a connection that cannot be accepted', () => {
  const freshFolder = tempFolders();
  let home: string;
  let end: () => Promise<void>;

  beforeEach(() => {
    home = freshFolder();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await end();
  });

  const control = async () => {
    const engine = await playEngine(home, () => ({ phase: 'up' }));
    return () => engine.close();
  };
  const calls = () => serveCommandLine(home, { address: '127.0.0.1:1' });
  const page = async () => {
    const place = { home, cwd: home, warn: () => {} };
    const told = { by: 'Ada', newCode: 'start it again' };
    const web = await serveWeb({ host: '127.0.0.1', port: 0, hosts: [], connect: async () => null, place, ...told });
    return async () => await web[Symbol.asyncDispose]();
  };

  it.each([
    ['the engine', control],
    ['the worker that serves the command line', calls],
    ['sluice web', page],
  ])('ends nothing of %s, however often it happens', async (_, begin) => {
    const listen = jest.spyOn(Server.prototype, 'listen');
    end = await begin();
    const server = listen.mock.contexts[0] as Server; // `listen` is called on no other.
    const fail = () => server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));

    expect([fail(), fail()]).toEqual([true, true]);
    expect(server.listening).toBe(true);
  });
});
