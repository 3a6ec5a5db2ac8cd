/** Whatever the files of a run folder hold, a page is made of it as its schema says, and nothing throws. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { listedFromView } from '../../../client/calls/listed-run.js';
import { rowOf } from '../../../client/http/list-runs.js';
import { readRun } from '../../../client/http/read-run.js';
import { redactedJson } from '../../../client/http/redacted-json.js';
import { RunPage, RunRow } from '../../../client/http/shapes.js';
import { parseView } from '../../../client/look/parse-view.js';
import { plantRun } from '../../support/planted-runs.js';
import { tempFolder } from '../../support/temp-folder.js';

/** As a field of a file may be. */
const anything = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'usage_limit', 'approval', 'policy', 'pending', '', 'executing'),
  fc.json().map((text) => JSON.parse(text) as unknown),
  fc.double(),
  fc.constant(null),
);

const GATE = {
  id: 'gate-1',
  runId: 'r',
  stage: 'executing',
  status: 'pending',
  source: 'policy',
  reason: 'because',
  riskLevel: 'low',
  createdAt: '2026-01-01T00:00:00.000Z',
  requestedAction: null,
  commit: null,
  resolvedBy: null,
  decisionNote: null,
  changesGoTo: null,
  expiresAt: null,
  files: [],
  options: null,
  question: false,
  resolvedAt: null,
};

const oneField = (whole: Readonly<Record<string, unknown>>) =>
  fc.tuple(fc.constantFrom(...Object.keys(whole)), anything).map(([name, value]) => ({ ...whole, [name]: value }));

describe('the files of a run', () => {
  const folder = tempFolder();

  it('make a page of its shape, whatever they hold', async () => {
    const runDir = plantRun(folder, 'planted');
    const view = JSON.parse(readFileSync(join(runDir, 'state.json'), 'utf8')) as Record<string, unknown>;
    mkdirSync(join(runDir, 'turns/1-executing'), { recursive: true });
    const files = fc.record({
      state: oneField(view),
      gates: fc.array(oneField(GATE), { maxLength: 2 }),
      turn: fc.dictionary(fc.constantFrom('agent', 'round', 'tokensIn', 'class', 'startedAt'), anything),
      checks: fc.record({
        round: anything,
        commit: anything,
        commands: fc.array(oneField({ command: 'x', status: 'passed', durationMs: 1 })),
      }),
    });

    await fc.assert(
      fc.asyncProperty(files, async ({ state, gates, turn, checks }) => {
        writeFileSync(join(runDir, 'state.json'), JSON.stringify(state));
        writeFileSync(join(runDir, 'approvals.json'), JSON.stringify(gates));
        writeFileSync(join(runDir, 'turns/1-executing/turn.json'), JSON.stringify(turn));
        writeFileSync(join(runDir, 'validation.json'), JSON.stringify(checks));
        const found = parseView(JSON.stringify(state)) ?? parseView(JSON.stringify(view));
        if (found === null) throw new Error('the planted view is none');
        const run = { ...listedFromView(found), runDir };

        RunRow.parse(JSON.parse(redactedJson(rowOf(run))));
        const shown = RunPage.safeParse(JSON.parse(redactedJson(await readRun(run, null))));

        expect(shown.error?.issues ?? []).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('say as they are what names a part of every object', async () => {
    const waiting = { kind: 'constructor', until: null, account: null };
    // No run waits for that.
    const runDir = plantRun(folder, 'named', { status: 'executing', outcome: null, waiting } as object);
    writeFileSync(join(runDir, 'approvals.json'), JSON.stringify([{ ...GATE, source: 'valueOf' }]));
    const found = parseView(readFileSync(join(runDir, 'state.json'), 'utf8'));
    if (found === null) throw new Error('the planted view is none');

    const page = RunPage.parse(JSON.parse(redactedJson(await readRun({ ...listedFromView(found), runDir }, null))));

    expect([page.waits?.text, page.gates[0]?.askedBy]).toEqual(['constructor', 'valueOf']);
  });
});
