import { describe, expect, it } from '@jest/globals';
import { runAndText } from '../../../client/cli/find/run-and-text.js';
import { isAttended, policyOf } from '../../../client/cli/start/run-policy.js';
import { checkText } from '../../../client/cli/terminal/message-text.js';
import { personOf } from '../../../client/cli/terminal/person.js';
import { RUN_FLAGS } from '../../../config/keys/run-flags.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { MAX_NOTE_CHARS } from '../../../protocol/limits.js';
import { readRunMessage } from '../../../protocol/messages/run-message.js';
import { formatRefusal, RefusedError } from '../../../protocol/text/refusal.js';
import { openTerminal } from './fake-io.js';

const refusalOf = (check: () => unknown): RefusedError => {
  try {
    check();
  } catch (error) {
    if (error instanceof RefusedError) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

describe('the options of a start', () => {
  it('are a policy that the host understands', () => {
    const options = {
      agent: 'main',
      preset: 'vibestrate',
      stages: 'express',
      rounds: '5',
      gate: ['executing', 'verifying'],
      permissions: 'accept-edits',
      hold: true,
      attended: false,
      unattended: true,
    };

    const { policy } = resolvePolicy({
      runInput: { policy: policyOf(options) },
      user: { text: 'agents: {main: {command: prog}}', name: 'user.yaml' },
      toLook: true,
    });

    expect(Object.keys(options)).toEqual(expect.arrayContaining(Object.keys(RUN_FLAGS)));
    expect(policy).toMatchObject({
      stageList: 'express',
      rounds: 5,
      gates: { stages: ['executing', 'verifying'] },
      permissions: 'accept-edits',
      holdAtCompletion: true,
      attended: false,
    });
  });

  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ attended: true }, false, true],
    [{ unattended: true }, true, false],
  ])('with %j and a terminal %s: somebody answers is %s', (options, attended, expected) => {
    expect(isAttended({ attended }, options)).toBe(expected);
  });

  it('say not both that somebody answers and that nobody does', () => {
    expect(() => isAttended({ attended: true }, { attended: true, unattended: true })).toThrow(
      '--attended and --unattended are given',
    );
  });

  it('are no policy where none is named', () => {
    expect(policyOf({ gate: [], hold: false, unattended: false })).toEqual({});
  });

  it.each([
    ['--rounds', { rounds: '21' }],
    ['--rounds', { rounds: '-1' }],
    ['--rounds', { rounds: '' }],
    ['--rounds', { rounds: 'two' }],
    ['--gate', { gate: ['executing', 'coffee'] }],
    ['--permissions', { permissions: 'root' }],
    ['--stages', { stages: 'some' }],
    ['--stages', { stages: 'toString' }],
  ])('are refused in four parts for %s in %j', (name, options) => {
    const error = refusalOf(() => policyOf(options));

    expect(error.parts.what).toContain(name);
    expect(formatRefusal(error.parts).split('\n')).toHaveLength(4);
    expect(error.exitCode).toBe(1);
  });
});

describe('a text to a run', () => {
  it('has as many characters as the run takes, and no more', () => {
    const usage = 'sluice steer "<text>"';
    const longest = 'é'.repeat(MAX_NOTE_CHARS);

    expect(readRunMessage('steer', { text: checkText({ name: 'the text', text: longest, usage }) }).kind).toBe('ok');
    expect(refusalOf(() => checkText({ name: 'the text', text: `${longest}x`, usage })).parts.why).toContain(
      `at most ${MAX_NOTE_CHARS}`,
    );
    expect(refusalOf(() => checkText({ name: 'the text', text: ' \n', usage })).parts.what).toBe('the text is empty');
  });

  it('stands alone, or behind the run', () => {
    expect(runAndText('do it', undefined)).toEqual({ run: null, text: 'do it' });
    expect(runAndText('shop-1', 'do it')).toEqual({ run: 'shop-1', text: 'do it' });
  });
});

describe('the sender of a message', () => {
  const senderOf = (env: NodeJS.ProcessEnv) => personOf(openTerminal({ env }).context);

  it('is the user at this machine, or what SLUICE_BY says', () => {
    expect(senderOf({})).toMatch(/^\S+@\S+$/);
    expect(senderOf({ SLUICE_BY: ' release bot ' })).toBe('release bot');
  });

  it('is no agent', () => {
    const error = refusalOf(() => senderOf({ SLUICE_TURN: 'abc', SLUICE_BY: 'me' }));

    expect(error.exitCode).toBe(1);
    expect(formatRefusal(error.parts).split('\n')).toHaveLength(4);
    expect(error.parts.why).toContain('not sent from inside a turn');
  });

  it('has a name that a run takes', () => {
    expect(refusalOf(() => senderOf({ SLUICE_BY: 'x'.repeat(201) })).parts.why).toContain('200');
  });
});
