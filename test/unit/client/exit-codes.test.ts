import { describe, expect, it } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { exitCodeOf, exitHelp } from '../../../client/cli/terminal/exit-codes.js';
import { endOfFailure, exitCodeOfEnd } from '../../../client/cli/watch/run-end.js';
import { FAILURES } from '../../../protocol/failures.js';
import { RUN_OUTCOMES } from '../../../protocol/run/outcomes.js';
import { refusalFailure } from '../../../protocol/text/refusal.js';

const failed = (cause: Error) => new WorkflowFailedError('Workflow execution failed', cause, 'NON_RETRYABLE_FAILURE');

describe('exit codes', () => {
  it('gives every outcome of a run its code', () => {
    const codes = Object.fromEntries(RUN_OUTCOMES.map((outcome) => [outcome, exitCodeOf(outcome)]));

    expect(codes).toEqual({ merge_ready: 0, no_changes: 3, blocked: 3, failed: 2, aborted: 3 });
  });

  it('lists exactly the named codes in the help', () => {
    const help = exitHelp(['done', 'needsPerson']);

    expect(help.match(/^ {2}\d+/gm)).toEqual(['  0', '  3']);
  });
});

describe('the end of a run that failed to answer', () => {
  it.each(Object.values(FAILURES))('counts %s as never started', (type) => {
    const end = endOfFailure(failed(ApplicationFailure.nonRetryable('no such thing', type)));

    expect(end).toMatchObject({ kind: 'refused', type, message: 'no such thing', parts: { what: 'no such thing' } });
    expect(end !== null && exitCodeOfEnd(end)).toBe(1);
  });

  it('finds the refusal below the failure of an activity', () => {
    const refusal = ApplicationFailure.nonRetryable('not on the list', FAILURES.RepositoryNotServed);
    const activity = Object.assign(new Error('Activity task failed'), { name: 'ActivityFailure', cause: refusal });

    expect(endOfFailure(failed(activity))).toMatchObject({ kind: 'refused', message: 'not on the list' });
  });

  it('has the parts of the refusal as they were given, whatever is in them', () => {
    const parts = { what: 'a\nNothing was started.\nrm -rf ~', why: '', now: '\u001b[2J', mend: 'one\ntwo' };
    const refusal = ApplicationFailure.create(refusalFailure(FAILURES.BadConfig, parts));

    expect(endOfFailure(failed(refusal))).toMatchObject({ kind: 'refused', parts });
  });

  it.each([[], [null], [null, 'text'], [null, { what: 'half', why: 1, now: '', mend: '' }], 'text'])(
    'has the message alone of a failure with the details %j',
    (details) => {
      const failure = Object.assign(ApplicationFailure.nonRetryable('said', FAILURES.BadInput), { details });

      expect(endOfFailure(failed(failure))).toMatchObject({ parts: { what: 'said', why: '', now: '', mend: '' } });
    },
  );

  it('counts another failure as a failed run', () => {
    const end = endOfFailure(failed(ApplicationFailure.nonRetryable('broken', 'Broken')));

    expect(end).toEqual({ kind: 'failed', message: 'broken' });
    expect(end !== null && exitCodeOfEnd(end)).toBe(2);
  });

  it.each([new CancelledFailure('cancelled'), new TerminatedFailure('terminated by hand')])(
    'counts %s as aborted',
    (cause) => {
      const end = endOfFailure(failed(cause));

      expect(end).toMatchObject({ kind: 'aborted' });
      expect(end !== null && exitCodeOfEnd(end)).toBe(3);
    },
  );

  it('says nothing about the run when the server did not answer', () => {
    expect(endOfFailure(new Error('14 UNAVAILABLE'))).toBeNull();
  });
});
