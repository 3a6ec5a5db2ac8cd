/**
 * The git runner: a small process of a worker that starts git for it. It ends with the worker; a git that is at work then goes on to its
 * own end, as it would as the worker's child.
 */

import { messageOf } from '../../../config/system/error-code.js';
import { closeForeignDescriptors } from '../../../config/system/foreign-descriptors.js';
import type { GitAnswered, GitAsked } from './messages.js';
import { type GitStart, startGit } from './start-git.js';

closeForeignDescriptors();
process.on('disconnect', () => process.exit(0));
// The other end is `createGitRunner`, which sends nothing else.
process.on('message', (message) => {
  const asked = message as GitAsked;
  if ('end' in asked) atWork.get(asked.id)?.abort();
  else void answer(asked.id, asked.start);
});

const atWork = new Map<number, AbortController>();

async function answer(id: number, start: GitStart): Promise<void> {
  const ending = new AbortController();
  atWork.set(id, ending);
  try {
    send({ id, result: await startGit(start, ending.signal) });
  } catch (error) {
    send({ id, failure: messageOf(error) });
  } finally {
    atWork.delete(id);
  }
}

function send(answered: GitAnswered): void {
  if (process.connected) process.send?.(answered);
}
