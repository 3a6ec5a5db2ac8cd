import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { kindsOf, RUN_MESSAGES } from '../../../protocol/messages/message-rows.js';
import { readRunMessage } from '../../../protocol/messages/run-message.js';

describe('the argument of a message', () => {
  it.each([undefined, null, {}])('may be left out (%j) where nothing must be said', (argument) => {
    for (const name of ['approve', 'pause', 'resume', 'abort'] as const)
      expect(readRunMessage(name, argument).kind).toBe('ok');
    for (const name of ['steer', 'rename', 'answer'] as const) expect(readRunMessage(name, argument).kind).toBe('bad');
  });

  it('approves where no decision is said', () => {
    expect(readRunMessage('approve', {})).toMatchObject({
      message: { decision: 'approve', gate: null, commit: null, note: null },
    });
  });

  it('takes a bare text where one is meant', () => {
    expect(readRunMessage('steer', ' use x ')).toMatchObject({ message: { text: 'use x' } });
    expect(readRunMessage('rename', 'a\nb')).toMatchObject({ message: { title: 'a b' } });
    expect(readRunMessage('pause', 'now').kind).toBe('bad');
  });

  it.each([
    ['approve', { decision: 'yes' }, 'decision'],
    ['approve', { decision: 'request_changes' }, 'note'],
    ['approve', { note: 3 }, 'note'],
    ['approve', { decision: ' ' }, 'decision'],
    ['approve', { commit: '' }, 'commit'],
    ['steer', { text: 'x'.repeat(4001) }, 'text'],
    ['rename', { title: 'x'.repeat(121) }, 'title'],
    ['abort', { why: 'x' }, 'why'],
    ['resume', [], 'argument'],
  ] as const)('%s refuses %j and names what is wrong', (name, argument, named) => {
    expect(readRunMessage(name, argument)).toMatchObject({ kind: 'bad', why: expect.stringContaining(named) });
  });

  it('never throws and keeps only fields that it knows, whatever is sent', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RUN_MESSAGES), fc.anything(), (name, argument) => {
        const reading = readRunMessage(name, argument);
        if (reading.kind === 'bad') return reading.why.length < 400;
        return Object.keys(reading.message).every((field) => field === 'name' || Object.hasOwn(kindsOf(name), field));
      }),
    );
  });
});
