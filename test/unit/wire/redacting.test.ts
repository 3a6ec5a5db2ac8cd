import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { RedactingCodec } from '../../../wire/redacting-codec.js';
import { failureConverter } from '../../../wire/redacting-failure-converter.js';

// Joined at run time, so that no secret scanner stumbles over this file.
const SECRET = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');

describe('what goes to the server', () => {
  it('has no secret of a known shape in a payload, and stays the same value otherwise', async () => {
    const payload = defaultPayloadConverter.toPayload({ task: `use ${SECRET} please`, n: 1 });
    const [encoded] = await new RedactingCodec().encode(payload === undefined ? [] : [payload]);

    const value = defaultPayloadConverter.fromPayload<{ task: string; n: number }>(encoded ?? {});
    expect(value.n).toBe(1);
    expect(value.task).toMatch(/^use \[redacted:[^\]]+\] please$/);
  });

  it('passes a payload without secrets on untouched', async () => {
    const payload = defaultPayloadConverter.toPayload({ task: 'plain' });

    expect(await new RedactingCodec().encode([payload ?? {}])).toEqual([payload]);
  });

  it('has no secret in a failure, its cause or its stack, and no endless message', () => {
    const error = ApplicationFailure.create({
      message: `${SECRET} ${'x'.repeat(50_000)}`,
      type: 'T',
      cause: new Error(`inner ${SECRET}`),
    });

    const failure = failureConverter.errorToFailure(error, defaultPayloadConverter);

    expect(JSON.stringify(failure)).not.toContain(SECRET);
    expect(failure.message?.length).toBeLessThan(3_000);
    expect(failure.applicationFailureInfo?.type).toBe('T');
  });
});
