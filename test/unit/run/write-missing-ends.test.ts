import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isClosedOnHost } from '../../../activities/unit/closed-mark.js';
import type { HostDeps } from '../../../activities/unit/host-deps.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { MAX_JOURNAL_EVENTS } from '../../../protocol/limits.js';
import type { RunInput } from '../../../protocol/messages/messages.js';
import { type MissingEnds, writeMissingEndOf, writeMissingEnds } from '../../../worker/write-missing-ends.js';
import { tempFolder } from '../../support/temp-folder.js';

const base = tempFolder();

type Client = MissingEnds['client'];

/** A host with one run that stopped in mid-planning, in a repository that is gone. */
function aHost(endGroup: () => Promise<void> = async () => undefined, item?: RunInput['item']) {
  const folder = mkdtempSync(join(base, 'h-'));
  const stateDir = join(folder, 'state', 'repository', 'run-1');
  const root = join(folder, 'checkout');
  const runDir = join(root, '.sluice/runs/run-1');
  for (const dir of [stateDir, runDir]) mkdirSync(dir, { recursive: true });
  const record = {
    version: 1,
    runId: 'run-1',
    repoKey: 'repository',
    workflowId: 'run-1',
    firstExecutionRunId: 'first',
    input: { task: 'x', repo: root, ...(item && { item }) },
    rewound: null,
    repository: { root, commonDir: join(root, '.git'), gitDir: join(root, '.git'), project: 'checkout' },
    worktree: join(folder, 'worktree'),
    branch: 'sluice/run-1',
    baseBranch: 'main',
    baseSha: 'b'.repeat(40),
    runDir,
    startedAt: '2026-11-21T10:00:00.000Z',
    policy: {
      runsDir: '.sluice/runs',
      preset: 'default',
      stages: ['planning'],
      agents: {},
      limits: { outputBytes: 1000 },
      execute: {},
      worktree: { setup: [], copy: [], link: [] },
      budget: { turns: null, minutes: null, microUsd: null, tokens: null, onLimit: 'stop', day: null },
    },
  };
  writeFileSync(join(stateDir, 'run.json'), JSON.stringify(record));
  const warnings: string[] = [];
  // The rest of a host is not asked for here.
  const deps = {
    home: {
      root: folder,
      stateRoot: join(folder, 'state'),
      stateDir: () => stateDir,
      itemsDir: () => join(folder, 'items'),
      validationWorktree: () => join(folder, 'worktree+validation'),
    },
    durability: 'process',
    failpoint: noFailpoint,
    processes: { endGroup },
  } as unknown as HostDeps;
  const warn = (message: string, fields: Record<string, unknown>) =>
    void warnings.push(`${message}: ${String(fields['error'])}`);
  const types = () =>
    readFileSync(join(runDir, 'events.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
  return { stateDir, runDir, root, deps, warn, warnings, types };
}

/** A server that says so of every workflow. */
function saying(status: () => string, result: unknown = {}): Client {
  const describe = async () => ({ status: { name: status() }, runId: 'the newest' });
  const getHandle = (_workflowId: string, runId?: string) => ({
    describe,
    result: async () => (runId === 'the newest' ? result : Promise.reject(new Error('of the one before the reset'))),
  });
  return { workflow: { getHandle } } as unknown as Client;
}

describe('the missing end of a run', () => {
  it('that cannot be written is logged, and is written whole by the next start, once', async () => {
    let isAway = true;
    const host = aHost(async () => {
      if (isAway) throw new Error('no guard');
    });
    const client = saying(() => 'TERMINATED');

    await writeMissingEnds({ ...host, client });
    expect(host.warnings).toEqual([expect.stringMatching(/cannot be written now.*no guard/)]);
    expect(isClosedOnHost(host.stateDir)).toBe(false);

    isAway = false;
    await writeMissingEnds({ ...host, client });
    await writeMissingEnds({ ...host, client });
    expect(host.types()).toEqual(['state.changed', 'run.aborted']);
    expect(readFileSync(join(host.runDir, 'report.md'), 'utf8')).toContain('# aborted');
    expect(isClosedOnHost(host.stateDir)).toBe(true);
  });

  it('says by whom a run was aborted that did not wait for its host', async () => {
    const host = aHost();
    const client = saying(() => 'COMPLETED', { outcome: 'aborted', error: 'aborted by ada: wrong task' });

    await writeMissingEnds({ ...host, client });

    expect(readFileSync(join(host.runDir, 'report.md'), 'utf8')).toContain('aborted by ada: wrong task');
  });

  it('is not written while the server cannot be asked, and that is logged', async () => {
    const host = aHost();

    await writeMissingEnds({
      ...host,
      client: saying(() => {
        throw new Error('no server');
      }),
    });

    expect(host.warnings).toEqual([expect.stringContaining('no server')]);
    expect(isClosedOnHost(host.stateDir)).toBe(false);
  });

  it('is written once by two that find it at the same time, and only for the workflow that was asked for', async () => {
    const host = aHost();
    const ends = { ...host, client: saying(() => 'TERMINATED') };

    await writeMissingEndOf(ends, 'another');
    expect(isClosedOnHost(host.stateDir)).toBe(false);

    await Promise.all([writeMissingEnds(ends), writeMissingEndOf(ends, 'run-1')]);
    expect(host.types()).toEqual(['state.changed', 'run.aborted']);
    expect(readdirSync(host.runDir)).not.toContain('events.1.jsonl');
  });

  it('keeps what the journal knows of the run, and lets no gate look open', async () => {
    const host = aHost();
    const line = {
      seq: 1,
      timestamp: '2099-01-01T00:00:00.000Z',
      type: 'run.renamed',
      message: 'x',
      data: { by: 'ada', text: 'a better title' },
    };
    const round = { ...line, seq: 2, type: 'state.changed', data: { from: 'reviewing', to: 'fixing', round: 2 } };
    writeFileSync(join(host.runDir, 'events.jsonl'), `${JSON.stringify(line)}\n${JSON.stringify(round)}\n`);
    writeFileSync(
      join(host.runDir, 'approvals.json'),
      JSON.stringify([
        { id: 'gate-1', status: 'approved' },
        { id: 'gate-2', status: 'pending' },
      ]),
    );

    await writeMissingEnds({ ...host, client: saying(() => 'TERMINATED') });

    const read = (name: string): unknown => JSON.parse(readFileSync(join(host.runDir, name), 'utf8'));
    expect(read('state.json')).toMatchObject({
      status: 'aborted',
      title: 'a better title',
      reviewLoopCount: 2,
      updatedAt: line.timestamp,
    });
    expect(read('approvals.json')).toEqual([
      { id: 'gate-1', status: 'approved' },
      {
        id: 'gate-2',
        status: 'expired',
        resolvedAt: line.timestamp,
        decisionNote: 'the run ended before anybody decided',
      },
    ]);
  });

  it('of a task whose commits are gone is written, and the log says what could not be shown', async () => {
    const host = aHost(undefined, { id: '1', hash: 'h' });
    mkdirSync(join(host.root, '.git/refs/heads/sluice'), { recursive: true });
    writeFileSync(join(host.root, '.git/refs/heads/sluice/run-1'), `${'c'.repeat(40)}\n`);

    await writeMissingEnds({ ...host, client: saying(() => 'TERMINATED') });

    expect(host.warnings).toContainEqual(expect.stringContaining('a part of the result of a task cannot be shown'));
    expect(isClosedOnHost(host.stateDir)).toBe(true);
    expect(host.types().at(-1)).toBe('run.aborted');
  });

  it('of a journal that is longer than any run’s leaves beside it what no run wrote', async () => {
    const host = aHost();
    const line = { timestamp: '2026-11-21T10:00:00.000Z', type: 'approval.requested', message: 'x', data: {} };
    const most = 10 * MAX_JOURNAL_EVENTS;
    const lines = Array.from({ length: most + 5 }, (_, index) => JSON.stringify({ seq: index + 1, ...line }));
    writeFileSync(join(host.runDir, 'events.jsonl'), `${lines.join('\n')}\n`);

    await writeMissingEnds({ ...host, client: saying(() => 'TERMINATED') });

    expect(host.warnings).toEqual([]);
    expect(host.types()).toHaveLength(most + 2);
    expect(readFileSync(join(host.runDir, 'events.1.jsonl'), 'utf8').trim().split('\n')).toEqual(lines.slice(most));
  });

  it('of half a journal is completed: what a killed writer left is gone on from', async () => {
    const host = aHost();
    const created = {
      seq: 1,
      timestamp: '2026-11-21T10:00:00.000Z',
      type: 'run.created',
      message: 'run accepted',
      data: {},
    };
    const changed = {
      ...created,
      seq: 2,
      type: 'state.changed',
      message: 'created → aborted',
      data: { from: 'created', to: 'aborted', round: 0 },
    };
    writeFileSync(join(host.runDir, 'events.jsonl'), `${JSON.stringify(created)}\n${JSON.stringify(changed)}\n`);

    await writeMissingEnds({ ...host, client: saying(() => 'TERMINATED') });

    expect(host.warnings).toEqual([]);
    expect(host.types()).toEqual(['run.created', 'state.changed', 'run.aborted']);
  });
});
