import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findingOfText, readFindings } from '../../../activities/agent/answer/findings-block.js';
import { readResponses } from '../../../activities/agent/answer/responses-block.js';
import { MAX_FINDINGS } from '../../../protocol/limits.js';
import type { Finding } from '../../../protocol/run/finding.js';
import { expectLinearCost } from '../../support/linear-cost.js';

function aFinding(given: Partial<Finding> = {}): Finding {
  return {
    id: 'F1',
    severity: 'high',
    category: 'security',
    claim: 'Arrays are not guarded.',
    evidence: ['src/set.ts:12'],
    recommendation: 'Guard them.',
    ...given,
  };
}

const block = (value: unknown, name = 'findings') =>
  `\`\`\`${name}\n${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n\`\`\``;

describe('the findings of a review', () => {
  it('are read as they were written', () => {
    const findings = [aFinding(), aFinding({ id: 'F2', severity: 'low', category: 'tests' })];

    expect(readFindings(`A summary.\n\n${block(findings)}\n\nDECISION ab12cd34: CHANGES_REQUESTED\n`)).toEqual(
      findings,
    );
  });

  it.each<[string, unknown, Partial<Finding>]>([
    ['an unknown severity is medium', aFinding({ severity: 'critical' as 'high' }), { severity: 'medium' }],
    [
      'severity and category in capitals are known',
      { ...aFinding(), severity: 'LOW', category: ' Tests ' },
      { severity: 'low', category: 'tests' },
    ],
    ['an unknown category is correctness', { ...aFinding(), category: 'style' }, { category: 'correctness' }],
    ['a missing id is the number', { ...aFinding(), id: undefined }, { id: 'F1' }],
    ['a number is an id', { ...aFinding(), id: 7 }, { id: '7' }],
    [
      'an id is one short line',
      { ...aFinding(), id: ` A\n## B${'x'.repeat(100)}` },
      { id: `A ## B${'x'.repeat(53)}…` },
    ],
    ['missing evidence is said', { ...aFinding(), evidence: undefined }, { evidence: ['none given'] }],
    ['empty evidence is said', { ...aFinding(), evidence: [' ', null] }, { evidence: ['none given'] }],
    ['evidence may be one text', { ...aFinding(), evidence: 'npm test' }, { evidence: ['npm test'] }],
    [
      'evidence may be a place',
      { ...aFinding(), evidence: [{ file: 'a.ts', line: 3, deep: {} }] },
      { evidence: ['a.ts:3'] },
    ],
    ['a missing recommendation is said', { ...aFinding(), recommendation: null }, { recommendation: 'none given' }],
    ['a recommendation alone is the claim', { ...aFinding(), claim: '' }, { claim: 'Guard them.' }],
    ['a long text is cut', aFinding({ claim: 'é'.repeat(5000) }), { claim: `${'é'.repeat(1999)}…` }],
  ])('are kept where %s', (_what, entry, expected) => {
    expect(readFindings(block([entry]))).toEqual([aFinding(expected)]);
  });

  it.each<[string, string]>([
    ['a bare text', block(['Arrays are not guarded.'])],
    ['an object around the list', block({ findings: [{ claim: 'Arrays are not guarded.' }] })],
    ['a tilde fence, in a list item', `- ~~~findings\n  [{"claim":"Arrays are not guarded."}]\n  ~~~`],
    ['another word beside the name', block([{ claim: 'Arrays are not guarded.' }], 'json Findings')],
    ['a block that is never closed', '```findings\n[{"claim":"Arrays are not guarded."}]'],
    ['the last of two blocks', `${block([{ claim: 'first' }])}\n${block([{ claim: 'Arrays are not guarded.' }])}`],
  ])('are read from %s', (_what, text) => {
    expect(readFindings(text).map(({ claim }) => claim)).toEqual(['Arrays are not guarded.']);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['prose', 'F1: high. Arrays are not guarded.'],
    ['a block of another name', block([aFinding()], 'json')],
    ['what is no JSON', block('[{"id": "F1", ]')],
    ['JSON that is no list', block('"F1"')],
    ['an empty list', block([])],
    ['entries that claim nothing', block([null, 7, [], {}, { id: 'F1', severity: 'high' }])],
    [
      'an echo of the template',
      block([{ id: 'F1', severity: '<low>', claim: '<what is wrong>', recommendation: '<what to do>' }]),
    ],
    ['a quoted block', block([aFinding()]).replace(/^/gm, '> ')],
    ['a block inside another fence', `~~~text\n${block([aFinding()])}\n~~~`],
    ['a last block that is broken', `${block([aFinding()])}\n${block('[{')}`],
  ])('are none in %s', (_what, text) => {
    expect(readFindings(text)).toEqual([]);
  });

  it('keep ids apart', () => {
    const ids = ['F1', 'F1', 'F1', 'F1-2', undefined, 'F5'].map((id) => ({ ...aFinding(), id }));

    expect(readFindings(block(ids)).map(({ id }) => id)).toEqual(['F1', 'F1-2', 'F1-3', 'F1-2-2', 'F5', 'F5-2']);
  });

  it('are at most so many', () => {
    const many = Array.from({ length: 10_000 }, () => aFinding());

    expect(new Set(readFindings(block(many)).map(({ id }) => id)).size).toBe(MAX_FINDINGS);
  });

  it.each(['```findings\n', '[', '{"findings":', '```', '- ~~~findings\n  ', '\\', '"'])(
    'are looked for in a megabyte of %j at a cost that grows with the length',
    (piece) => {
      expectLinearCost(1_000_000, (length) => {
        expect(readFindings(`\`\`\`findings\n${piece.repeat(length / piece.length)}`)).toEqual([]);
      });
    },
  );

  it('are whole whatever JSON stands there', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.constant('{"claim":"x","id":"a"}'))), (entries) => {
        for (const finding of readFindings(block(`[${entries.join(',')}]`))) {
          expect(finding.claim).not.toBe('');
          expect(finding.evidence.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe('a review that asks for changes and lists none', () => {
  it('is itself the finding, without its decision line', () => {
    const finding = findingOfText('The loop never ends.\n\nDECISION ab12cd34: CHANGES_REQUESTED\n', 'ab12cd34');

    expect(finding).toMatchObject({
      id: 'F1',
      severity: 'medium',
      category: 'correctness',
      claim: 'The loop never ends.',
    });
  });

  it('is cut where it is long, and said to be empty where it is', () => {
    expect(findingOfText('x'.repeat(9000), 'ab12cd34').claim).toHaveLength(2000);
    expect(findingOfText('DECISION ab12cd34: CHANGES_REQUESTED', 'ab12cd34').claim).toContain('does not say which');
  });
});

describe('the answers of a fixer', () => {
  const findings = [aFinding(), aFinding({ id: 'F2' })];

  it('are read by id and disposition', () => {
    const responses = [
      { id: 'F1', disposition: 'fix', rationale: 'Guarded.' },
      { id: 'F2', disposition: 'needs-human', rationale: 'Who decides?' },
    ];

    expect(readResponses(`Done.\n${block(responses, 'responses')}`, findings)).toEqual(responses);
  });

  it('are the finding’s in any case, and the last one of an id', () => {
    const entries = [
      { id: 'f1', disposition: 'defer' },
      { id: 'F1', disposition: 'Rebutted', rationale: 'It cannot happen.' },
      { id: 'f2', disposition: 'NEEDS_HUMAN' },
    ];

    expect(readResponses(block(entries, 'responses'), findings)).toEqual([
      { id: 'F1', disposition: 'rebut', rationale: 'It cannot happen.' },
      { id: 'F2', disposition: 'needs-human', rationale: 'none given' },
    ]);
  });

  it.each<[string, unknown]>([
    ['no id', { disposition: 'fix' }],
    ['no disposition', { id: 'F1' }],
    ['an unknown one', { id: 'F1', disposition: 'maybe' }],
    ['the template’s', { id: '<id>', disposition: 'fix' }],
  ])('do not count with %s', (_what, entry) => {
    expect(readResponses(block([entry], 'responses'), findings)).toEqual([]);
  });
});
