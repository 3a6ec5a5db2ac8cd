/** What is to be done about a server depends on whose it is, and on who named it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { lookAtServer } from '../../../client/cli/commands/doctor.js';
import { connectToLook } from '../../../client/cli/server/connect.js';
import type { Sluice } from '../../../client/sluice.js';
import type { EnginePhase } from '../../../worker/local-engine/control/control.js';
import { playEngine } from '../../support/played-engine.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

const freshFolder = tempFolders();
const DEAD = '127.0.0.1:1';

const inProfile = () => {
  const profile = join(freshFolder(), 'temporal.toml');
  writeFileSync(profile, `[profile.default]\naddress = "${DEAD}"\n`);
  return { TEMPORAL_CONFIG_FILE: profile };
};

/** Nobody polls it. */
function anIdleServer(): Sluice {
  const part: Partial<Sluice> = {
    namespace: 'default',
    serverVersion: async () => '1.31.2',
    pollers: async () => ({ workflow: 0, activity: 0 }),
    searchAttributes: async () => [],
    [Symbol.asyncDispose]: async () => {},
  };
  return part as Sluice;
}

const silent = () => Promise.reject(new Error('14 UNAVAILABLE'));
const idle = async () => anIdleServer();

describe('a server of others that does not answer', () => {
  it.each([
    ['a profile', inProfile, 'eval "$(sluice up)"'],
    ['TEMPORAL_ADDRESS', () => ({ TEMPORAL_ADDRESS: DEAD }), 'unset TEMPORAL_ADDRESS'],
  ])('is left for the local engine as %s that names it is overruled', async (_, env, leave) => {
    const { context } = openTerminal({ env: env() });

    await expect(connectToLook(context)).rejects.toMatchObject({
      parts: { mend: `start that server, or use the local engine: ${leave}    or: sluice run --local …` },
    });
    expect(await lookAtServer(context, silent)).toMatchObject([
      { grade: 'fail', mend: `start that server, or: ${leave}` },
    ]);
  });
});

describe('the own engine', () => {
  it.each<[EnginePhase, string, string]>([
    ['up', 'sluice down --now && sluice up', 'sluice up --restart'],
    ['failed', 'sluice up', 'sluice up'],
    ['starting', 'sluice up', 'sluice up'],
  ])('that is %s is mended by what reaches it', async (phase, ofSilent, ofIdle) => {
    const { context } = openTerminal({ env: {} });
    const home = freshFolder();
    const engine = await playEngine(home, () => ({ phase }));
    const mends = async (connect: typeof silent | typeof idle) => {
      const findings = await lookAtServer({ ...context, home }, connect);
      return findings.filter(({ check }) => /^(?:server|control worker|hosts)$/.test(check)).map(({ mend }) => mend);
    };

    try {
      expect(await mends(silent)).toEqual([ofSilent]);
      expect(await mends(idle)).toEqual([null, ofIdle, ofIdle]);
    } finally {
      await engine.close();
    }
  });
});
