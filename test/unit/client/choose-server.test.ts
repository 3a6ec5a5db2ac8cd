/** Whose address TEMPORAL_ADDRESS is: our own engine's, which is started where a run needs it, or that of another server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { chooseServer } from '../../../client/cli/server/choose-server.js';
import { ENGINE_PORTS } from '../../../protocol/names.js';
import { keepAddress } from '../../../worker/local-engine/state/engine-address.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

const freshFolder = tempFolders();
const PORT = 23_456;
const KEPT = { server: PORT, ui: null, uiHost: '127.0.0.1' };
const DEFAULT = `127.0.0.1:${ENGINE_PORTS.server}`;
let home: string;

beforeEach(() => {
  home = freshFolder();
});

async function choiceFor(address: string): Promise<string> {
  const { context } = openTerminal({ env: { TEMPORAL_ADDRESS: address, HOME: home } });
  return (await chooseServer({ ...context, home }, { local: false })).kind;
}

describe('an address in TEMPORAL_ADDRESS', () => {
  it('is our own after `sluice down` too, where that engine listened last', async () => {
    keepAddress(join(home, 'address.json'), { server: PORT, ui: PORT + 1 }, KEPT);

    expect(await choiceFor(`127.0.0.1:${PORT}`)).toBe('local');
    expect(await choiceFor(`localhost:${PORT}`)).toBe('local');
    expect(await choiceFor(DEFAULT)).toBe('remote');
  });

  it('is that of the engine that runs, where it listened elsewhere before', async () => {
    keepAddress(join(home, 'address.json'), { server: PORT, ui: PORT + 1 }, KEPT);
    writeFileSync(join(home, 'engine.json'), JSON.stringify({ address: `127.0.0.1:${PORT + 7}` }));

    expect(await choiceFor(`127.0.0.1:${PORT + 7}`)).toBe('local');
  });

  it.each(['', '{', '{"server":"17233"}'])('is our own by its default where the record holds %j', async (text) => {
    writeFileSync(join(home, 'address.json'), text);

    expect(await choiceFor(DEFAULT)).toBe('local');
    expect(await choiceFor(`127.0.0.1:${PORT}`)).toBe('remote');
  });
});
