import { describe, expect, it } from '@jest/globals';
import { auditLine } from '../../../client/cli/commands/audit.js';
import { renderView } from '../../../client/cli/commands/status.js';
import { jsonLine, wantsColors } from '../../../client/cli/terminal/io.js';
import { plainLine } from '../../../client/cli/terminal/plain-lines.js';
import { timeText } from '../../../client/cli/terminal/time-text.js';
import { skipTwiceTold } from '../../../client/cli/watch/display.js';
import { agentLabel } from '../../../client/views/agent-label.js';
import { clockOf, localTime } from '../../../client/views/local-time.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { aView } from '../journal/journal-builders.js';

const anEvent = (over: Partial<JournalEvent>): JournalEvent => ({
  seq: 1,
  timestamp: '2026-11-21T10:00:03.120Z',
  type: 'run.created',
  message: 'run created',
  data: {},
  ...over,
});

const SCREEN = { outIsTerminal: true };
const PIPE = { outIsTerminal: false };

describe('a time', () => {
  const at = '2026-11-21T10:00:03.120Z';

  it('is local on a screen, and has its zone in a pipe', () => {
    expect([timeText(at, SCREEN), timeText(at, SCREEN, clockOf)]).toEqual([localTime(at), clockOf(at)]);
    expect([timeText(at, PIPE), timeText(at, PIPE, clockOf)]).toEqual([at, at]);
  });

  it.each([SCREEN, PIPE])('is the same in every line that is printed: %j', (io) => {
    const time = timeText(at, io);
    const entry = {
      seq: 1,
      timestamp: at,
      type: 'approval.approved',
      about: 'decision',
      who: 'ada',
      commit: null,
      what: 'approved',
      note: null,
    } as const;

    expect(auditLine(entry, io)).toBe(`${time}  decision   ada  approved`);
    expect(renderView(aView({ startedAt: at }), io).join('\n')).toMatch(new RegExp(`^started +${time}$`, 'm'));
    expect(plainLine(anEvent({}), io)).toBe(`${timeText(at, io, clockOf)} run created`);
  });
});

describe('a plain line', () => {
  it('names stage and agent when a turn starts', () => {
    const data = { stage: 'planning', round: 0, seq: 2, agent: 'demo', adapter: 'scripted', model: null };

    expect(plainLine(anEvent({ type: 'turn.started', data }), SCREEN)).toMatch(
      /^\d\d:\d\d:\d\d planning started \(agent demo, scripted\)$/,
    );
  });

  it('tells a change of status', () => {
    const event = anEvent({
      type: 'state.changed',
      message: 'architected → executing',
      data: { from: 'architected', to: 'executing', round: 0 },
    });

    expect(plainLine(event, SCREEN)).toMatch(/ status architected → executing$/);
  });

  it.each([
    ['git.committed', { files: 1, added: 1, deleted: 0 }, 'committed 1 file, +1 −0'],
    ['git.committed', { files: 12, added: 1, deleted: 30 }, 'committed 12 files, +1 −30'],
    ['git.committed', {}, 'as it was told'],
    ['validation.started', { commands: 2, commit: 'a'.repeat(40) }, 'checks started: 2 commands on aaaaaaaaaaaa'],
    ['worktree.setup.completed', {}, 'set-up: as it was told'],
  ] as const)('says %s %j in words', (type, data, words) => {
    expect(plainLine(anEvent({ type, message: 'as it was told', data }), SCREEN).slice('10:00:03 '.length)).toBe(words);
  });

  it('is left out where the start of a turn says it too, and not where nothing else is told', () => {
    const moved = (to: string) => anEvent({ type: 'state.changed', data: { from: 'x', to } });
    const [ofAll, ofStatuses] = [skipTwiceTold(), skipTwiceTold()];

    expect([anEvent({}), moved('executing'), moved('blocked')].map(ofAll)).toEqual([false, true, true]);
    expect([moved('executing'), moved('blocked')].map(ofStatuses)).toEqual([false, false]);
  });

  it('names a decision', () => {
    const event = anEvent({ type: 'review.decision', message: 'looks right', data: { value: 'APPROVED' } });

    expect(plainLine(event, SCREEN)).toMatch(/ review decision APPROVED: looks right$/);
  });

  it('survives a time that is none', () => {
    expect(plainLine(anEvent({ timestamp: 'soon' }), SCREEN)).toBe('--:--:-- run created');
  });

  it('labels a scripted agent by any other name', () => {
    expect(agentLabel({ name: 'x', adapter: 'scripted' })).toBe('x, scripted');
    expect(agentLabel({ name: 'scripted', adapter: 'scripted' })).toBe('scripted');
    expect(agentLabel({ name: 'x', adapter: 'command' })).toBe('x');
  });
});

describe('output', () => {
  it('writes JSON that a terminal cannot obey and that parses to the same value', () => {
    const value = { title: 'a\u001b[2J\u009b1m\u202eb\u2028c\nd' };

    const line = jsonLine(value);

    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2028]/);
    expect(JSON.parse(line)).toEqual(value);
  });

  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
  ])('with %j and terminal %s colours are %s', (env, isTTY, expected) => {
    expect(wantsColors(env, isTTY)).toBe(expected);
  });
});
