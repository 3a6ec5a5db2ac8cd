import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { clean } from '../../../client/cli/commands/clean.js';
import type { Sluice } from '../../../client/sluice.js';
import type { CleanRunInput, CleanRunResult } from '../../../protocol/actors/clean.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { aListedRun } from '../../support/gate-builder.js';
import { tempFolders } from '../../support/temp-folder.js';
import { aView } from '../journal/journal-builders.js';
import { openTerminal } from './fake-io.js';

const CLEANED: CleanRunResult = { kind: 'cleaned', removed: ['worktree /worktrees/key/shop-1'] };
const OF_HOST =
  'Run shop-1 was not cleaned: its worktree is locked.\nA rule.\nNothing was removed.\ngit worktree unlock';

interface Cleaning {
  readonly view?: Partial<RunView>;
  /** Instead of a server that is there at once. */
  readonly connect?: (stop: () => void, server: Sluice) => Promise<Sluice>;
}

describe('sluice clean', () => {
  const freshFolder = tempFolders();
  let folder: string;

  beforeEach(() => {
    folder = freshFolder();
    mkdirSync(join(folder, '.git'));
  });

  /** Cleans shop-1, a failed run that committed nothing, unless `view` says otherwise. */
  function cleaning(giveUp: boolean, answer: () => Promise<CleanRunResult>, { view = {}, connect }: Cleaning = {}) {
    const terminal = openTerminal({ cwd: folder, env: {} });
    const asked: CleanRunInput[] = [];
    const of = aView({
      runId: 'shop-1',
      workflowId: 'shop-1',
      status: 'failed',
      outcome: 'failed',
      host: 'host-1',
      repo: folder,
      worktree: '/worktrees/key/shop-1',
      branch: 'sluice/shop-1',
      baseBranch: 'main',
      baseSha: 'base',
      headSha: 'base',
      ...view,
    });
    const part: Pick<Sluice, 'list' | 'status' | 'cleanRun' | typeof Symbol.asyncDispose> = {
      list: async () => [{ ...aListedRun('shop-1'), closedAt: '2026-11-21T10:00:00.000Z' }],
      status: async () => of,
      cleanRun: async ({ input }) => {
        asked.push(input);
        return answer();
      },
      [Symbol.asyncDispose]: async () => {},
    };
    const options = { runs: ['shop-1'], all: false, giveUp, yes: true, dryRun: false };
    const server = part as Sluice;
    const connected = async () => connect?.(() => terminal.stopping.abort('SIGINT'), server) ?? server;
    return { ...terminal, asked, code: clean(terminal.context, options, connected) };
  }

  it.each([true, false])(
    'asks the host to give up what it is told to, of a run that committed nothing too: %s',
    async (giveUp) => {
      const { code, asked, out } = cleaning(giveUp, async () => CLEANED);

      expect(await code).toBe(0);
      expect(asked).toEqual([{ hostId: 'host-1', run: { runId: 'shop-1', repoKey: 'key' }, giveUp }]);
      expect(out.join('\n')).toContain('shop-1  committed nothing');
      expect(out.join('\n')).not.toContain('merged');
      expect(out.join('\n').includes('given up')).toBe(giveUp);
    },
  );

  it('shows what the host says in its own lines', async () => {
    const { code, err } = cleaning(false, async () => ({ kind: 'kept', why: OF_HOST }));

    expect(await code).toBe(3);
    expect(err).toEqual([OF_HOST]);
  });

  it('says of a named run that stays why, and not that there is nothing', async () => {
    const { code, out, err } = cleaning(false, async () => CLEANED, {
      view: { status: 'executing', outcome: null },
    });

    expect(await code).toBe(3);
    expect(err.join('\n')).toContain('shop-1 stays: it is open (executing)');
    expect(out).toEqual([]);
  });

  it.each<[string, (stop: () => void, part: Sluice) => Promise<Sluice>]>([
    [
      'while its server is looked for',
      (stop) => {
        stop();
        return new Promise(() => {});
      },
    ],
    [
      'while it looks',
      async (stop, part) => ({
        ...part,
        status: () => {
          stop();
          return new Promise(() => {});
        },
      }),
    ],
  ])('removes nothing once the person stopped %s', async (_when, connect) => {
    const { code, asked, err } = cleaning(true, async () => CLEANED, { connect });

    expect(await code).toBe(130);
    expect(err).toEqual(['Stopped. Nothing was removed.']);
    expect(asked).toEqual([]);
  });

  it('says that it waits when the host does not answer', async () => {
    let answer: (result: CleanRunResult) => void = () => {};
    const { code, err, context } = cleaning(false, () => new Promise((resolve) => (answer = resolve)));
    const told = new Promise<string>((resolve) => {
      context.io.err = resolve;
    });

    expect(await told).toContain('The host of shop-1 has not answered yet');
    answer(CLEANED);
    expect(await code).toBe(0);
    expect(err).toEqual([]);
  });
});
