/** The short form of `npm run attack`: one hostile agent under the built worker, some forty tries with a sandbox and without one. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { attack } from '../attack/attack.js';
import { TRIES } from '../attack/tries.js';
import { itInSandbox } from '../support/it-in-sandbox.js';

const LIMIT_MS = 900_000;

const SHORT = TRIES.filter(({ short }) => short === true);

describe('a hostile agent', () => {
  for (const [setting, its] of [
    ['inside', itInSandbox],
    ['outside', it],
  ] as const) {
    its.each([setting])(
      '%s: each try is held, refused or documented as its row says, and nothing is left behind',
      async () => {
        const { judged, leftBehind } = await attack(SHORT, setting);

        expect(judged.filter(({ isAsExpected }) => !isAsExpected)).toEqual([]);
        expect(judged.length).toBe(SHORT.filter(({ [setting]: expected }) => expected !== null).length);
        expect(leftBehind).toEqual([]);
      },
      LIMIT_MS,
    );
  }

  it(
    'is let loose by a program too, which has a server of its own',
    async () => {
      const { SLUICE_TEST_ADDRESS: _, SLUICE_TEST_SERVERS: __, ...env } = process.env;
      const flags = ['--only', 'own-environment', '--setting', 'outside', '--json'];

      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', 'test/attack/main.ts', ...flags],
        { env },
      );

      expect(JSON.parse(stdout)).toMatchObject({ id: 'own-environment', setting: 'outside', isAsExpected: true });
    },
    LIMIT_MS,
  );
});
