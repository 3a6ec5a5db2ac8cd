/** Any text that an agent may answer: reading it never throws, one line alone decides, and the time grows with the length. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFences } from '../../../activities/agent/answer/code-fences.js';
import { decisionTemplate, readDecision, requestTemplate } from '../../../activities/agent/answer/decision-line.js';
import { FINDINGS_BLOCK, findingOfText, readFindings } from '../../../activities/agent/answer/findings-block.js';
import { readHumanRequest } from '../../../activities/agent/answer/human-request.js';
import { RESPONSES_BLOCK, readResponses } from '../../../activities/agent/answer/responses-block.js';
import { composePrompt } from '../../../activities/agent/prompts/compose-prompt.js';
import { MAX_FINDINGS, MAX_SENTENCE_CHARS } from '../../../protocol/limits.js';
import { DISPOSITIONS, FINDING_CATEGORIES, SEVERITIES } from '../../../protocol/run/finding.js';
import { REVIEW_DECISIONS, VERIFICATION_DECISIONS } from '../../../protocol/run/outcomes.js';
import type { DecisionStage, TurnStage } from '../../../protocol/run/stages.js';
import { expectLinearCost } from '../../support/linear-cost.js';
import { aPromptInput, CODE } from './prompt-builder.js';

const VALUES = { reviewing: REVIEW_DECISIONS, verifying: VERIFICATION_DECISIONS } as const;
const KEYWORDS = { reviewing: 'DECISION', verifying: 'VERIFICATION' } as const;

const stage = fc.constantFrom<DecisionStage>('reviewing', 'verifying');
const decided = stage.chain((asked) => fc.constantFrom<string>(...VALUES[asked]).map((value) => ({ asked, value })));

/** Words of the lines that decide, marks of Markdown, and anything else. */
const piece = fc.oneof(
  fc.constantFrom(
    'DECISION',
    'VERIFICATION',
    'HUMAN_APPROVAL',
    'QUESTION',
    'REASON: ',
    'RISK: high',
    'REQUIRED',
    CODE,
    ` ${CODE}: `,
    ':',
    '|',
  ),
  fc.constantFrom(
    '```',
    '~~~',
    '````findings',
    '```responses',
    '\n',
    '\r\n',
    '\r',
    '> ',
    '- ',
    '    ',
    '**',
    '__',
    '.',
    '<',
    '>',
    '[',
    '{',
    '"',
  ),
  fc.constantFrom<string>(
    ...REVIEW_DECISIONS,
    ...VERIFICATION_DECISIONS,
    '\u2028',
    '\0',
    '\ud83d',
    '\u200b',
    'ＤＥＣＩＳＩＯＮ',
  ),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
/** Lines that open no fence and know no code. */
const plainLines = anyText.map((text) => text.replaceAll(CODE, 'another').replace(/`{3,}|~{3,}/g, '..'));

const FINDING = {
  id: 'F1',
  severity: 'low',
  category: 'tests',
  claim: 'c',
  evidence: ['e'],
  recommendation: 'r',
} as const;

describe('a decision', () => {
  it('is the value of its line, whatever is written around it', () => {
    fc.assert(
      fc.property(decided, plainLines, plainLines, ({ asked, value }, before, after) => {
        const text = `${before}\n${KEYWORDS[asked]} ${CODE}: ${value}\n${after}`;

        expect(readDecision(text, { stage: asked, code: CODE })).toMatchObject({ value });
      }),
      { numRuns: 300 },
    );
  });

  it('is none where a line names more than one value, a part of one, or one of the other stage', () => {
    const values = fc.constantFrom<string>(...REVIEW_DECISIONS, ...VERIFICATION_DECISIONS);
    const between = fc.constantFrom(' | ', '|', ' ', ', ', ' or ', '/', '. ', ' ** ', '\t', '\u2028', '');
    fc.assert(
      fc.property(
        stage,
        fc.array(values, { minLength: 2, maxLength: 4 }),
        between,
        fc.nat(),
        (asked, named, by, cut) => {
          const line = `${KEYWORDS[asked]} ${CODE}: ${named.join(by)}`;
          const other = `${KEYWORDS[asked]} ${CODE}: ${VALUES[asked === 'reviewing' ? 'verifying' : 'reviewing'][0]}`;
          const part = `${KEYWORDS[asked]} ${CODE}: ${VALUES[asked][0].slice(0, 1 + (cut % (VALUES[asked][0].length - 1)))}`;

          for (const text of [line, other, part])
            expect(readDecision(text, { stage: asked, code: CODE }).kind).toBe('unreadable');
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is never made by an echo of its prompt, whole or by the line, and neither is a call for a person or a finding', () => {
    const echo = fc.constantFrom(
      (line: string) => line,
      (line: string) => `> ${line}`,
      (line: string) => `  ${line}`,
      (line: string) => `${line}\r`,
      (line: string) => `**${line}**`,
      (line: string) => `- ${line}`,
    );
    fc.assert(
      fc.property(stage, plainLines, plainLines, echo, fc.boolean(), (asked, task, plan, echoed, isAgain) => {
        const prompt = composePrompt(
          aPromptInput({ stage: asked, task, plan, ask: isAgain ? 'decision' : 'work', previousOutput: plan }),
        ).text;
        const text = prompt.split('\n').map(echoed).join('\n');

        expect(prompt).toContain(decisionTemplate({ stage: asked, code: CODE }));
        expect(isAgain || prompt.includes(requestTemplate(CODE))).toBe(true);
        expect(readDecision(text, { stage: asked, code: CODE }).kind).toBe('unreadable');
        expect(readHumanRequest(text, { stage: asked, code: CODE })).toBeNull();
        expect(readFindings(text)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('any answer', () => {
  const stages = fc.constantFrom<TurnStage>('planning', 'executing', 'reviewing', 'fixing');

  it('is read without an error, into values of the right form', () => {
    fc.assert(
      fc.property(anyText, stages, (text, asked) => {
        const request = readHumanRequest(text, { stage: asked, code: CODE });
        if (request !== null) {
          expect(['approval', 'question']).toContain(request.kind);
          expect(request.reason).not.toMatch(/[\n\r\p{Cc}]/u);
          expect(request.reason.length).toBeLessThanOrEqual(MAX_SENTENCE_CHARS);
          expect(request.reason.trim()).not.toBe('');
        }
        expect(findingOfText(text, CODE).claim).not.toBe('');
        expect(readDecision(text, { stage: 'reviewing', code: CODE }).kind).toMatch(/^(?:review|unreadable)$/);
      }),
      { numRuns: 500 },
    );
  });

  it('gives findings and responses of the right form, whatever its blocks hold', () => {
    const entry = fc.oneof(
      fc.record(
        {
          id: fc.anything(),
          severity: fc.anything(),
          claim: fc.oneof(fc.string(), fc.anything()),
          disposition: fc.constantFrom(...DISPOSITIONS, 'no'),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), anyText, (entries, around) => {
        const list = JSON.stringify(entries, (_key, value: unknown) =>
          typeof value === 'bigint' ? `${value}` : value,
        );
        const text = (name: string) => `${around.replace(/`{3,}|~{3,}/g, '..')}\n\`\`\`${name}\n${list}\n\`\`\``;
        const findings = readFindings(text(FINDINGS_BLOCK));
        const responses = readResponses(text(RESPONSES_BLOCK), [FINDING]);

        expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
        expect(Math.max(findings.length, responses.length)).toBeLessThanOrEqual(MAX_FINDINGS);
        for (const finding of findings) {
          expect(SEVERITIES).toContain(finding.severity);
          expect(FINDING_CATEGORIES).toContain(finding.category);
          expect(
            [finding.id, finding.claim, finding.recommendation, ...finding.evidence].filter(
              (part) => part.trim() === '',
            ),
          ).toEqual([]);
        }
        for (const { disposition } of responses) expect(DISPOSITIONS).toContain(disposition);
      }),
      { numRuns: 200 },
    );
  });

  it('falls into plain lines and blocks, and nothing of it gets lost between them', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { plain, blocks } = readFences(text);
        const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
        const kept = [...plain, ...blocks.flatMap(({ content }) => content.split('\n'))];

        expect(lines.filter((line) => line !== '' && !kept.includes(line) && !/`{3,}|~{3,}/.test(line))).toEqual([]);
        expect(plain.every((line) => lines.includes(line))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    `QUESTION ${CODE}: x`,
    `HUMAN_APPROVAL ${CODE}: REQUIRED`,
    `DECISION ${CODE}: APPROVED`,
    '*_',
    '> ',
    '<x',
    '```\n~~~\n',
  ])('of a megabyte of %j is read at a cost that grows with the length', (nasty) => {
    expectLinearCost(1_000_000, (length) => {
      const once = nasty.repeat(Math.ceil(length / nasty.length));
      for (const text of [
        once,
        `${nasty}\n`.repeat(Math.ceil(length / 2 / nasty.length)),
        `QUESTION ${CODE}: ${once}\nREASON: ${once}`,
      ]) {
        readDecision(text, { stage: 'reviewing', code: CODE });
        readHumanRequest(text, { stage: 'reviewing', code: CODE });
        readFindings(`\`\`\`findings\n${text}`);
        readResponses(`\`\`\`responses\n${text}`, [FINDING]);
        findingOfText(text, CODE);
      }
    });
  });
});
