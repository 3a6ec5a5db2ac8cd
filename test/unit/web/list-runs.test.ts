/** The list of runs as the page has it: one question to the server a look, and what visibility does not tell, asked slowly. */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { RunLister, rowOf } from '../../../client/http/list-runs.js';
import { ServerLine } from '../../../client/http/server-line.js';
import type { Sluice } from '../../../client/sluice.js';
import { tempFolders } from '../../support/temp-folder.js';
import { aFoundRun } from './a-found-run.js';

const tempFolder = tempFolders();

/** A server with those open runs, which counts its calls. */
function openLister(runIds: readonly string[], isAway: () => boolean = () => false) {
  let now = 0;
  const calls: string[] = [];
  const server = {
    async overview() {
      calls.push('overview');
      if (isAway()) throw new Error('14 UNAVAILABLE');
      return { runs: runIds.map((runId) => aFoundRun(runId, { repo: null })), landings: [] };
    },
    async describe(workflowId: string) {
      calls.push(`describe ${workflowId}`);
      const retrying = { activity: 'runTurn', attempt: 9, message: 'no space left' };
      return { ...aFoundRun(workflowId), type: 'run', retrying };
    },
    async close() {
      calls.push('close');
    },
  };
  let connections = 0;
  const line = new ServerLine(async () => {
    connections += 1;
    return server as unknown as Sluice; // What the list asks for.
  });
  const place = { home: join(tempFolder(), 'home'), cwd: tempFolder(), warn: () => {} };
  return {
    lister: new RunLister(line, place, () => now),
    calls,
    connections: () => connections,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('a look', () => {
  it('is one question, however many ask at once', async () => {
    const { lister, calls } = openLister([]);

    await Promise.all([lister.list(), lister.list(), lister.list()]);

    expect(calls).toEqual(['overview']);
  });

  it('asks about one open run more in fifteen seconds, one after the other, and tells what each tries again', async () => {
    const { lister, calls, pass } = openLister(['a', 'b']);
    for (let look = 0; look < 40; look += 1) {
      await lister.list();
      pass(1_000);
    }

    const asked = calls.filter((call) => call.startsWith('describe'));
    expect(asked).toEqual(['describe a', 'describe b', 'describe a']);
    const { runs } = await lister.list();
    expect(runs.map((run) => rowOf(run).retrying)).toEqual(['attempt 9: no space left', 'attempt 9: no space left']);
  });

  it('tells of folders, and why, while the server is away, and connects anew when it is back', async () => {
    let away = true;
    const { lister, connections } = openLister(['a'], () => away);

    const first = await lister.list();
    away = false;
    const second = await lister.list();

    expect(first).toMatchObject({ runs: [], source: { kind: 'files', why: '14 UNAVAILABLE' } });
    expect(second).toMatchObject({ runs: [{ runId: 'a' }], source: { kind: 'server', why: null } });
    expect(connections()).toBe(2);
  });
});

describe('a row', () => {
  const landing = { base: 'main', entry: null, gate: null, paused: false, pull: null };
  it.each([
    ['an open run', {}, 'working'],
    ['one at a gate', { status: 'waiting_for_approval', waiting: 'approval' }, 'yours'],
    ['one that is paused', { status: 'paused' }, 'yours'],
    ['one that waits for a limit', { waiting: 'usage_limit' }, 'queued'],
    ['one that has just begun', { status: null }, 'queued'],
    [
      'one that is ready',
      { status: 'merge_ready', closedAt: '2026-01-02T00:00:00.000Z', execution: 'COMPLETED' },
      'ready',
    ],
    [
      'one that was merged by hand',
      { status: 'merge_ready', closedAt: '2026-01-02T00:00:00.000Z', merged: true },
      'done',
    ],
    ['one that failed', { status: 'failed', closedAt: '2026-01-02T00:00:00.000Z', execution: 'FAILED' }, 'done'],
    [
      'one whose head lands',
      { closedAt: '2026-01-02T00:00:00.000Z', landing: { ...landing, merge: 'queued', entry: 'waiting' } },
      'queued',
    ],
    [
      'one whose landing waits',
      { closedAt: '2026-01-02T00:00:00.000Z', landing: { ...landing, merge: 'unmerged', gate: 'conflict' } },
      'yours',
    ],
    ['one that has landed', { closedAt: '2026-01-02T00:00:00.000Z', landing: { ...landing, merge: 'merged' } }, 'done'],
    ['one that the server knows no more', { execution: 'UNKNOWN' }, 'done'],
  ])('of %s stands where somebody looks for it', (_what, fields, group) => {
    expect(rowOf(aFoundRun('a', fields as never)).group).toBe(group);
  });

  it('says until when as a time, not as one that runs', () => {
    const run = aFoundRun('a', { waiting: 'usage_limit', waitingUntil: new Date(Date.now() + 60_000).toISOString() });

    expect(rowOf(run).where).toBe('usage limit');
  });
});
