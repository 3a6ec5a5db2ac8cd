/** A look at a workflow is a Query, which a busy worker answers in its time: whoever looks again and again goes on. */
import { isGrpcDeadlineError, ServiceError } from '@temporalio/client';

/** For `catch`. Errors: any other than that this was too long. */
export function nullIfLate(error: unknown): null {
  if (error instanceof ServiceError && isGrpcDeadlineError(error.cause)) return null;
  throw error;
}
