/** Who may bring the local engine up. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { up } from '../../../client/cli/commands/up.js';
import { upEngine } from '../../../client/cli/server/up.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

const freshFolder = tempFolders();
const named = process.env['SLUICE_TEMPORAL_CLI'];

beforeEach(() => {
  // Whatever gets that far starts nothing either.
  process.env['SLUICE_TEMPORAL_CLI'] = join(freshFolder(), 'none');
});
afterEach(() => {
  if (named === undefined) delete process.env['SLUICE_TEMPORAL_CLI'];
  else process.env['SLUICE_TEMPORAL_CLI'] = named;
});

function inATurn() {
  const folder = freshFolder();
  const { context } = openTerminal({ env: { HOME: folder, SLUICE_TURN: 'token' } });
  return { ...context, home: join(folder, 'home') };
}

describe('inside a turn', () => {
  it('the engine is not started, for it would end with the turn', async () => {
    const started = upEngine(inATurn(), { onProgress: () => undefined });

    await expect(started).rejects.toThrow(/inside a turn[^]*ends with it[^]*Nothing was started/);
  });

  it('sluice up is refused, as every command of people is, also for a new worker', async () => {
    for (const restart of [false, true])
      await expect(up(inATurn(), { ui: false, restart })).rejects.toThrow(/this command runs inside a turn/);
  });
});
