/** Several commands for one fork: Node forks its whole process to start a program, and that of a test weighs so much that this takes longer than git itself. */
import { execFileSync } from 'node:child_process';

interface Shell {
  readonly cwd: string;
  /** `$1` and on. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** What the commands printed. Errors: plain Error with what they said, from the first that fails on. */
export function runInOneShell(script: string, { cwd, args = [], env = process.env, input = '' }: Shell): string {
  return execFileSync('/bin/sh', ['-ec', script, 'sh', ...args], {
    cwd,
    env,
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
