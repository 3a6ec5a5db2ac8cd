/** Starts a program of ours with one question, a line of JSON, and reads its answer: what the command line itself has no part in, as adapters and tokens. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Io } from '../terminal/io.js';

/** `entry`: arguments of node. Null: there was no answer, so it failed or was ended. */
export async function askProgram(
  { env, stop }: Pick<Io, 'env' | 'stop'>,
  entry: readonly string[],
  question: unknown,
): Promise<unknown> {
  const child = spawn(process.execPath, [...entry], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const onStop = () => child.kill('SIGTERM');
  stop.addEventListener('abort', onStop, { once: true });
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (answer += text));
  // The line only: an open pipe tells it that we live.
  child.stdin.on('error', () => undefined).write(`${JSON.stringify(question)}\n`);
  await once(child, 'close');
  stop.removeEventListener('abort', onStop);
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return null;
  }
}
