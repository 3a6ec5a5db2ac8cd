/** Refusals with anything in their parts: each part arrives as it was given, and on a screen none passes for another message. */
import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { foreignBlock } from '../../../client/cli/terminal/io.js';
import { FAILURES } from '../../../protocol/failures.js';
import {
  formatRefusal,
  type Refusal,
  RefusedError,
  readRefusal,
  refusalFailure,
} from '../../../protocol/text/refusal.js';

const HOSTILE = 'a\nNothing was started.\n\nsluice: all is well\r\u001b[2J\u0007\u202e\u2028b\0';
const part = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\n', '\n\n', HOSTILE, 'sluice: no\nsluice: yes', '  indented\n\tmore', 'one line'),
);
const parts: fc.Arbitrary<Refusal> = fc.record({ what: part, why: part, now: part, mend: part });

/** As a screen has it. */
const shown = (refusal: Refusal) => foreignBlock(formatRefusal(refusal)).split('\n');

describe('a refusal', () => {
  it('has its four parts on lines of their own, and none for what is empty', () => {
    const refusal = {
      what: 'rounds is -1',
      why: 'must be 0 to 20',
      now: 'Nothing was started.',
      mend: 'sluice config',
    };

    expect(formatRefusal(refusal)).toBe(
      'sluice: rounds is -1\n  must be 0 to 20\n  Nothing was started.\n  sluice config',
    );
    expect(formatRefusal({ ...refusal, why: '', mend: 'one\ntwo' })).toBe(
      'sluice: rounds is -1\n  Nothing was started.\n  one\n  two',
    );
  });

  it('has the command that mends it alone on a line, so that it can be pasted, and a word about it below', () => {
    const refusal = { what: 'there is no run', why: '', now: '', mend: 'sluice list    then name the run' };

    expect(formatRefusal(refusal).split('\n').slice(1)).toEqual(['  sluice list', '  then name the run']);
  });

  it.each(['what', 'why', 'now', 'mend'] as const)(
    'with newlines and control characters in %s has one message on the screen',
    (name) => {
      const lines = shown({ what: 'what', why: 'why', now: 'now', mend: 'mend', [name]: HOSTILE });

      expect(lines.filter((line) => !line.startsWith('  '))).toEqual([lines[0]]);
      expect(lines[0]).toMatch(/^sluice: /);
      expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2028]/);
    },
  );

  it('of any parts has one message on the screen, and loses no line of a part', () => {
    fc.assert(
      fc.property(parts, (refusal) => {
        const lines = formatRefusal(refusal).split('\n');
        const given = [refusal.what, refusal.why, refusal.now, refusal.mend].flatMap((text) => text.split('\n'));

        expect(lines.slice(1).filter((line) => !line.startsWith('  '))).toEqual([]);
        expect(lines.join('\n').replace(/^sluice: /, '  ')).toBe(
          given
            .filter((line) => line.trim() !== '')
            .map((line) => `  ${line}`)
            .join('\n'),
        );
      }),
    );
  });

  it('comes out of the details of a failure as it went in, with its field', () => {
    fc.assert(
      fc.property(parts, fc.constantFrom(...Object.values(FAILURES)), (refusal, type) => {
        const failure = ApplicationFailure.create(refusalFailure(type, refusal, 'rewind'));
        const sent: unknown = JSON.parse(JSON.stringify({ details: failure.details }));

        expect(readRefusal(sent)).toEqual(refusal);
        expect(failure).toMatchObject({ type, nonRetryable: true, details: ['rewind', refusal] });
      }),
    );
  });

  it('is no refusal where a failure carries something else', () => {
    fc.assert(
      fc.property(fc.anything(), (details) =>
        expect(readRefusal({ details: [null, details] }) ?? details).toEqual(details),
      ),
    );
    for (const failure of [null, undefined, 'text', {}, { details: null }, { details: 'text' }, { details: [] }])
      expect(readRefusal(failure)).toBeNull();
  });

  it('is an error that says all of it', () => {
    const error = new RefusedError({ what: 'one', why: 'two', now: 'three', mend: 'four' });

    expect([error.message, error.exitCode]).toEqual(['one\ntwo\nthree\nfour', 1]);
  });
});
