/**
 * Text that steers a terminal, in every place that somebody else writes: task, title, notes, names of branches and files, journal, gates, agent
 * output, the change itself. No looking command, no report and no file of lines lets it through.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendEvents } from '../../../activities/journal/events-file.js';
import { renderReport } from '../../../activities/journal/report.js';
import { renderReview } from '../../../activities/journal/review-files.js';
import { listApprovals, showApproval } from '../../../client/cli/commands/approvals.js';
import { audit } from '../../../client/cli/commands/audit.js';
import { diff } from '../../../client/cli/commands/diff.js';
import { list } from '../../../client/cli/commands/list.js';
import { logs } from '../../../client/cli/commands/logs.js';
import { path } from '../../../client/cli/commands/path.js';
import { replay } from '../../../client/cli/commands/replay.js';
import { status } from '../../../client/cli/commands/status.js';
import type { Context } from '../../../client/cli/terminal/context.js';
import { foreignBlock, jsonLine } from '../../../client/cli/terminal/io.js';
import { EVENT_TYPES, type JournalEvent } from '../../../protocol/messages/journal.js';
import { formatRefusal, RefusedError } from '../../../protocol/text/refusal.js';
import { computeMetrics } from '../../../protocol/views/metrics.js';
import { aGate, aView } from '../../support/gate-builder.js';
import { openTerminal } from '../client/fake-io.js';
import { git, makeRepository, removeFolders, tempFolder, write } from '../git/repository-fixture.js';
import { NO_BUDGET, NO_FAIL } from '../journal/journal-builders.js';

/** A link, the clipboard, a title, a device query, a cleared screen, C1, bidi, an overwriting return, a separator, smuggled tags. */
const EVIL = [
  '\u001b]8;;http://x.invalid\u001b\\click\u001b]8;;\u001b\\',
  '\u001b]52;c;cm0gLXJmIH4=\u0007',
  '\u001b]0;title\u0007\u001bPq\u001b\\',
  '\u001b[2J\u001b[1;1H\u001b[6n\u001b[?1049h',
  '\u009b2J\u009d0;x\u009c\u0090q\u009c\u0085',
  '\u202eesrever\u2066\u200b\u061c',
  'ok\rbad\b\u007f\u0000',
  'two\nlines\u2028\u2029',
  '\u{e0041}\u{e0042}',
].join(' ');
const ONE_LINE = EVIL.replaceAll('\n', ' ').replaceAll('\u0000', '');
/** As a name of git's: no control characters in refs. */
const NAME = 'x\u009b2J\u202e';
/** All but newline and tab. */
const RAW =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0001}-\u{e007f}]/u;
const RUN = 'shop-1';

let root: string;
let runDir: string;
let events: JournalEvent[];

beforeAll(async () => {
  root = makeRepository({ 'a.txt': 'a\n' });
  const baseSha = git(root, 'rev-parse', 'HEAD').trim();
  write(root, `file \u001b[31m\n\u202e.txt`, `${EVIL}\n`);
  write(root, 'plain.txt', `${ONE_LINE}\n`);
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '-m', 'evil');
  const headSha = git(root, 'rev-parse', 'HEAD').trim();
  git(root, 'branch', NAME);
  runDir = join(root, '.sluice/runs', RUN);
  mkdirSync(join(runDir, `turns/3-${ONE_LINE.replaceAll('/', '')}`.slice(0, 60)), { recursive: true });
  // As the file may hold it, whatever the types say.
  const view = {
    ...aView(),
    runId: RUN,
    workflowId: RUN,
    repo: root,
    baseSha,
    headSha,
    task: EVIL,
    title: EVIL,
    branch: NAME,
    baseBranch: NAME,
    worktree: `/nowhere/${EVIL}`,
    host: EVIL,
    preset: EVIL,
    error: EVIL,
    blockedReason: EVIL,
    finalDecision: EVIL,
    agent: { name: EVIL, adapter: EVIL },
    resumedFrom: { sourceRunId: EVIL, fromStage: EVIL },
    pendingApprovalId: EVIL,
    verification: EVIL,
    stage: EVIL,
    waiting: { kind: EVIL, until: EVIL, account: EVIL },
  };
  const data = Object.fromEntries(
    [
      'by',
      'text',
      'note',
      'why',
      'commit',
      'source',
      'gate',
      'stage',
      'agent',
      'command',
      'branch',
      'rule',
      'value',
      'message',
      'outcome',
    ].map((key) => [key, EVIL]),
  );
  events = EVENT_TYPES.map((type, at) => ({
    seq: at + 1,
    timestamp: '2026-11-21T10:00:00.000Z',
    type,
    message: EVIL,
    data,
  }));
  writeFileSync(join(runDir, 'state.json'), JSON.stringify(view));
  const gate = aGate({
    runId: RUN,
    reason: EVIL,
    requestedAction: EVIL,
    files: [EVIL],
    resolvedBy: EVIL,
    decisionNote: EVIL,
    guidance: EVIL,
    commit: EVIL,
  });
  writeFileSync(join(runDir, 'approvals.json'), JSON.stringify([gate]));
  await appendEvents(join(runDir, 'events.jsonl'), { events, lastSeq: events.length }, { root: runDir, ...NO_FAIL });
  mkdirSync(join(runDir, 'turns/4-executing'));
  writeFileSync(join(runDir, 'turns/4-executing/output.md'), `${EVIL}\n${EVIL}`);
});
afterAll(removeFolders);

type Command = (context: Context) => Promise<unknown>;

