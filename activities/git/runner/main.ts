/**
 * The git runner: a small process of a worker that starts git for it. It ends with the worker; a git that is at work then goes on to its
 * own end, as it would as the worker's child.
 */
import { closeForeignDescriptors } from '../../../config/foreign-descriptors.js';
import type { GitAnswered, GitAsked } from './messages.js';
import { startGit } from './start-git.js';

closeForeignDescriptors();
process.on('disconnect', () => process.exit(0));
// The other end is `createGitRunner`, which sends nothing else.
process.on('message', (asked) => void answer(asked as GitAsked));

async function answer({ id, start }: GitAsked): Promise<void> {
  try {
    send({ id, result: await startGit(start) });
  } catch (error) {
    send({ id, failure: error instanceof Error ? error.message : String(error) });
  }
}

function send(answered: GitAnswered): void {
  if (process.connected) process.send?.(answered);
}
