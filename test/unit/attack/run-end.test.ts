/** What an attack makes of a run that does not end as a run does, and of a try that this machine cannot make. Neither may look as if it were held. */
import { describe, expect, it } from '@jest/globals';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { endOf, lacksProgram } from '../../attack/run-end.js';
import type { TestRun } from '../../support/test-host.js';

type Ended = Pick<TestRun, 'handle' | 'result' | 'events'>;

function aRun(result: () => Promise<unknown>): Ended & { terminated: string[] } {
  const terminated: string[] = [];
  const handle = { terminate: async (why: string) => terminated.push(why) };
  return { handle, result, events: () => [], terminated } as unknown as Ended & { terminated: string[] }; // Only these are called.
}

describe('a run under attack', () => {
  it('that ended is not broken, whatever its outcome', async () => {
    const result = { outcome: 'failed', error: 'why' } as RunResult; // Only these are looked at.

    expect(await endOf(aRun(() => Promise.resolve(result)))).toEqual({ result, broken: null });
  });

  it('that does not end in time is ended, and broken', async () => {
    const run = aRun(() => new Promise(() => undefined));

    expect(await endOf(run, 10)).toMatchObject({
      result: { outcome: 'failed' },
      broken: expect.stringContaining('did not end in 0.01 s'),
    });
    expect(run.terminated).toEqual(['it did not end']);
  });

  it('whose result cannot be read is broken', async () => {
    const { broken } = await endOf(aRun(() => Promise.reject(new Error('terminated'))));

    expect(broken).toBe('has no result that can be read: Error: terminated');
  });
});

describe('a try', () => {
  it.each([
    'sh: 1: unshare: not found',
    'cat: x: Permission denied\nsh: 1: pivot_root: not found\n',
    'sh: line 1: setpriv: command not found',
  ])('lacks a program where its shell says so: %j', (errors) => {
    expect(lacksProgram(errors)).toBe(true);
  });

  it.each([
    '',
    'sh: 1: ~/.cache/temporal: not found',
    'sh: 1: cannot open /home/ada/.ssh/id_rsa: No such file',
    'fatal: ref not found',
  ])('lacks none where it is only kept from something: %j', (errors) => {
    expect(lacksProgram(errors)).toBe(false);
  });
});
