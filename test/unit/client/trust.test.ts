import { beforeEach, describe, expect, it } from '@jest/globals';
import { trust } from '../../../client/cli/commands/trust.js';
import type { MessageToSend, Sluice } from '../../../client/sluice.js';
import { trustOf } from '../../../config/home/trust.js';
import { hashOfText } from '../../../config/system/config-text.js';
import type { MergeQueueView } from '../../../protocol/actors/merge-queue.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { tempFolders } from '../../support/temp-folder.js';
import { git, makeRepository, write } from '../git/repository-fixture.js';
import { openTerminal } from './fake-io.js';

const CONFIG = '.sluice/config.yaml';
const text = (name: string) => `validation: { commands: [${name}] }\n`;

type Queue = Awaited<ReturnType<Sluice['mergeQueues']>>[number];

function aQueue(branch: string, held: MergeQueueView['held']): Queue {
  const counts = { entries: [], results: [], chain: null, use: null };
  const view = { repoKey: 'r', branch, state: held === null ? 'open' : 'held', held, why: held, ...counts } as const;
  return { workflowId: `merge-queue:r@${branch}`, view };
}

describe('sluice trust', () => {
  const freshFolder = tempFolders();
  let home: string;
  let repository: string;

  beforeEach(() => {
    home = freshFolder();
    repository = makeRepository({ [CONFIG]: text('committed') }, freshFolder());
  });

  function connected(queues: readonly Queue[]) {
    const sent: [string, MessageToSend][] = [];
    const part: Pick<Sluice, 'mergeQueues' | 'send' | typeof Symbol.asyncDispose> = {
      mergeQueues: async () => queues,
      send: async (workflowId, message) => {
        sent.push([workflowId, message]);
        return { kind: 'queued', requestId: 'r' };
      },
      [Symbol.asyncDispose]: async () => {},
    };
    // What trust asks of a server.
    return { sent, connect: async () => part as Sluice };
  }

  function aTerminal() {
    const terminal = openTerminal({ cwd: repository, env: { USER: 'ada' } });
    return { ...terminal, context: { ...terminal.context, home } };
  }

  it('has each merge queue look again that waits for it, and no other', async () => {
    const terminal = aTerminal();
    const { sent, connect } = connected([
      aQueue('main', 'config_not_trusted'),
      aQueue('next', 'base_gone'),
      aQueue('open', null),
      { workflowId: 'merge-queue:r@silent', view: null },
    ]);

    expect(await trust(terminal.context, { list: false, revoke: false }, connect)).toBe(0);

    expect(sent).toEqual([['merge-queue:r@main', { name: 'look', argument: { by: expect.anything() } }]]);
    expect(terminal.out.at(-1)).toBe('The merge queue of main looks again.');
  });

  it('is given though no queue can be told', async () => {
    const refuse = () => Promise.reject(new RefusedError({ what: 'no answer', why: 'y', now: 'n', mend: 'm' }));

    for (const connect of [async () => null, refuse]) {
      const terminal = aTerminal();
      expect(await trust(terminal.context, { list: false, revoke: false }, connect)).toBe(0);
      expect(terminal.err).toHaveLength(connect === refuse ? 1 : 0);
    }
    expect(trustOf(home, repository).isTrusted(hashOfText(text('committed')))).toBe(true);
  });

  it('is of the config at a commit that is named, and of no other text', async () => {
    git(repository, 'checkout', '-q', '-b', 'release');
    write(repository, CONFIG, text('released'));
    git(repository, 'commit', '-qam', 'another config');
    git(repository, 'checkout', '-q', 'main');
    const { connect } = connected([]);

    await trust(aTerminal().context, { list: false, revoke: false, at: 'release' }, connect);

    const { isTrusted } = trustOf(home, repository);
    expect([text('released'), text('committed')].map((one) => isTrusted(hashOfText(one)))).toEqual([true, false]);
    const unknown = trust(aTerminal().context, { list: false, revoke: false, at: 'no-such' }, connect);
    await expect(unknown).rejects.toThrow('"no-such" (from --at)');
  });
});
