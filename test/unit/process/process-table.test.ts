/** What is found of a command where there is no /proc: the process group of its parent `sh`, and never anything else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { createProcessTable } from '../../../activities/process/guard/process-table.js';
import { sendSignal } from '../../../config/system/send-signal.js';

const table = createProcessTable(false);

describe('without /proc', () => {
  it('a command is found by the group of its parent sh', async () => {
    const shell = spawn('/bin/sleep', ['60'], { stdio: 'ignore', detached: true });
    const pid = pidOf(shell);

    const found = await table.find({ token: 'token', limitMark: null, pid });

    sendSignal(pid, 'SIGKILL');
    expect(found).toEqual([{ pid: -pid, start: '' }]);
  });

  it.each([-process.pid, -1, 0, 1])('nothing is found of one whose parent sh is not known: %i', async (pid) => {
    expect(await table.find({ token: 'token', limitMark: null, pid })).toEqual([]);
  });
});

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the program was not started');
  return pid;
}
