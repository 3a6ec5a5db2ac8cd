/** One of several, chosen on the terminal. The library that asks is loaded only then. */
import { RefusedError } from '../../../protocol/text/refusal.js';
import { EXIT } from './exit-codes.js';

const MAX_SHOWN = 12;

/** Shape: labels are printable. Errors: RefusedError with the exit code of whoever was interrupted, at Ctrl+C or Escape. */
export async function chooseOne<Value extends object>(
  message: string,
  choices: readonly { readonly value: Value; readonly label: string }[],
): Promise<Value> {
  const { isCancel, select } = await import('@clack/prompts');
  const options = choices.map(({ label }, index) => ({ value: index, label }));
  const answer = await select({ message, options, maxItems: MAX_SHOWN });
  const chosen = isCancel(answer) ? undefined : choices[answer];
  if (chosen !== undefined) return chosen.value;
  const parts = { what: `stopped at the question: ${message}`, why: '', now: 'Nothing was done.', mend: 'sluice list' };
  throw new RefusedError(parts, { exitCode: EXIT.detached });
}
