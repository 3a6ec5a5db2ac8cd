/** What `worktree.copy` and `worktree.link` name and the set-up does not bring is told to people, with the reason. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type RewindHost } from './rewind-host.js';

let host: RewindHost;

afterEach(() => host.close());

async function observationsWith(worktree: string) {
  host = await aRewindHost({ files: { 'a.txt': 'a\n' }, fixture: fixtureWith({}), config: `worktree: ${worktree}\n` });
  const { opened } = await host.start('run-1');
  return opened.observations.filter(({ type }) => type === 'worktree.setup.completed');
}

describe('a path that the set-up of a worktree leaves out', () => {
  it('is told in one line with all the others, before what the commands came to', async () => {
    const told = await observationsWith('{copy: [.evn], link: [a.txt], setup: ["true"]}');

    expect(told.map(({ message, data }) => [message, data])).toEqual([
      [
        '2 paths were left out of the worktree: .evn (it is not in your checkout), a.txt (the commit holds files there)',
        { skipped: 2 },
      ],
      ['`true` done', { command: 'true', ok: true }],
    ]);
  });

  it('is not spoken of where nothing is left out', async () => {
    expect(await observationsWith('{setup: ["true"]}')).toHaveLength(1);
  });
});
