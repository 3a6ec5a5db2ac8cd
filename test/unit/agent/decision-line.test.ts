import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decisionTemplate,
  readDecision,
  readHumanApproval,
  readQuestion,
  requestTemplate,
} from '../../../activities/agent/answer/decision-line.js';
import { type DecisionReading, REVIEW_DECISIONS, VERIFICATION_DECISIONS } from '../../../protocol/run/outcomes.js';
import { expectLinearCost } from '../../support/linear-cost.js';

const CODE = 'ab12cd34';
const REVIEW = { stage: 'reviewing', code: CODE } as const;
const VERIFY = { stage: 'verifying', code: CODE } as const;

const UNREADABLE: DecisionReading = { kind: 'unreadable' };
const review = (value: (typeof REVIEW_DECISIONS)[number]): DecisionReading => ({ kind: 'review', value });

describe('a review decision', () => {
  it.each([
    ['a plain line', `DECISION ${CODE}: APPROVED`],
    ['a bold line in other case with a full stop', `**Decision ${CODE}: Approved.**`],
    ['bold marks around the value', `DECISION ${CODE}: **APPROVED**`],
    ['bold marks and a full stop behind them', `Decision ${CODE}: **approved**.`],
    ['bold marks around the label', `**DECISION ${CODE}:** APPROVED`],
    ['underscored bold marks', `__DECISION ${CODE}: APPROVED__`],
    ['a code in capitals', `DECISION ${CODE.toUpperCase()}: APPROVED`],
    ['Windows line ends', `Fine.\r\nDECISION ${CODE}: APPROVED\r\n`],
    ['text after the line', `DECISION ${CODE}: APPROVED\n\nThanks.`],
    ['a closed fence before it', `\`\`\`\nx\n\`\`\`\nDECISION ${CODE}: APPROVED`],
    ['a template that is echoed behind it', `DECISION ${CODE}: APPROVED\n${decisionTemplate(REVIEW)}`],
    ['an earlier other value', `DECISION ${CODE}: BLOCKED\nNo, wait.\nDECISION ${CODE}: APPROVED`],
    ['a later value of another code', `DECISION ${CODE}: APPROVED\nDECISION 00000000: BLOCKED`],
    ['a fenced example behind it', `DECISION ${CODE}: APPROVED\n~~~\nDECISION ${CODE}: BLOCKED\n~~~`],
  ])('is read from %s', (_what, text) => {
    expect(readDecision(text, REVIEW)).toEqual(review('APPROVED'));
  });

  it.each([
    ['nothing', ''],
    ['no code', 'DECISION: APPROVED'],
    ['another code', 'DECISION 00000000: APPROVED'],
    ['a longer code', `DECISION ${CODE}0: APPROVED`],
    ['the template alone', decisionTemplate(REVIEW)],
    ['two of the three values', `DECISION ${CODE}: APPROVED | BLOCKED`],
    ['a value with words behind it', `DECISION ${CODE}: APPROVED with remarks`],
    ['an unknown value', `DECISION ${CODE}: LGTM`],
    ['words before it', `My DECISION ${CODE}: APPROVED`],
    ['a list item', `- DECISION ${CODE}: APPROVED`],
    ['a block quote', `> DECISION ${CODE}: APPROVED`],
    ['indented code', `    DECISION ${CODE}: APPROVED`],
    ['a code fence', `\`\`\`\nDECISION ${CODE}: APPROVED\n\`\`\``],
    ['a tilde fence', `~~~text\nDECISION ${CODE}: APPROVED\n~~~`],
    ['an unclosed fence', `\`\`\`\nDECISION ${CODE}: APPROVED`],
    ['a fence that holds a shorter one', `\`\`\`\`\n\`\`\`\nDECISION ${CODE}: APPROVED\n\`\`\`\n\`\`\`\``],
    ['a fence that holds one of the other kind', `~~~\n\`\`\`\nDECISION ${CODE}: APPROVED\n~~~`],
    ['a fence in a list item', `- \`\`\`\n  x\nDECISION ${CODE}: APPROVED\n  \`\`\``],
    ['a fence that a mark with words does not close', `\`\`\`\n\`\`\` js\nDECISION ${CODE}: APPROVED\n\`\`\``],
    ['a verification line', `VERIFICATION ${CODE}: PASSED`],
    ['a verification value', `DECISION ${CODE}: PASSED`],
    [
      'a later line that takes it back unclearly',
      `DECISION ${CODE}: APPROVED\nDECISION ${CODE}: BLOCKED because it leaks`,
    ],
  ])('is unreadable from %s', (_what, text) => {
    expect(readDecision(text, REVIEW)).toEqual(UNREADABLE);
  });

  it('is the value below an echoed template', () => {
    const text = `${decisionTemplate(REVIEW)}\n\nDECISION ${CODE}: BLOCKED\n`;

    expect(readDecision(text, REVIEW)).toEqual(review('BLOCKED'));
  });
});

describe('a verification decision', () => {
  it.each(VERIFICATION_DECISIONS)('%s is read from its line', (value) => {
    expect(readDecision(`ok\nVerification ${CODE}: ${value.toLowerCase()}.`, VERIFY)).toEqual({
      kind: 'verification',
      value,
    });
  });

  it('is not read from a review line', () => {
    expect(readDecision(`DECISION ${CODE}: APPROVED`, VERIFY)).toEqual(UNREADABLE);
  });
});

