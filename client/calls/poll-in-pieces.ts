/**
 * Waits of hours, cut into pieces: the SDK adds a listener to the signal of each of its long polls and takes none away, so that a signal which lasts as
 * long as the wait would gather them. Source: temporalio/sdk-typescript, `Connection.withAbortSignal`.
 */

/** **Unit** ms. A long poll lasts 20 to 60 s: some listeners a piece, below the ten of which node warns. */
const PIECE_MS = 120_000;

/** Asks again as long as only the piece was over. Errors: those of `ask`. */
export async function pollInPieces<Answer>(
  stop: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Answer>,
  pieceMs = PIECE_MS,
): Promise<Answer> {
  for (;;) {
    const over = AbortSignal.timeout(pieceMs);
    try {
      return await ask(AbortSignal.any([stop, over]));
    } catch (error) {
      if (stop.aborted || !over.aborted) throw error;
    }
  }
}
