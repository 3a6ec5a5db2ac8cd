import { describe, expect, it } from '@jest/globals';
import type { RunExecution } from '../../../client/calls/listed-run.js';
import { type PendingActivity, type Retrying, retryingOf, retryText } from '../../../client/calls/retrying.js';
import { followRetries } from '../../../client/cli/watch/follow-retries.js';

const aPending = (attempt: number, message = 'no space left on device'): PendingActivity => ({
  activityType: { name: 'runTurn' },
  attempt,
  lastFailure: { message },
});

describe('what a run fails at again and again', () => {
  it.each([[[]], [[aPending(1)]], [[aPending(2)]]])('is nothing for %j', (pending) => {
    expect(retryingOf(pending)).toBeNull();
  });

  it('is told from the third attempt on', () => {
    const retrying = retryingOf([aPending(3)]);

    expect(retrying).toEqual({
      activity: 'runTurn',
      attempt: 3,
      message: 'no space left on device · the disk is full; on its host: df -h; df -i',
    });
  });

  it('is the activity with the most attempts', () => {
    const retrying = retryingOf([aPending(4, 'a'), aPending(10, 'b'), aPending(1, 'c')]);

    expect(retrying === null ? null : retryText(retrying)).toBe('attempt 10: b');
  });

  it('lets neither a secret, a control sequence nor a second line out', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;

    const retrying = retryingOf([aPending(5, `\u001b[2Jcannot push with ${token}\nsecond ${'long '.repeat(200)}`)]);

    expect(retrying?.message).toMatch(/^cannot push with \[redacted:github-token\]⏎second long/);
    expect(retrying?.message.length).toBeLessThan(310);
  });
});

describe('following the retries of a watched run', () => {
  const anExecution = (retrying: Retrying | null): RunExecution => ({
    runId: 'shop-1',
    workflowId: 'shop-1',
    type: 'run',
    execution: 'RUNNING',
    startedAt: '2026-11-21T10:00:00.000Z',
    closedAt: null,
    retrying,
  });
  const failing = { activity: 'runTurn', attempt: 3, message: 'no space left on device' };

  it('tells each change once, and goes on over a server that does not answer', async () => {
    const answers: (Retrying | null | Error)[] = [
      null,
      failing,
      failing,
      new Error('away'),
      { ...failing, attempt: 4 },
      null,
    ];
    const told: (Retrying | null)[] = [];
    let answered = 0;
    const ending = new AbortController();
    const describeRun = async () => {
      const answer = answers.shift();
      if (answers.length === 0) setImmediate(() => ending.abort());
      if (answer instanceof Error) throw answer;
      return anExecution(answer ?? null);
    };

    await followRetries(
      {
        sluice: { describe: describeRun },
        workflowId: 'shop-1',
        onChange: (retrying) => told.push(retrying),
        onAnswer: () => (answered += 1),
        everyMs: 1,
      },
      ending.signal,
    );

    expect(told).toEqual([failing, { ...failing, attempt: 4 }, null]);
    expect(answered).toBe(5);
  });
});
