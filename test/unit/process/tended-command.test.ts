/** One command of the guard over a process table that answers when the test lets it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Claim } from '../../../activities/process/contract.js';
import { type ShellEnd, tendCommand } from '../../../activities/process/guard/command.js';
import type { Found } from '../../../activities/process/guard/process-table.js';
import { EXIT_FILE } from '../../../activities/process/marks.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { tempFolder } from '../../support/temp-folder.js';

const dir = tempFolder();

const claim: Claim = {
  token: 'token',
  group: 'repository/run',
  inputHash: 'hash',
  claimedAt: '2026-01-01T00:00:00.000Z',
  starts: 1,
  pid: 1,
  pidStart: '1',
  bootId: 'boot',
  limitMark: null,
  limits: { timeoutMs: 60_000, stallMs: null, killGraceMs: 60_000, outputBytes: 1_000 },
};

describe('the end of a command', () => {
  it('is told once nothing goes on ending it, which met what is started under its token next', async () => {
    const looks: ((found: readonly Found[]) => void)[] = [];
    const look = () => new Promise<readonly Found[]>((resolve) => looks.push(resolve));
    let endShell: (end: ShellEnd) => void = () => undefined;
    const shellEnded = new Promise<ShellEnd>((resolve) => {
      endShell = resolve;
    });
    const command = tendCommand(
      { claim, dir, adopted: false, shellEnded },
      {
        table: { find: look, findUrgently: look },
        durability: 'process',
        failpoint: noFailpoint,
        log: () => undefined,
      },
    );

    const ended = command.end('aborted');
    endShell({ code: 0, signal: null });
    await turnOfTheLoop();
    const [askedFor, afterShell] = looks;
    afterShell?.([]);
    for (let turn = 0; turn < 10; turn += 1) await turnOfTheLoop();
    expect(existsSync(join(dir, EXIT_FILE))).toBe(false);
    askedFor?.([]);

    expect(await ended).toMatchObject({ reason: 'aborted', exitCode: 0 });
    expect(existsSync(join(dir, EXIT_FILE))).toBe(true);
  });
});
