/** `sluice report`: one file from what a run left in its folder, with the engine down; whatever was planted there is text, and nothing else is written over. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { report } from '../../../client/cli/commands/report.js';
import { readReport } from '../../../client/http/read-report.js';
import { renderReport } from '../../../client/http/render-report.js';
import { REPORT_HEAD } from '../../../client/views/report-head.js';
import type { EventType } from '../../../protocol/messages/journal.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { JsonObject } from '../../../protocol/text/json.js';
import { tempFolders } from '../../support/temp-folder.js';
import { anEvent, aView } from '../journal/journal-builders.js';
import { aFoundRun } from '../web/a-found-run.js';
import { openTerminal } from './fake-io.js';

const freshFolder = tempFolders();
const BEGIN = '2026-11-21T10:00:00.000Z';
const PLANTED =
  '<img src="http://127.0.0.1:9/x" onerror="alert(1)"></title><script>alert(2)</script> \u202egnp.exe \u001b[31m';
const SECRET = `ghp_${'a1B2'.repeat(9)}`;

let repo: string;
let home: string;

beforeEach(() => {
  [repo, home] = [freshFolder(), freshFolder()];
  for (const args of [
    ['init', '-q'],
    ['commit', '-q', '--allow-empty', '-m', 'first'],
  ])
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], { cwd: repo });
});

type Line = readonly [second: number, type: EventType, data: JsonObject];

function leaveRun(runId: string, lines: readonly Line[], over: Partial<RunView> = {}): string {
  const runDir = join(repo, '.sluice/runs', runId);
  mkdirSync(runDir, { recursive: true });
  const events = lines.map(([second, type, data], index) =>
    anEvent(index + 1, { type, data, timestamp: new Date(Date.parse(BEGIN) + second * 1_000).toISOString() }),
  );
  writeFileSync(join(runDir, 'events.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const view = aView({ runId, workflowId: runId, repo, startedAt: BEGIN, ...over });
  writeFileSync(join(runDir, 'state.json'), JSON.stringify(view));
  return runDir;
}

function turn(stage: string, seconds: number, costMicroUsd: number | null): JsonObject {
  const told = { tokensIn: 10, tokensOut: 5, costMicroUsd };
  return { stage, seq: 2, agent: PLANTED, outcome: 'done', durationMs: seconds * 1_000, started: true, ...told };
}

const gate = (by: string | null): JsonObject => ({ gate: 'gate-1', stage: 'executing', by, commit: null });

const LINES: readonly Line[] = [
  [0, 'run.created', {}],
  [10, 'turn.started', { stage: 'planning', agent: PLANTED }],
  [40, 'turn.completed', turn('planning', 28, 120_000)],
  [41, 'approval.requested', gate(null)],
  [341, 'approval.approved', gate(PLANTED)],
  [342, 'turn.started', { stage: 'executing', agent: PLANTED }],
  [400, 'turn.completed', turn('executing', 50, 300_000)],
  [402, 'run.completed', {}],
];

/** What `sluice report` writes, with what it prints. */
async function makeReport(
  asked: string,
  { out, json = false }: { readonly out?: string; readonly json?: boolean } = {},
) {
  const terminal = openTerminal({ cwd: repo, env: { HOME: home }, interactive: false, live: false }, json);
  const code = await report({ ...terminal.context, home }, { asked, out });
  return { ...terminal, code };
}

const refusal = (asked: string, out: string) => makeReport(asked, { out }).then(() => null, String);

