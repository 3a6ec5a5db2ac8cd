import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { answerFor, type Decision, decisionFor } from '../../../client/cli/gates/decide-gate.js';
import type { RunDetails } from '../../../protocol/messages/run-view.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { formatRefusal, RefusedError } from '../../../protocol/text/refusal.js';
import { aGate, aQuestion, COMMIT, someDetails } from '../../support/gate-builder.js';

const RUN = { runId: 'shop-1', workflowId: 'shop-1', runDir: null };
const tells = (...gates: readonly Gate[]) => ({ details: async () => someDetails(gates), landing: async () => null });
const silent = {
  details: (): Promise<RunDetails> => Promise.reject(new Error('no worker')),
  landing: async () => null,
};

const aDecision = (over: Partial<Decision> = {}): Decision => ({
  decision: 'approve',
  note: null,
  by: 'me',
  gate: null,
  commit: null,
  ...over,
});

async function refusalOf(work: Promise<unknown>): Promise<RefusedError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof RefusedError) return error;
  throw new Error('it was not refused by the command line');
}

describe('a decision', () => {
  it('names the open gate and the commit that it shows', async () => {
    const message = await decisionFor(
      RUN,
      tells(aGate({ id: 'gate-1', status: 'approved' }), aGate({ id: 'gate-2' })),
      aDecision(),
    );

    expect(message).toEqual({
      name: 'approve',
      argument: {
        decision: 'approve',
        note: null,
        by: 'me',
        gate: 'gate-2',
        openedAt: aGate().createdAt,
        commit: COMMIT,
      },
    });
  });

  it.each([
    ['the beginning of the commit', COMMIT.slice(0, 8).toUpperCase(), COMMIT],
    ['another commit, for the run to refuse', 'd'.repeat(40), 'd'.repeat(40)],
    ['too few characters to mean a commit', COMMIT.slice(0, 4), COMMIT.slice(0, 4)],
  ])('is sent with %s', async (_, commit, sent) => {
    expect((await decisionFor(RUN, tells(aGate()), aDecision({ commit }))).argument['commit']).toBe(sent);
  });

  it.each([
    ['no gate is open', tells(), aDecision(), 'has no open gate', 3],
    ['two gates are open', tells(aGate(), aGate({ id: 'gate-2' })), aDecision(), '2 gates of shop-1 are open', 1],
    ['there is no such gate', tells(aGate()), aDecision({ gate: 'gate-9' }), 'has no gate "gate-9"', 3],
    [
      'it was decided before',
      tells(aGate({ status: 'rejected', resolvedBy: 'her' })),
      aDecision({ gate: 'gate-1' }),
      'is rejected already by her',
      3,
    ],
    ['a question is open', tells(aQuestion()), aDecision(), 'asks a question', 3],
    [
      'changes are not offered',
      tells(aGate({ changesGoTo: null })),
      aDecision({ decision: 'request_changes', note: 'x' }),
      'changes cannot be requested',
      3,
    ],
    ['nobody can show the gate', silent, aDecision(), 'cannot be looked at', 1],
  ])('is refused where %s', async (_, sluice, decision, what, exitCode) => {
    const error = await refusalOf(decisionFor(RUN, sluice, decision));

    expect(error.parts.what).toContain(what);
    expect(error.exitCode).toBe(exitCode);
    expect(
      formatRefusal(error.parts)
        .split('\n')
        .slice(3)
        .map((line) => line.trim()),
    ).toEqual(error.parts.mend.split('    '));
  });

  it('approves a question with a note, and rejects it', async () => {
    expect((await decisionFor(RUN, tells(aQuestion()), aDecision({ note: '80' }))).argument['gate']).toBe('gate-1');
    expect((await decisionFor(RUN, tells(aQuestion()), aDecision({ decision: 'reject' }))).argument['decision']).toBe(
      'reject',
    );
  });

  it('is sent unseen where the gate is named', async () => {
    const message = await decisionFor(RUN, silent, aDecision({ gate: 'gate-1' }));

    expect(message.argument).toMatchObject({ gate: 'gate-1', commit: null });
  });

  it('takes the gate from approvals.json where no worker answers', async () => {
    const runDir = await mkdtemp(join(tmpdir(), 'sluice-gates-'));
    try {
      await writeFile(join(runDir, 'approvals.json'), JSON.stringify([aGate(), { id: 'gate-2', status: 'pending' }]));

      const message = await decisionFor({ ...RUN, runDir }, silent, aDecision());

      expect(message.argument).toMatchObject({ gate: 'gate-1', commit: COMMIT });
    } finally {
      await rm(runDir, { recursive: true });
    }
  });

  it('lets no control sequence of a gate into the message', async () => {
    const error = await refusalOf(
      decisionFor(RUN, tells(aGate({ status: 'approved', resolvedBy: '\u001b[31mx' })), aDecision({ gate: 'gate-1' })),
    );

    expect(formatRefusal(error.parts)).not.toContain('\u001b');
  });
});

describe('an answer', () => {
  it('names the open question', async () => {
    const message = await answerFor(RUN, tells(aQuestion({ id: 'gate-3' })), { text: '80', by: 'me', gate: null });

    expect(message).toEqual({
      name: 'answer',
      argument: { promptId: 'gate-3', openedAt: aQuestion().createdAt, text: '80', by: 'me' },
    });
  });

  it('that nobody can show a question for is to be sent again with its text, not with the run for one', async () => {
    const { parts } = await refusalOf(answerFor(RUN, silent, { text: '80', by: 'me', gate: null }));

    expect(parts.mend).toMatch(/: sluice answer shop-1 --gate gate-1 "<text>"$/);
  });

  it('is refused where a decision is asked for', async () => {
    const error = await refusalOf(answerFor(RUN, tells(aGate()), { text: '80', by: 'me', gate: null }));

    expect(error.parts.mend).toContain('sluice approve shop-1');
    expect(error.exitCode).toBe(3);
  });
});
