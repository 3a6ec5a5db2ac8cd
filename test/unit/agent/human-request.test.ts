import { describe, expect, it } from '@jest/globals';
import { readHumanRequest } from '../../../activities/agent/answer/human-request.js';

const CODE = 'ab12cd34';

const requestOf = (text: string) => readHumanRequest(text, { stage: 'executing', code: CODE });

describe('what a turn asks a person', () => {
  it('is nothing where it asks nobody', () => {
    expect(requestOf(`Done.\nHUMAN_APPROVAL ${CODE}: NOT_REQUIRED`)).toBeNull();
  });

  it('is an approval with its reason, risk and action', () => {
    expect(requestOf(`HUMAN_APPROVAL ${CODE}: REQUIRED\nREASON: drops a table\nRISK: high\nACTION: look`)).toEqual({
      kind: 'approval',
      reason: 'drops a table',
      risk: 'high',
      action: 'look',
    });
  });

  it('has a reason that can be read, also where it is of control characters alone', () => {
    expect(requestOf(`QUESTION ${CODE}: \u0000`)).toMatchObject({
      kind: 'question',
      reason: 'it says nothing that can be read',
      action: null,
    });
  });

  it.each(['none', 'None.', 'N/A.', 'No questions!', '-'])('is none where its form says %s', (filled) => {
    expect(requestOf(`QUESTION ${CODE}: ${filled}`)).toBeNull();
  });

  it('is the question first, where it asks both', () => {
    expect(requestOf(`QUESTION ${CODE}: Which key?\n\nHUMAN_APPROVAL ${CODE}: REQUIRED`)).toEqual({
      kind: 'question',
      reason: 'Which key?',
      risk: 'medium',
      action: 'Which key?',
    });
  });

  it('is a question with what it is good for', () => {
    expect(requestOf(`QUESTION ${CODE}: Which key?\nREASON: there are two\nRISK: low`)).toMatchObject({
      reason: 'Which key? (there are two)',
      risk: 'low',
      action: 'Which key?',
    });
  });

  it('is one line each, redacted before it is cut', () => {
    const token = `ghp_${'a'.repeat(36)}`;

    const request = requestOf(
      `QUESTION ${CODE}: Is\u0007 ${'x'.repeat(970)} ${token} yours?\nREASON: ${'r'.repeat(400)}`,
    );

    expect(request?.action).toMatch(/^Is x{970} \[redacted:github-token\].*$/);
    expect(request?.reason).toHaveLength(300);
    expect(requestOf(`QUESTION ${CODE}: ${'x'.repeat(985)} ${token}`)?.action).not.toContain('ghp_');
  });
});