const COMMANDS: readonly (readonly [string, Command])[] = [
  ['list', (context) => list(context, { limit: '50', waiting: false, all: true, open: false })],
  ['status', (context) => status(context, RUN)],
  ['logs', (context) => logs(context, { asked: RUN, follow: false })],
  ['logs --turn', (context) => logs(context, { asked: RUN, follow: false, turn: '4' })],
  ['logs --turn of none', (context) => logs(context, { asked: RUN, follow: false, turn: EVIL })],
  ['diff', (context) => diff(context, { asked: RUN, stat: false })],
  ['diff --stat', (context) => diff(context, { asked: RUN, stat: true })],
  ['path', (context) => path(context, RUN)],
  ['audit', (context) => audit(context, RUN)],
  ['replay', (context) => replay(context, RUN)],
  ['approvals list', (context) => listApprovals(context, { run: RUN })],
  ['approvals show', (context) => showApproval(context, { run: RUN, gate: null })],
  ['status of an unknown run', (context) => status(context, EVIL)],
];

/** Everything that a command writes to a terminal, its error included, as main.ts would print it. */
async function shownBy(command: Command, json: boolean) {
  const terminal = openTerminal(
    // As wide as the texts, and without a pager, which nobody could look into.
    { cwd: root, env: { HOME: tempFolder() }, interactive: false, columns: () => 300 },
    json,
  );
  const error = await command({ ...terminal.context, home: join(tempFolder(), 'none') }).catch(
    (caught: unknown) => caught,
  );
  if (error instanceof Error && !(error instanceof RefusedError)) throw error;
  const told = error instanceof RefusedError ? foreignBlock(formatRefusal(error.parts)) : '';
  const texts = [...terminal.out, ...terminal.written, ...terminal.err, told];
  return { texts, lines: terminal.objects.map(jsonLine) };
}

describe('what a terminal gets to see of hostile text', () => {
  it.each(COMMANDS)('by sluice %s is never raw', async (name, command) => {
    const { texts } = await shownBy(command, false);

    expect(texts.join('')).toContain(name === 'diff --stat' ? '2 files' : 'esrever');
    expect(texts.filter((text) => RAW.test(text))).toEqual([]);
  });

  it.each(COMMANDS)(
    'by sluice %s --json is one line an object, with the text escaped and not lost',
    async (name, command) => {
      const { texts, lines } = await shownBy(command, true);

      expect([...texts, ...lines].join('')).toContain(name === 'diff --stat' ? '"files":2' : 'esrever');
      for (const line of lines)
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
      expect(texts.filter((text) => RAW.test(text))).toEqual([]);
    },
  );

  it('one title, note or reason stays on one line', async () => {
    const [shown] = (
      await shownBy((context) => list(context, { limit: '50', waiting: false, all: true, open: false }), false)
    ).texts;

    expect(shown?.split('\n').length ?? 0).toBeLessThanOrEqual(3);
    expect(shown).toContain('two');
  });
});

describe('a command to paste', () => {
  it('holds a branch of a forged state.json as one word', async () => {
    const forged = {
      ...(JSON.parse(readFileSync(join(runDir, 'state.json'), 'utf8')) as object),
      runId: 'shop-2',
      workflowId: 'shop-2',
      branch: "x';touch$IFS'ran';'$(y)",
    };
    git(root, 'update-ref', `refs/heads/${forged.branch}`, 'HEAD');
    mkdirSync(join(root, '.sluice/runs/shop-2'));
    writeFileSync(join(root, '.sluice/runs/shop-2/state.json'), JSON.stringify(forged));

    const { texts } = await shownBy((context) => path(context, 'shop-2'), false);

    expect(texts.join('\n')).toContain(`git worktree add <folder> 'x'\\'';touch$IFS'\\''ran'\\'';'\\''$(y)'`);
  });
});

describe('what the files of a run hold of hostile text', () => {
  it('is one line an event in the journal', () => {
    const lines = readFileSync(join(runDir, 'events.jsonl'), 'utf8').split('\n');

    expect(lines).toHaveLength(events.length + 1);
    expect(lines.slice(0, -1).map((line) => (JSON.parse(line) as JournalEvent).seq)).toEqual(
      events.map(({ seq }) => seq),
    );
  });

  it('is printable in the report and in the review', () => {
    const report = renderReport({
      view: aView({
        title: EVIL,
        task: EVIL,
        error: EVIL,
        branch: NAME,
        baseBranch: NAME,
        worktree: EVIL,
        agent: { name: EVIL, adapter: 'command' },
      }),
      events,
      validation: null,
      changes: { kind: 'listed', files: [{ path: EVIL, added: 1, deleted: 1 }] },
      findings: [EVIL],
      notes: [EVIL],
      metrics: computeMetrics(events, '2026-11-21T10:00:00.000Z', '2026-11-21T10:10:00.000Z'),
      budget: NO_BUDGET,
      verdict: 'verified',
      verdictReasons: [EVIL],
    });

    expect(report).toContain('two');
    expect(report.split('\n').filter((line) => RAW.test(line))).toEqual([]);
    expect(report.split('\n').filter((line) => line.startsWith('lines'))).toEqual([]);
    const parts = { round: 0, decision: 'APPROVED', commit: 'c', source: 'agent', summary: EVIL, raw: EVIL } as const;
    const finding = {
      id: 'F1',
      severity: 'high',
      category: 'security',
      claim: EVIL,
      evidence: [EVIL],
      recommendation: EVIL,
    } as const;
    expect(
      renderReview({ ...parts, findings: [finding] })
        .split('\n')
        .filter((line) => RAW.test(line)),
    ).toEqual([]);
  });
});
