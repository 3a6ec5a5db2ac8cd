/** A walk beside a git that takes long: it may fail, and then git's own answer counts. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { pastPipes } from '../../../activities/git/start/past-pipes.js';
import { endingWith } from '../../../config/system/ending-signal.js';
import { removeFolders, tempFolder } from './repository-fixture.js';

afterEach(removeFolders);

it('answers as git does where an abort ends the walk', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'below'));
  const abort = new AbortController();
  abort.abort(new Error('aborted'));
  // Longer than git may take before anybody looks.
  const git = new Promise<string>((resolve) => setTimeout(resolve, 2_500, 'said'));

  expect(await endingWith(abort.signal, () => pastPipes(folder, git))).toBe('said');
});
