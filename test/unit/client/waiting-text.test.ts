import { describe, expect, it } from '@jest/globals';
import { noticeDesktop, noticeSequence } from '../../../client/cli/watch/desktop-notice.js';
import { pauseText, roundText, waitingText } from '../../../client/views/waiting-text.js';
import { aView } from '../../support/gate-builder.js';
import { openTerminal } from './fake-io.js';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

describe('what a run waits for', () => {
  it.each([
    ['approval', null, 'a decision'],
    ['answer', null, 'an answer'],
    ['usage_limit', '2026-11-21T10:12:30.000Z', 'a usage limit to end, 12:30 left'],
    ['rate_limited', '2026-11-21T09:59:00.000Z', 'the provider, which limits the rate, due now'],
    ['approval', '2026-11-23T11:00:05.000Z', 'a decision, 2d 01:00:05 left'],
    ['host', 'soon', 'its host'],
    ['something new\u001b[2J', null, 'something new'],
    ['constructor', null, 'constructor'],
  ])('as %s until %s reads "%s"', (kind, until, text) => {
    expect(waitingText({ kind, until, account: null }, NOW)).toBe(text);
  });

  it('is a resume where it is paused, and while the pause is only asked for', () => {
    expect(pauseText(aView({ status: 'paused', pausedAtStatus: 'executing' }))).toBe(
      'paused at executing; goes on with: sluice resume shop-1',
    );
    expect(pauseText(aView({ pauseRequested: true }))).toContain('taken back with: sluice resume shop-1');
    expect(pauseText(aView())).toBeNull();
  });

  it('counts rounds once there was one', () => {
    expect(roundText(aView({ reviewLoopCount: 1 }))).toBe('round 1 of 2');
    expect(roundText(aView())).toBeNull();
  });
});

describe('a notice of the desktop', () => {
  it('goes to the terminal in both forms, with nothing in it that the terminal would obey', () => {
    const sequence = noticeSequence(
      { title: 'a;b\u0007\u001b]0;x\u0007', text: `token ghp_${'a1B2'.repeat(9)}\n\u202e` },
      'xterm',
    );
    const [, nine = '', , notify = ''] =
      /^\u001b\]9;([^\u0007\u001b]*)(\u0007)\u001b\]777;notify;([^\u0007\u001b]*)\u0007$/.exec(sequence ?? '') ?? [];

    expect(nine).toContain('a,b');
    expect(notify.split(';')).toHaveLength(2);
    expect(sequence).not.toContain('ghp_');
    expect(sequence).not.toContain('\u202e');
  });

  it.each([['linux'], ['dumb'], [undefined]])('is not sent to TERM=%s', (term) => {
    expect(noticeSequence({ title: 'a', text: 'b' }, term)).toBeNull();
  });

  it('is never written into a pipe, and NO_COLOR does not switch it off', () => {
    const pipe = openTerminal({ live: false });
    const terminal = openTerminal({ env: { TERM: 'xterm', NO_COLOR: '1' } });

    for (const { context } of [pipe, terminal]) noticeDesktop(context.io, { title: 'a', text: 'b' });

    expect(pipe.written).toEqual([]);
    expect(terminal.written).toHaveLength(1);
  });
});
