import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { collectSecretValues } from '../../../activities/agent/environment/secret-values.js';
import { readEvents } from '../../../activities/journal/events-file.js';
import { createRunProjection, type RunProjection } from '../../../activities/journal/projection.js';
import { writeBatch } from '../../../activities/journal/run-journal.js';
import { parseView } from '../../../client/look/parse-view.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import type { JournalBatch } from '../../../protocol/messages/messages.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { createValueRedactor, SHAPES_ONLY } from '../../../protocol/text/value-redactor.js';
import { tempFolders } from '../../support/temp-folder.js';
import { aListener, aView, events, NO_FAIL } from './journal-builders.js';

const folder = tempFolders();

async function aProjection(repo = folder()): Promise<RunProjection> {
  const projection = createRunProjection({ repo, runsDir: '.sluice/runs', runId: 'run-1', ...NO_FAIL, ...aListener() });
  await projection.open();
  return projection;
}

/** The view and the events from `from` on, as of second `at`. */
function aBatch(lines: readonly JournalEvent[], at: number, gates: readonly Gate[] | null = null): JournalBatch {
  const seq = lines.at(-1)?.seq ?? 0;
  const view = aView({ seq, status: 'executing', updatedAt: `2026-11-21T10:00:${String(at).padStart(2, '0')}.000Z` });
  return { events: lines, view, gates };
}

function aGate(overrides: Partial<Gate> = {}): Gate {
  return {
    id: 'gate-1',
    runId: 'run-1',
    stage: 'executing',
    status: 'pending',
    source: 'agent',
    alsoRequiredByPolicy: true,
    reason: 'a new dependency',
    requestedAction: null,
    riskLevel: 'medium',
    files: ['package.json'],
    commit: 'c'.repeat(40),
    round: 0,
    createdAt: '2026-11-21T10:00:00.000Z',
    expiresAt: null,
    resolvedAt: null,
    resolvedBy: null,
    decisionNote: null,
    guidance: null,
    question: false,
    options: null,
    changesGoTo: 'architecting',
    ...overrides,
  };
}

const approved = aGate({
  status: 'approved',
  resolvedBy: 'ada',
  resolvedAt: '2026-11-21T10:00:09.000Z',
  decisionNote: 'fine',
});

async function held(projection: RunProjection, name = 'state.json'): Promise<unknown> {
  return JSON.parse(await readFile(join(projection.runDir, name), 'utf8'));
}