describe('any text', () => {
  const values = fc.constantFrom(...REVIEW_DECISIONS);
  const codes = fc.stringMatching(/^[0-9a-f]{8}$/);
  const piece = fc.constantFrom(
    'DECISION',
    'decision',
    ' ',
    ':',
    CODE,
    'APPROVED',
    'BLOCKED',
    '|',
    '**',
    '__',
    '.',
    '\n',
    '```',
    '> ',
    '- ',
    'x',
  );

  it('gives back the value whose line ends it', () => {
    fc.assert(
      fc.property(fc.array(fc.lorem()), codes, values, (paragraphs, code, value) => {
        const text = [...paragraphs, `DECISION ${code}: ${value}`].join('\n');

        expect(readDecision(text, { stage: 'reviewing', code })).toEqual(review(value));
      }),
    );
  });

  it('never decides without a line of the exact form', () => {
    const exact = new RegExp(
      `^ {0,3}[*_]*DECISION[*_]* +[*_]*${CODE}[*_]* *:[*_ ]*(?:APPROVED|BLOCKED)[*_]*\\.?[*_]* *$`,
      'im',
    );

    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');

        if (readDecision(text, REVIEW).kind !== 'unreadable') expect(text).toMatch(exact);
      }),
      { numRuns: 20_000 },
    );
  });

  it('never decides with another code than the one in it', () => {
    fc.assert(
      fc.property(fc.string(), values, (noise, value) => {
        expect(readDecision(`${noise}\nDECISION 00000000: ${value}\n${noise}`, REVIEW)).toEqual(UNREADABLE);
      }),
    );
  });

  it.each(['_', '`', ' ', '\n'])('of a megabyte of %j is read at a cost that grows with the length', (character) => {
    expectLinearCost(1_000_000, (length) => {
      const noise = character.repeat(length);

      expect(readDecision(`DECISION ${CODE}: ${noise}x\nREASON: ${noise}x`, REVIEW)).toEqual(UNREADABLE);
      expect(readHumanApproval(`HUMAN_APPROVAL ${CODE}: REQUIRED\nREASON: ${noise}x`, CODE).kind).toBe('required');
      expect(readQuestion(`QUESTION ${CODE}: y${noise}x`, CODE).kind).toBe('asked');
    });
  });
});

describe('a call for a person', () => {
  it('carries reason, risk and action from the lines below it', () => {
    const text = `HUMAN_APPROVAL ${CODE}: REQUIRED\n**Reason:** drops a table\nRISK: High\nACTION: look at the migration\n\nREASON: not this`;

    expect(readHumanApproval(text, CODE)).toEqual({
      kind: 'required',
      reason: 'drops a table',
      risk: 'high',
      action: 'look at the migration',
    });
  });

  it('has medium risk and no reason where the turn does not say', () => {
    expect(readHumanApproval(`**Human_Approval ${CODE}: required.**\nRISK: enormous`, CODE)).toEqual({
      kind: 'required',
      reason: null,
      risk: 'medium',
      action: null,
    });
  });

  it.each([
    ['no line', 'fine'],
    ['another code', 'HUMAN_APPROVAL 00000000: REQUIRED'],
    ['a template', requestTemplate(CODE)],
    ['a code fence', `\`\`\`\nHUMAN_APPROVAL ${CODE}: REQUIRED\n\`\`\``],
    ['a quoted line', `> HUMAN_APPROVAL ${CODE}: REQUIRED`],
    ['a line that says no', `HUMAN_APPROVAL ${CODE}: REQUIRED\nHUMAN_APPROVAL ${CODE}: NOT_REQUIRED`],
  ])('is not heard from %s', (_what, text) => {
    expect(readHumanApproval(text, CODE)).toEqual({ kind: 'none' });
  });
});

describe('a question', () => {
  it.each([
    ['a plain line', `QUESTION ${CODE}: Which key?`],
    ['a bold line in other case', `**Question ${CODE}: Which key?**`],
    ['bold marks around the label', `**QUESTION ${CODE}:** Which key?`],
    ['a template that is echoed behind it', `QUESTION ${CODE}: Which key?\n${requestTemplate(CODE)}`],
    ['an earlier other one', `QUESTION ${CODE}: Which file?\nQUESTION ${CODE}: Which key?`],
  ])('is read from %s, as it was written', (_what, text) => {
    expect(readQuestion(text, CODE)).toEqual({ kind: 'asked', question: 'Which key?', reason: null, risk: 'medium' });
  });

  it('carries reason and risk from the lines below it', () => {
    expect(readQuestion(`QUESTION ${CODE}: Which key?\nREASON: there are two\nRISK: low`, CODE)).toEqual({
      kind: 'asked',
      question: 'Which key?',
      reason: 'there are two',
      risk: 'low',
    });
  });

  it.each([
    ['nothing', ''],
    ['the template', requestTemplate(CODE)],
    [
      'a template that was filled in above',
      `${requestTemplate(CODE).replace('REQUIRED | NOT_REQUIRED', 'NOT_REQUIRED')}`,
    ],
    ['an empty line', `QUESTION ${CODE}:   `],
    ['a form that was filled in', `QUESTION ${CODE}: none`],
    ['a question that is taken back', `QUESTION ${CODE}: Which key?\nQUESTION ${CODE}: N/A`],
    ['another code', 'QUESTION 00000000: Which key?'],
    ['no code', 'QUESTION: Which key?'],
    ['a quoted line', `> QUESTION ${CODE}: Which key?`],
    ['a code fence', `\`\`\`\nQUESTION ${CODE}: Which key?\n\`\`\``],
    ['words before it', `My QUESTION ${CODE}: Which key?`],
  ])('is not heard from %s', (_what, text) => {
    expect(readQuestion(text, CODE)).toEqual({ kind: 'none' });
  });
});
