/** Yes or no, asked on the terminal. The library that asks is loaded only then. */
import { RefusedError } from '../../../protocol/text/refusal.js';
import { EXIT } from './exit-codes.js';

interface Question {
  /** What Enter alone means. */
  readonly initial: boolean;
  /** What is true where somebody leaves it, which is neither yes nor no: `Nothing was started.` */
  readonly left: string;
  /** What one does then. */
  readonly mend?: string;
}

/** Errors: RefusedError with the exit code of whoever was interrupted, at Ctrl+C or Escape. */
export async function askYesOrNo(
  message: string,
  { initial, left, mend = 'The same command asks again.' }: Question,
): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message, initialValue: initial });
  if (!isCancel(answer)) return answer;
  const parts = { what: `stopped at the question: ${message}`, why: '', now: left, mend };
  throw new RefusedError(parts, { exitCode: EXIT.detached });
}
