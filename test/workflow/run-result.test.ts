/** What a closed run tells of its change, and whom: for those that take it to its base and read it from the server alone. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { RunResult } from '../../protocol/messages/messages.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { openedOnce } from '../support/opened.js';
import {
  type Activities,
  openStubWorkers,
  type StubHost,
  stubOpen,
  stubTurn,
  stubValidation,
} from '../support/stub-host.js';

const INPUT = { task: 'do it', repo: '/repository', attended: false };
const HEAD = 'c'.repeat(40);

describe('the answer of a run', () => {
  const workers = openedOnce(openStubWorkers);

  async function runWith(overrides: Partial<Activities>): Promise<RunResult> {
    const handle = await workers.open(overrides).start(INPUT);
    return (await handle.result()) as RunResult; // The workflow type `run` answers this.
  }

  it('says where its change lies and what the checks of its head came to', async () => {
    const { merge, source, headSha, baseSha } = await runWith({});

    expect(merge).toBe('unmerged');
    expect(source).toEqual({
      host: 'stub',
      repoKey: '0123456789abcdef',
      frozen: 'f'.repeat(64),
      base: { branch: 'main', sha: baseSha },
      head: headSha,
      evidence: { tree: 'd'.repeat(40), checks: '9'.repeat(64), outcome: 'passed', at: expect.stringMatching(/Z$/) },
    });
  });

  it('says of a blocked run what its checks came to, and that there is nothing to merge', async () => {
    const { outcome, merge, source } = await runWith({
      openRun: async (input) => stubOpen(input, STAGE_LISTS.full, { rounds: 0 }),
      validate: async (input) => ({
        ...stubValidation({ outcome: { kind: 'failed', why: 'red' } }),
        journalSeq: input.journal.view.seq,
      }),
    });

    expect({ outcome, merge }).toEqual({ outcome: 'blocked', merge: 'none' });
    expect(source).toMatchObject({ head: HEAD, evidence: { outcome: 'failed' } });
  });

  it('has no evidence where the head is another commit than the one that was checked', async () => {
    const mended = 'e'.repeat(40);
    const { source } = await runWith({
      runTurn: async (input) => {
        if (input.stage === 'reviewing')
          return stubTurn(input, { decision: { kind: 'review', value: 'CHANGES_REQUESTED' } });
        return stubTurn(
          input,
          input.stage === 'fixing' ? { head: mended, outcome: { kind: 'hard', why: 'died' } } : {},
        );
      },
    });

    expect(source).toMatchObject({ head: mended, evidence: null });
  });

  it('has no source where the run changed nothing', async () => {
    const { merge, source } = await runWith({
      runTurn: async (input) => stubTurn(input, input.stage === 'executing' ? { outcome: { kind: 'no_change' } } : {}),
    });

    expect({ merge, source }).toEqual({ merge: 'none', source: null });
  });

  it('has no source where the run was ended before it was open', async () => {
    const host = workers.open({ openRun: () => new Promise(() => undefined) });
    const handle = await host.start(INPUT);

    await handle.cancel();

    expect(await handle.result()).toMatchObject({ outcome: 'aborted', merge: 'none', source: null });
  });
});

describe('the owner of a run', () => {
  const workers = openedOnce(openStubWorkers);

  /** One that nobody serves: what it is told stays in its history. */
  async function startOwner({ client }: StubHost): Promise<{ id: string; heard(): Promise<readonly unknown[]> }> {
    const id = `owner-${randomUUID()}`;
    const handle = await client.workflow.start('owner', { workflowId: id, taskQueue: id });
    const heard = async () => {
      const { events } = await handle.fetchHistory();
      return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
        signal == null ? [] : [[signal.signalName, ...decoded(signal.input?.payloads)]],
      );
    };
    return { id, heard };
  }

  it('is told once that the run ends, and has its answer at once', async () => {
    const host = workers.open();
    const owner = await startOwner(host);

    const handle = await host.start({ ...INPUT, owner: owner.id });

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(await owner.heard()).toEqual([['runChanged', { runId: handle.workflowId, state: 'closed' }]]);
  });

  it('is told of a run that was ended before it was open', async () => {
    const host = workers.open({ openRun: () => new Promise(() => undefined) });
    const owner = await startOwner(host);
    const handle = await host.start({ ...INPUT, owner: owner.id });

    await handle.cancel();

    expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
    expect(await owner.heard()).toEqual([['runChanged', { runId: handle.workflowId, state: 'closed' }]]);
  });

  it('changes nothing of the end where it is gone', async () => {
    const handle = await workers.open().start({ ...INPUT, owner: 'nobody' });

    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready', verdict: 'verified' });
  });
});

function decoded(payloads: readonly { data?: Uint8Array | null }[] | null | undefined): readonly unknown[] {
  return (payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()));
}
