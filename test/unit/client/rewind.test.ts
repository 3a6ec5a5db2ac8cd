import { describe, expect, it } from '@jest/globals';
import { rewind } from '../../../client/cli/commands/rewind.js';
import type { Connected } from '../../../client/cli/server/connect.js';
import type { Sluice } from '../../../client/sluice.js';
import type { LandingView } from '../../../protocol/actors/landing.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { aListedRun, aView } from '../../support/gate-builder.js';
import { openTerminal } from './fake-io.js';

const CLOSED_AT = '2026-11-21T11:00:00.000Z';

const RESULT: RunResult = {
  runId: 'shop-2',
  outcome: 'merge_ready',
  blockedReason: null,
  error: null,
  branch: 'sluice/shop-2',
  baseSha: null,
  headSha: null,
  verdict: 'verified',
  report: null,
  merge: 'unmerged',
  source: null,
  isLanding: true,
  document: null,
};

const LANDED: LandingView = {
  runId: 'shop-2',
  merge: 'merged',
  base: 'main',
  host: 'host-1',
  pull: null,
  repair: null,
  commit: 'c1',
  gate: null,
  waits: null,
  paused: null,
  abandoned: null,
  gates: [],
  updatedAt: CLOSED_AT,
  seq: 1,
  entry: null,
};

/** Only what a rewind needs that lands at once; any other call is a mistake of the code under test. */
function aServer(): Sluice {
  const part: Partial<Sluice> = {
    list: async () => [aListedRun('shop-1', { closedAt: CLOSED_AT })],
    status: async () => aView({ status: 'merge_ready', outcome: 'merge_ready' }),
    startRun: async ({ runId }) => ({ kind: 'started', runId, workflowId: runId }),
    details: () => Promise.reject(new Error('no worker')),
    result: async () => RESULT,
    landing: async () => LANDED,
  };
  return part as Sluice;
}

describe('a rewind', () => {
  it('follows the landing that its run asked for, as a run does', async () => {
    const { context, out } = openTerminal({ live: false, interactive: false });
    const connected: Connected = { sluice: aServer(), engine: null, [Symbol.asyncDispose]: async () => {} };

    const code = await rewind(context, { run: 'shop-1', detach: false }, async () => connected);

    expect(code).toBe(0);
    expect(out.at(-1)).toMatch(/ has landed on main: c1$/);
  });
});
