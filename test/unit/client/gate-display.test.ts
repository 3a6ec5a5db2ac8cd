import { describe, expect, it } from '@jest/globals';
import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import { gateBlock, type ShownGate } from '../../../client/cli/gates/gate-block.js';
import { keepEnd } from '../../../client/cli/terminal/columns.js';
import { gateDisplay, jsonDisplay, plainDisplay } from '../../../client/cli/watch/display.js';
import { renderPanel } from '../../../client/cli/watch/panel.js';
import { createPanelState } from '../../../client/cli/watch/panel-display.js';
import type { LiveWork } from '../../../protocol/messages/live-work.js';
import { STAGE_LISTS } from '../../../protocol/run/stages.js';
import { aGate, aQuestion, aView, COMMIT } from '../../support/gate-builder.js';
import { openTerminal } from './fake-io.js';

const NO_FACTS = { plan: null, files: null, checks: null, review: null, used: [] };
const HOSTILE = 'delete \u001b[2Jeverything\u202e\nnow';
const frame = (width = 100, room = 20) => ({ width, room, colors: createColors(false) });
const shownGate = (over: Partial<ShownGate> = {}): ShownGate => ({
  gate: aGate(),
  prompt: { kind: 'choosing' },
  told: [],
  facts: NO_FACTS,
  ...over,
});
const blockOf = (shown: ShownGate, width?: number, room?: number) => gateBlock(shown, frame(width, room)).join('\n');

describe('an open gate in the panel', () => {
  it('shows reason, risk, files, commit and the keys', () => {
    const block = blockOf(
      shownGate({ gate: aGate({ riskLevel: 'high', files: ['a.ts', 'b.ts'], requestedAction: 'drop a table' }) }),
    );

    for (const text of [
      'risk high',
      'the policy asks for a person',
      'a.ts, b.ts',
      COMMIT.slice(0, 12),
      'drop a table',
      '[a] approve',
    ]) {
      expect(block).toContain(text);
    }
  });

  it('shows the commands where no keys are read', () => {
    expect(blockOf(shownGate({ prompt: null }))).toContain('sluice approve shop-1\nsluice reject shop-1 -m "<why>"');
    expect(blockOf(shownGate({ gate: aQuestion(), prompt: null }))).toContain('sluice answer shop-1 "<text>"');
  });

  it('shows what may be answered, by number', () => {
    const gate = aQuestion({ options: ['Always allow', 'Allow'] });

    expect(blockOf(shownGate({ gate, prompt: null }))).toContain('answers   1 Always allow, 2 Allow');
    expect(blockOf(shownGate({ gate, prompt: null }))).toContain('sluice answer shop-1 <number>');
  });

  it('keeps within its room and width, with the keys last', () => {
    const told = Array.from({ length: 30 }, (_, n) => `${n} ${'wide 漢字 '.repeat(30)}`);
    const lines = gateBlock(shownGate({ told }), frame(40, 6));

    expect(lines).toHaveLength(6);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(40);
    expect(lines.slice(-2).join('  ')).toBe('[a] approve  [r] reject  [m] request changes  [s] leave it open');
  });

  it('shows the end of what is typed', () => {
    const prompt = { kind: 'typing', what: 'reject', text: `${'x'.repeat(200)} the end` } as const;

    expect(blockOf(shownGate({ prompt }), 60)).toMatch(/…x+ the end$/);
    expect(keepEnd('漢字漢字', 5)).toBe('…漢字');
  });

  it('lets no control sequence through', () => {
    const gate = aGate({ reason: HOSTILE, requestedAction: HOSTILE, files: [HOSTILE], id: HOSTILE, runId: HOSTILE });

    expect(blockOf(shownGate({ gate, told: [HOSTILE], prompt: null }))).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u202e]/,
    );
  });

  it('stands below the stages, with round and pause, and never above the height of the terminal', () => {
    const state = createPanelState({
      runId: 'shop-1',
      title: 'Fix it',
      stages: STAGE_LISTS.full,
      startedAt: '2026-11-21T10:00:00.000Z',
    });
    state.view(
      aView({
        status: 'paused',
        pausedAtStatus: 'fixing',
        reviewLoopCount: 1,
        waiting: { kind: 'approval', until: null, account: null },
      }),
    );
    state.gate(shownGate({ told: Array.from({ length: 30 }, (_, n) => `line ${n}`) }));

    const lines = renderPanel(state.current(), {
      now: Date.now(),
      columns: 120,
      rows: 16,
      colors: createColors(false),
    });

    expect(lines.join('\n')).toMatch(/round 1 of 2 .* waits for a decision/);
    expect(lines.join('\n')).toContain('sluice resume shop-1');
    expect(lines.length).toBeLessThan(16);
  });
});

describe('an open gate in a pipe', () => {
  it('is told once, with every command that decides it', () => {
    const { context, out } = openTerminal({ live: false });
    const display = plainDisplay(context.io);

    display.gate(shownGate({ prompt: null }));
    display.gate(shownGate({ prompt: null, told: ['x'] }));
    const text = out.join('\n');

    expect(text.match(/waits for a person/g)).toHaveLength(1);
    for (const command of [
      'sluice approve shop-1',
      'sluice reject shop-1',
      'sluice approvals decide shop-1 --request-changes',
    ]) {
      expect(text).toContain(command);
    }
  });

  it.each([
    ['watch', jsonDisplay],
    ['run', gateDisplay],
  ])('is one object when it opens and one when it is decided, for %s --json', (_, displayOf) => {
    const { context, objects } = openTerminal();
    const display = displayOf(context.io);

    display.gate(shownGate());
    display.gate(shownGate({ prompt: { kind: 'sending' } }));
    display.gate(null);

    expect(objects).toEqual([
      { kind: 'gate', gate: aGate() },
      { kind: 'gate', gate: null },
    ]);
  });
});

const working = (over: Partial<LiveWork> = {}): LiveWork => ({
  kind: 'checks',
  command: 'npm test',
  since: '2026-11-21T10:00:00.000Z',
  lines: [],
  ...over,
});

describe('a command at work in a pipe', () => {
  it('is one line, however long it takes and whatever it says', () => {
    const { context, out } = openTerminal({ live: false });
    const display = plainDisplay(context.io);

    display.work(working());
    display.work(working({ lines: ['1 test passed'] }));
    display.work(null);
    display.work(working({ kind: 'setup', command: 'npm ci' }));
    display.work(working({ kind: 'agent', command: null, lines: ['I look at it.'] }));

    expect(out.map((line) => line.replace(/^\S+ /, ''))).toEqual(['running npm test', 'running set-up: npm ci']);
  });
});
