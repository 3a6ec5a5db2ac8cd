import { describe, expect, it } from '@jest/globals';
import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import { truncate } from '../../../client/cli/terminal/columns.js';
import { type PanelState, renderPanel } from '../../../client/cli/watch/panel.js';
import { createPanelState } from '../../../client/cli/watch/panel-display.js';
import { elapsed } from '../../../client/views/waiting-text.js';
import { STAGE_LISTS } from '../../../protocol/run/stages.js';
import { storyOf, tellStory } from '../../../protocol/views/stage-story.js';
import { began, moved, START } from '../../support/told-stages.js';

/** The last stage is entered at `at`. */
const toExecuting = (at: string) => [
  moved('created', 'planning'),
  began('planning'),
  moved('planning', 'planned'),
  moved('planned', 'architecting'),
  began('architecting'),
  moved('architecting', 'architected'),
  { ...moved('architected', 'executing'), timestamp: at },
  { ...began('executing'), timestamp: at },
];

const aState = (over: Partial<PanelState> = {}): PanelState => ({
  runId: 'shop-261121-abcd',
  title: 'Fix the parser',
  stages: STAGE_LISTS.full,
  story: tellStory(toExecuting('2026-11-21T10:00:50.000Z')),
  agent: 'scripted',
  waiting: null,
  round: null,
  pause: null,
  gate: null,
  startedAt: START,
  work: null,
  used: null,
  lines: [],
  notice: null,
  retrying: null,
  ...over,
});

const frame = (columns: number, rows = 24) => ({
  now: Date.parse(START) + 65_000,
  columns,
  rows,
  colors: createColors(false),
});

describe('the live panel', () => {
  it('shows what the agent says and the command at work with its time, and what was used so far', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const work = { kind: 'agent', command: 'npm test', since: '2026-11-21T10:00:53.000Z', lines } as const;
    const state = aState({ work, used: '$0.42 (1200 tokens in, 80 out)', lines: ['10:00:51 executing started'] });

    const shown = renderPanel(state, frame(120));

    expect(shown.slice(-4)).toEqual(['  line 28', '  line 29', '  npm test 0:12', '  10:00:51 executing started']);
    expect(shown.join('\n')).toContain('$0.42 (1200 tokens in, 80 out)');
    expect(shown).toHaveLength(20);
  });

  it('says of a set-up what it is', () => {
    const work = { kind: 'setup', command: 'npm ci', since: '2026-11-21T10:00:34.000Z', lines: [] } as const;

    expect(renderPanel(aState({ work }), frame(120))).toContain('  set-up: npm ci 0:31');
  });

  it.each([5, 6, 8, 12])('keeps to %i rows, whatever is said', (rows) => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const work = { kind: 'agent', command: 'npm test', since: START, lines } as const;

    expect(renderPanel(aState({ work, lines }), frame(120, rows)).length).toBeLessThan(rows);
  });

  it('shows title, stages with ticks, the agent and the time', () => {
    const text = renderPanel(aState(), frame(120)).join('\n');

    expect(text).toContain('Fix the parser');
    expect(text).toContain('✓ planning  ✓ architecting  ● executing 0:15  · validating  · reviewing  · verifying');
    expect(text).toContain('agent scripted · elapsed 1:05');
    expect(text).not.toContain('fixing');
  });

  it('shows what a run waits for', () => {
    expect(
      renderPanel(aState({ waiting: { kind: 'usage_limit', until: null, account: null } }), frame(120)).join('\n'),
    ).toContain('waits for a usage limit to end');
  });

  it('shows what fails again and again', () => {
    const state = createPanelState({ runId: 'r', title: 't', stages: STAGE_LISTS.full, startedAt: START });

    state.retrying({ activity: 'runTurn', attempt: 10, message: 'no space left on device' });
    const failing = renderPanel(state.current(), frame(120)).join('\n');
    state.retrying(null);
    const working = renderPanel(state.current(), frame(120)).join('\n');

    expect(failing).toContain('runTurn fails: attempt 10: no space left on device');
    expect(working).not.toContain('attempt');
  });

  it.each([20, 33, 40, 80])('keeps every line within %i columns', (columns) => {
    const state = aState({
      title: '漢字と絵文字🎉'.repeat(20),
      lines: Array.from({ length: 9 }, (_, n) => `${n} ${'long '.repeat(40)}`),
    });

    const widths = renderPanel(state, frame(columns)).map((line) => stringWidth(line));

    expect(Math.max(...widths)).toBeLessThan(columns);
  });

  it('is never higher than a low terminal', () => {
    const state = aState({ lines: Array.from({ length: 9 }, (_, n) => `line ${n}`) });

    expect(renderPanel(state, frame(120, 8)).length).toBeLessThanOrEqual(8);
  });

  it('marks no stage as at work once the run closed', () => {
    const story = tellStory([...toExecuting(START), moved('executing', 'failed')]);

    expect(renderPanel(aState({ story }), frame(120))[2]).toBe(
      '✓ planning  ✓ architecting  ✗ executing  · validating  · reviewing  · verifying',
    );
  });

  it('counts the time at a gate as waiting', () => {
    const story = tellStory([...toExecuting(START), moved('executing', 'waiting_for_approval', 60)]);

    expect(renderPanel(aState({ story }), frame(120))[2]).toContain('◌ executing 0:05');
  });

  it('folds events into stages and last lines', () => {
    const state = createPanelState({ runId: 'r', title: 't', stages: STAGE_LISTS.full, startedAt: START });

    state.event(moved('created', 'planning'));
    state.event(moved('planning', 'planned'));

    expect(storyOf(state.current().story, 'planning').mark).toBe('passed');
    expect(state.current().lines).toHaveLength(2);
  });

  it('lets no control sequence of a title through', () => {
    const state = createPanelState({
      runId: 'r',
      title: 'a\u001b[2Jb\u202e\nc',
      stages: STAGE_LISTS.full,
      startedAt: START,
    });

    expect(state.current().title).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe('small texts', () => {
  it.each([
    [7_000, '0:07'],
    [750_000, '12:30'],
    [3_723_000, '1:02:03'],
    [-5, '0:00'],
    [Number.NaN, '0:00'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(elapsed(ms)).toBe(text);
  });

  it.each([
    ['short', 10, 'short'],
    ['exactly-10', 10, 'exactly-10'],
    ['eleven chars', 10, 'eleven ch…'],
    ['漢字漢字', 5, '漢字…'],
  ])('cuts %s to %d columns', (text, width, expected) => {
    expect(truncate(text, width)).toBe(expected);
  });
});
