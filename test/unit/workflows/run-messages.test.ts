import { describe, expect, it } from '@jest/globals';
import {
  kindsOf,
  RUN_MESSAGES,
  type RunMessage,
  type RunMessageName,
} from '../../../protocol/messages/message-rows.js';
import { readRunMessage } from '../../../protocol/messages/run-message.js';
import { RUN_STATUSES, type RunStatus, TERMINAL_STATUSES } from '../../../protocol/run/lifecycle.js';
import { judgeMessage, type Situation } from '../../../workflows/run/run-messages.js';
import { aGate } from '../../support/gate-builder.js';

const GATE = aGate();
const OPEN: Situation = {
  status: 'executing',
  closing: false,
  abortRequested: false,
  paused: false,
  pauseRequested: false,
  gate: null,
  waitingNotes: 0,
  events: 30,
  historyFull: false,
};
const AT_GATE: Situation = { ...OPEN, status: 'waiting_for_approval', gate: GATE };

function message(name: RunMessageName, argument: unknown = {}): RunMessage {
  const reading = readRunMessage(name, argument);
  if (reading.kind === 'bad') throw new Error(reading.why);
  return reading.message;
}

/** One that says enough to be understood. */
function whole(name: RunMessageName): RunMessage {
  const mustSay = Object.values(kindsOf(name)).some((kind) => kind === 'text' || kind === 'title');
  return message(name, mustSay ? 'x' : {});
}

describe('which messages a run takes', () => {
  it.each(RUN_MESSAGES.flatMap((name) => TERMINAL_STATUSES.map((status) => [name, status] as const)))(
    'refuses %s of a run that is %s',
    (name, status) => {
      expect(judgeMessage(whole(name), { ...OPEN, status })).toMatchObject({ kind: 'refused' });
      expect(judgeMessage(whole(name), { ...OPEN, closing: true })).toMatchObject({
        kind: 'refused',
      });
    },
  );

  const pausable = (status: RunStatus) => !['paused', 'waiting_for_approval', ...TERMINAL_STATUSES].includes(status);

  it.each(RUN_STATUSES)('pauses and resumes in status %s as the rules say', (status) => {
    const situation = {
      ...OPEN,
      status,
      paused: status === 'paused',
      gate: status === 'waiting_for_approval' ? GATE : null,
    };
    const pause = judgeMessage(message('pause'), situation);
    const resume = judgeMessage(message('resume'), situation);
    expect(pause.kind).toBe(pausable(status) ? 'accepted' : 'refused');
    expect(resume.kind).toBe(status === 'paused' ? 'accepted' : 'refused');
  });

  it('takes a pause that is pending without effect', () => {
    const pending = { ...OPEN, pauseRequested: true };
    expect(judgeMessage(message('pause'), pending)).toEqual({
      kind: 'unchanged',
      message: 'a pause is pending already',
    });
  });

  it('takes nothing but an abort once the history is full', () => {
    const full = { ...OPEN, historyFull: true };
    for (const name of RUN_MESSAGES.filter((one) => one !== 'abort'))
      expect(judgeMessage(whole(name), full)).toMatchObject({
        kind: 'refused',
        why: expect.stringContaining('history is full'),
      });
    expect(judgeMessage(message('abort'), full).kind).toBe('accepted');
  });

  it('takes a resume that cancels a pause', () => {
    const pending = { ...OPEN, pauseRequested: true };
    expect(judgeMessage(message('resume'), pending).kind).toBe('accepted');
  });

  it.each([
    ['no gate', {}, OPEN],
    ['another gate', { gate: 'gate-2' }, AT_GATE],
    ['an earlier gate of that name', { gate: 'gate-1', openedAt: '2026-11-01T10:00:00.000Z' }, AT_GATE],
    ['another commit', { commit: 'd'.repeat(40) }, AT_GATE],
    [
      'changes that nobody can make',
      { decision: 'request_changes', note: 'x' },
      { ...AT_GATE, gate: { ...GATE, changesGoTo: null } },
    ],
    ['a question without an answer', {}, { ...AT_GATE, gate: { ...GATE, question: true } }],
  ])('refuses a decision with %s', (_name, argument, situation) => {
    expect(judgeMessage(message('approve', argument), situation).kind).toBe('refused');
  });

  it('takes a decision about the one open gate, named or not', () => {
    for (const argument of [
      undefined,
      {},
      { gate: 'gate-1' },
      { openedAt: GATE.createdAt },
      { commit: GATE.commit },
      { decision: 'reject' },
    ]) {
      expect(judgeMessage(message('approve', argument), AT_GATE).kind).toBe('accepted');
    }
  });

  it('takes an answer only to a question', () => {
    expect(judgeMessage(message('answer', 'yes'), AT_GATE).kind).toBe('refused');
    const earlier = message('answer', { text: 'yes', promptId: GATE.id, openedAt: '2026-11-01T10:00:00.000Z' });
    expect(judgeMessage(earlier, { ...AT_GATE, gate: { ...GATE, question: true } }).kind).toBe('refused');
    expect(judgeMessage(message('answer', 'yes'), { ...AT_GATE, gate: { ...GATE, question: true } }).kind).toBe(
      'accepted',
    );
  });

  it('keeps the end of the journal for the end of the run, and room for 50 texts', () => {
    for (const name of ['steer', 'rename', 'pause'] as const) {
      expect(judgeMessage(whole(name), { ...OPEN, events: 1900 }).kind).toBe('refused');
    }
    expect(judgeMessage(message('abort'), { ...OPEN, events: 1999 }).kind).toBe('accepted');
    expect(judgeMessage(message('steer', 'x'), { ...OPEN, waitingNotes: 50 }).kind).toBe('refused');
  });

  it('takes an abort in every status that is not terminal, and nothing after it', () => {
    for (const status of RUN_STATUSES.filter((one) => !TERMINAL_STATUSES.some((terminal) => terminal === one))) {
      expect(judgeMessage(message('abort'), { ...OPEN, status }).kind).toBe('accepted');
    }
    expect(judgeMessage(message('abort'), { ...OPEN, abortRequested: true }).kind).toBe('unchanged');
    expect(judgeMessage(message('steer', 'x'), { ...OPEN, abortRequested: true }).kind).toBe('refused');
  });
});

describe('an answer to a question with options', () => {
  const gate = aGate({ question: true, options: ['Always allow', 'Allow', '2'] });
  const at = { ...AT_GATE, gate };

  it.each(['Allow', ' allow ', '1', '2', '3'])('is taken by name or number: "%s"', (text) => {
    expect(judgeMessage(message('answer', { text }), at)).toMatchObject({ kind: 'accepted' });
    expect(judgeMessage(message('approve', { note: text }), at)).toMatchObject({ kind: 'accepted' });
  });

  it.each(['yes', '0', '4', '-1', '1.0', 'Allow, please'])(
    'is refused with the options where it is none of them: "%s"',
    (text) => {
      const refused = { kind: 'refused', why: 'the answer to gate-1 must be one of: 1 Always allow, 2 Allow, 3 2' };

      expect(judgeMessage(message('answer', { text }), at)).toEqual(refused);
      expect(judgeMessage(message('approve', { note: text }), at)).toEqual(refused);
    },
  );

  it('is not needed to reject', () => {
    expect(judgeMessage(message('approve', { decision: 'reject' }), at)).toMatchObject({ kind: 'accepted' });
  });
});
