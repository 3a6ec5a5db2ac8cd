/** Ctrl+C while something else has the terminal: it is meant for that, as in git. */
import { describe, expect, it } from '@jest/globals';
import { createProcessIo } from '../../../client/cli/terminal/io.js';

describe('a terminal that is lent', () => {
  it('leaves Ctrl+C to who has it, and nothing else', async () => {
    const { io } = createProcessIo();

    await io.lend(async () => process.emit('SIGINT', 'SIGINT'));
    expect(io.stop.aborted).toBe(false);
    await io.lend(async () => process.emit('SIGTERM', 'SIGTERM'));

    expect(io.stop.reason).toBe('SIGTERM');
  });

  it('is given back, also by who fails', async () => {
    const { io } = createProcessIo();

    await expect(io.lend(() => Promise.reject(new Error('no pager')))).rejects.toThrow('no pager');
    process.emit('SIGINT', 'SIGINT');

    expect(io.stop.reason).toBe('SIGINT');
  });
});
