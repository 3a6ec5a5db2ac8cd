import { describe, expect, it } from '@jest/globals';
import { runSetup } from '../../../activities/checks/run-setup.js';
import type { ExitRecord } from '../../../activities/process/contract.js';

function exitAfter(ms: number, part: Partial<ExitRecord> = {}): ExitRecord {
  const startedAt = new Date(0).toISOString();
  const known = {
    ranMs: ms,
    diskFull: false,
    endedAt: startedAt,
    token: 't',
    inputHash: 'h',
    signal: null,
    stdoutBytes: 0,
    stderrBytes: 0,
    stdout: '',
    stderr: '',
    claimedAt: startedAt,
  };
  return { ...known, startedAt, reason: 'exited', exitCode: 0, ...part };
}

describe('a set-up', () => {
  it('gives each command what the ones before it left of the one time limit', async () => {
    const given: number[] = [];

    const error = await runSetup({
      lines: ['a', 'b', 'c'],
      limitMs: 1_000,
      run: async (_line, _index, timeoutMs) => {
        given.push(timeoutMs);
        return exitAfter(300);
      },
    });

    expect(error).toBeNull();
    expect(given).toEqual([1_000, 700, 400]);
  });

  it.each([
    [{ exitCode: 2 }, 'set-up command `b` failed (exit 2)'],
    [{ reason: 'timed_out', exitCode: 143 }, 'set-up command `b` failed (timed_out)'],
  ] as const)('stops at the first command that ends with %j and says so', async (part, expected) => {
    const told: (string | null)[] = [];

    const error = await runSetup({
      lines: ['a', 'b', 'c'],
      limitMs: 1_000,
      run: async (line) => exitAfter(1, line === 'b' ? part : {}),
      each: (_line, problem) => told.push(problem),
    });

    expect(error).toBe(expected);
    expect(told).toEqual([null, expected]);
  });
});
