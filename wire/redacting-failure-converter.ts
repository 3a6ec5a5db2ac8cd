/** Redacts and shortens failures on their way out. Loaded by path, into the workflow sandbox too, so it may use nothing of Node. */
import { DefaultFailureConverter, type PayloadConverter, type ProtoFailure } from '@temporalio/common';
import { redact } from '../protocol/text/redact.js';

/** The final failure goes into history whole; output belongs into an artifact. */
const MAX_MESSAGE_CHARS = 2_000;
const MAX_STACK_CHARS = 4_000;

class RedactingFailureConverter extends DefaultFailureConverter {
  override errorToFailure(err: unknown, payloadConverter: PayloadConverter): ProtoFailure {
    return redacted(super.errorToFailure(err, payloadConverter));
  }
}

function redacted(failure: ProtoFailure): ProtoFailure {
  return {
    ...failure,
    message: shortened(failure.message, MAX_MESSAGE_CHARS),
    stackTrace: shortened(failure.stackTrace, MAX_STACK_CHARS),
    ...(failure.cause === undefined || failure.cause === null ? {} : { cause: redacted(failure.cause) }),
  };
}

function shortened(text: string | null | undefined, limit: number): string {
  const clean = redact(text ?? '');
  return clean.length <= limit ? clean : `${clean.slice(0, limit)}…`;
}

export const failureConverter = new RedactingFailureConverter();