describe('a journal batch', () => {
  it('that comes late writes no older state and no older gates, and is answered what it knows', async () => {
    const projection = await aProjection();
    await projection.journal(aBatch(events(1, 4), 4, [approved]));

    expect(await projection.journal(aBatch(events(1, 2), 2, [aGate()]))).toEqual({ seq: 2, isNewest: false });

    expect(await held(projection)).toMatchObject({ seq: 4 });
    expect(await held(projection, 'approvals.json')).toEqual([approved]);
  });

  it('that comes late in a process of its own is told by the journal file', async () => {
    const projection = await aProjection();
    // Another process wrote these lines and died before state.json.
    const lines = events(1, 4).map((event) => JSON.stringify(event));
    await writeFile(join(projection.runDir, 'events.jsonl'), `${lines.join('\n')}\n`);

    expect(await projection.journal(aBatch(events(1, 2), 2))).toEqual({ seq: 2, isNewest: false });

    expect(existsSync(join(projection.runDir, 'state.json'))).toBe(false);
  });

  it('that comes late still brings the gates that the file lacks', async () => {
    const projection = await aProjection();
    await projection.journal(aBatch(events(1, 4), 4));

    await projection.journal(aBatch(events(1, 2), 2, [aGate()]));

    expect(await held(projection, 'approvals.json')).toEqual([aGate()]);
  });

  it('of a history that a reset left changes nothing, however long that history was', async () => {
    const projection = await aProjection();
    const fresh = events(3, 4, { message: 'after the reset' });
    await projection.journal(aBatch(events(1, 8), 8, [aGate(), approved]));
    expect(await projection.journal(aBatch(fresh, 20, [aGate()]))).toEqual({ seq: 4, isNewest: true });
    const journal = await readFile(join(projection.runDir, 'events.jsonl'), 'utf8');

    expect((await projection.journal(aBatch(events(5, 9), 9, [aGate(), approved]))).isNewest).toBe(false);
    expect((await projection.journal(aBatch(events(3, 9), 9, [aGate(), approved]))).isNewest).toBe(false);

    expect(await readFile(join(projection.runDir, 'events.jsonl'), 'utf8')).toBe(journal);
    expect(await held(projection)).toMatchObject({ seq: 4 });
    expect(await held(projection, 'approvals.json')).toEqual([aGate()]);
  });

  it('after a reset wins with a smaller seq, in a process that knows nothing of the run too', async () => {
    const projection = await aProjection();
    const lines = events(1, 8).map((event) => JSON.stringify(event));
    await writeFile(join(projection.runDir, 'events.jsonl'), `${lines.join('\n')}\n`);

    await projection.journal(aBatch(events(3, 4, { message: 'after the reset' }), 20));

    expect(await held(projection)).toMatchObject({ seq: 4 });
  });

  it('without gates leaves approvals.json as it is, and writes whatever a gate says without secrets', async () => {
    const projection = await aProjection();
    const secret = `ghp_${'a1'.repeat(18)}`;
    await projection.journal(aBatch(events(1, 2), 2, [aGate({ question: true, guidance: `use ${secret}` })]));

    await projection.journal(aBatch(events(3, 3), 3));

    expect(await held(projection, 'approvals.json')).toEqual([
      aGate({ question: true, guidance: 'use [redacted:github-token]' }),
    ]);
  });

  it('is written alone: twenty at once, in any order and by several projections, leave the newest', async () => {
    const repo = folder();
    const projections = await Promise.all(Array.from({ length: 20 }, () => aProjection(repo)));

    await Promise.all(
      projections.map((projection, at) =>
        projection.journal(aBatch(events(1, 20 - at), 20 - at, [aGate({ round: 20 - at })])),
      ),
    );

    const [any] = projections;
    if (any === undefined) throw new Error('no projection');
    expect(await held(any)).toMatchObject({ seq: 20 });
    expect(await held(any, 'approvals.json')).toEqual([aGate({ round: 20 })]);
  });

  it('is read again whatever words of the engine an agent was given by variable', async () => {
    const repo = folder();
    const words = ['worktree', 'timestamp', 'executing', 'state.changed', 'approved', 'reviewLoopCount', '2026-11-21'];
    const values = collectSecretValues({ captured: {}, given: words.map((word) => ({ WORD: word })) });
    const listener = aListener();
    const options = { repo, runsDir: '.sluice/runs', runId: 'run-1', ...NO_FAIL, ...listener };
    const projection = createRunProjection({ ...options, redactor: createValueRedactor(values) });
    await projection.open();
    const gates = [aGate({ status: 'approved' })];

    await projection.journal(aBatch(events(1, 1, { type: 'git.worktree.created' }), 1, gates));
    const written = await projection.journal(aBatch(events(2, 3), 2));

    const runDir = join(repo, '.sluice/runs/run-1');
    const view = parseView(await readFile(join(runDir, 'state.json'), 'utf8'));
    expect(written).toEqual({ seq: 3, isNewest: true });
    expect((await readEvents(join(runDir, 'events.jsonl'))).map(({ type }) => type)).toEqual([
      'git.worktree.created',
      'state.changed',
      'state.changed',
    ]);
    expect(view).toMatchObject({ status: 'executing', seq: 3 });
    expect(JSON.parse(await readFile(join(runDir, 'approvals.json'), 'utf8'))).toMatchObject([{ status: 'approved' }]);
    expect(listener.entries).toEqual([]);
  });

  it('of another owner than a run is written like a run’s, its view as it is', async () => {
    const runDir = folder();
    const write = { root: runDir, fsync: false, failpoint: noFailpoint };
    const journal = { runDir, write, skipped: () => undefined, redactor: SHAPES_ONLY, outputBytes: 1000 };
    const view = (seq: number) => ({
      seq,
      updatedAt: `2026-11-21T10:00:0${seq}.000Z`,
      merge: 'queued',
      files: ['a.ts'],
    });
    const writing = { failpoint: noFailpoint, isClosed: false };
    await writeBatch(journal, { events: events(1, 2), view: view(2), gates: null }, writing);

    expect(await writeBatch(journal, { events: events(1, 1), view: view(1), gates: null }, writing)).toMatchObject({
      isNewest: false,
    });

    expect(JSON.parse(await readFile(join(runDir, 'state.json'), 'utf8'))).toEqual(view(2));
    expect((await readFile(join(runDir, 'events.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(2);
  });
});