describe('the report of a run', () => {
  it('tells outcome, numbers, timeline, cost of stages and turns, and who decided, from the folder alone', async () => {
    leaveRun('plain', LINES, { title: 'Mend the parser' });

    const { code, objects } = await makeReport('plain', { json: true });

    const file = join(repo, 'plain.html');
    const html = readFileSync(file, 'utf8');
    expect([code, objects]).toEqual([0, [{ kind: 'report', runId: 'plain', file, bytes: Buffer.byteLength(html) }]]);
    const numbers = [...html.matchAll(/<data value="(\d+)">/g)].map(([, value]) => Number(value));
    expect(numbers).toEqual([2, 0, 0, 420_000, 20, 10, 402_000, 78_000, 0, 300_000, 0, 24_000]);
    for (const text of ['Mend the parser', 'merge ready', 'cost $0.42', '$0.12', '$0.30', 'agents 1:18', 'approved by'])
      expect(html).toContain(text);
    expect([...html.matchAll(/<rect/g)]).toHaveLength(9);
    expect(html).toContain('class="mark gate-approved"');
  });

  it('has open waits dashed, of a run that has not ended, and says so', async () => {
    leaveRun('waits', LINES.slice(0, 4), { status: 'waiting_for_approval', outcome: null });

    const { written } = await makeReport('waits', { out: '-' });

    const html = written.join('');
    expect(html).toContain('the run had not ended when this was made');
    expect(html.match(/<rect class="lane-people open"/g)).toHaveLength(1);
    expect(html.match(/class="mark gate-open"/g)).toHaveLength(1);
  });

  it('runs and fetches nothing that was planted, reorders nothing, and has no secret', async () => {
    const runDir = leaveRun('planted', LINES, { title: PLANTED, task: `${PLANTED} ${SECRET}`, error: PLANTED });
    writeFileSync(join(runDir, 'plan.md'), `${PLANTED} ${SECRET}`);
    const asked = { id: 'gate-1', runId: 'planted', stage: 'executing', status: 'approved', source: 'policy' };
    const told = { reason: PLANTED, riskLevel: 'low', createdAt: BEGIN, requestedAction: null, commit: null };
    const decided = { resolvedBy: PLANTED, decisionNote: `${PLANTED} ${SECRET}`, resolvedAt: BEGIN };
    const rest = { changesGoTo: null, expiresAt: null, files: [], options: null };
    writeFileSync(join(runDir, 'approvals.json'), JSON.stringify([{ ...asked, ...told, ...decided, ...rest }]));

    const { written } = await makeReport('planted', { out: '-' });

    const html = written.join('');
    expect(html.match(/<(?:img|script)|\son\w+="|[\u202e\u001b]/g)).toBeNull();
    expect(html.match(/&lt;img src=/g)?.length).toBeGreaterThan(8);
    expect(html).not.toContain(SECRET);
    expect(html).toContain('[redacted:github-token]');
    expect(html.match(/\s(?:src|href|action)="[^"]*"/g)).toEqual([' href="data:,"']);
    expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'");
  });

  it('is made of what is left where the journal is torn and the other files are gone', async () => {
    const runDir = leaveRun('torn', LINES);
    const journal = readFileSync(join(runDir, 'events.jsonl'), 'utf8');
    writeFileSync(join(runDir, 'events.jsonl'), `${journal.slice(0, 400)}\nnull\n{"seq":"x"}\n${journal.slice(600)}`);

    const { code, written } = await makeReport('torn', { out: '-' });

    expect([code, written.join('').startsWith(REPORT_HEAD)]).toEqual([0, true]);
  });

  it('leaves out, and says so, what is more than a run can leave', async () => {
    leaveRun(
      'flood',
      Array.from({ length: 4_003 }, (_, n): Line => [n, 'run.paused', {}]),
    );

    const { written } = await makeReport('flood', { out: '-' });

    expect(written.join('')).toContain('events.jsonl has 3 events more than are told here.');
  });

  it('draws every span of 2 000 events', async () => {
    const lines = Array.from({ length: 1_000 }, (_, n): Line[] => [
      [2 * n, 'turn.started', { stage: 'executing', agent: 'robot' }],
      [2 * n + 1, 'turn.completed', { ...turn('executing', 0.5, 10), agent: 'robot' }],
    ]).flat();
    const runDir = leaveRun('long', lines);
    const page = await readReport({ ...aFoundRun('long'), runDir }, BEGIN);

    const html = await renderReport(page);

    expect(html.match(/<rect/g)).toHaveLength(3_000);
  });
});

describe('the file of a report', () => {
  it('takes the place of an earlier report', async () => {
    leaveRun('twice', LINES);
    await makeReport('twice');
    leaveRun('twice', LINES, { title: 'Another title' });

    await makeReport('twice');

    expect(readFileSync(join(repo, 'twice.html'), 'utf8')).toContain('Another title');
  });

  it('is never written over something else, through a link, or where there is no folder', async () => {
    leaveRun('kept', LINES);
    writeFileSync(join(repo, 'own.html'), '<!doctype html>\nmine');
    writeFileSync(join(repo, 'earlier.html'), REPORT_HEAD);
    symlinkSync('earlier.html', join(repo, 'link.html'));
    symlinkSync('nowhere.html', join(repo, 'dangling.html'));

    const refused = await Promise.all(
      ['own.html', 'link.html', 'dangling.html', '.sluice', 'no/such/folder.html'].map((out) => refusal('kept', out)),
    );

    for (const text of refused.slice(0, 4)) expect(text).toContain('is there and is no report of sluice');
    expect(refused[4]).toContain('cannot be written');
    expect(readFileSync(join(repo, 'own.html'), 'utf8')).toBe('<!doctype html>\nmine');
    expect(readFileSync(join(repo, 'earlier.html'), 'utf8')).toBe(REPORT_HEAD);
  });

  it('is not printed together with JSON', async () => {
    await expect(makeReport('kept', { out: '-', json: true })).rejects.toThrow('--json and --out - are given');
  });
});
