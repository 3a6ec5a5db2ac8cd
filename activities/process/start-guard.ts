/**
 * Starts a guard, detached and in a session of its own, and waits for its first answer. Its stderr stays on a pipe until then:
 * the reason why a home cannot be used would otherwise be lost.
 */
import { spawn } from 'node:child_process';
import { entryFile } from '../../config/system/entries.js';
import { systemTroubleIn } from '../../config/system/system-trouble.js';
import { GuardUnavailable } from './contract.js';
import type { FirstAnswer, GuardOptions } from './guard/run-guard.js';

export interface GuardStart extends Omit<GuardOptions, 'failpoint'> {
  /** The entry; ours unless a test injects failpoints. */
  readonly guardMain?: string;
}

/** Small young generations: the guard holds little, for long. */
const NODE_FLAGS = ['--max-semi-space-size=1', '--no-warnings'];

const FIRST_ANSWER_MS = 15_000;

/** Errors: GuardUnavailable with the guard's own words. */
export async function startGuard({ guardMain, ...options }: GuardStart): Promise<FirstAnswer> {
  const main = guardMain ?? entryFile('guard');
  const child = spawn(process.execPath, [...NODE_FLAGS, main, JSON.stringify(options)], {
    cwd: '/',
    // Nothing of the worker's environment: neither secrets nor the turn tag of a turn in which this worker may run.
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), FIRST_ANSWER_MS);
  try {
    return await new Promise((resolve, reject) => {
      let words = '';
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        words = (words + chunk).slice(-4000);
      });
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        if (said.endsWith('\n')) resolve(said === 'ready\n' ? 'ready' : 'taken');
      });
      child.once('error', (error) => reject(unavailable(options.home, error.message)));
      // A guard that was killed has a signal and no code: look at both.
      child.once('close', (code, signal) => {
        const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
        reject(
          unavailable(
            options.home,
            `it ended before its first answer (${how})${words === '' ? '' : `: ${reasonIn(words)}`}`,
          ),
        );
      });
    });
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
    child.stderr.destroy();
    child.unref();
  }
}

function unavailable(home: string, why: string): GuardUnavailable {
  return new GuardUnavailable(
    [
      `The guard of ${home} cannot be started: ${why}.`,
      'Agents and commands run under the guard only; it needs a home that this user can write.',
      'Nothing was started.',
      systemTroubleIn(why, home)?.mend ?? 'Look at it with: sluice doctor',
    ].join('\n'),
  );
}

/** The line of a stack that names the error. */
function reasonIn(words: string): string {
  const lines = words.split('\n').map((line) => line.trim());
  return lines.find((line) => /^\w*Error\b.*: /.test(line)) ?? lines.find((line) => line !== '') ?? words;
}
