/** Run ids and start inputs of any form: what is taken is safe to name files, branches and workflows by. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkRunInput, titleOf } from '../../../protocol/messages/run-input.js';
import { isRunId, makeRunId, runIdOfWorkflow } from '../../../protocol/run/run-id.js';

const idPiece = fc.oneof(
  fc.constantFrom(
    'a',
    'Z',
    '9',
    '-',
    '_',
    '.',
    '..',
    '.lock',
    '.LOCK',
    '/',
    '\\',
    '\0',
    '\n',
    ' ',
    '@{',
    '~',
    '^',
    ':',
    '*',
    '[',
    'é',
    'а',
    '․',
    '．',
    '\u200b',
  ),
  fc.string({ maxLength: 4 }),
);
const nearlyId = fc.stringMatching(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,4}(?:\.lock|\.LOCK|\.Lock|\.lock\.a|\.|\.\.a|\n|\/a)?$/,
);
const anyId = fc.oneof(
  nearlyId,
  fc.array(idPiece, { maxLength: 8 }).map((pieces) => pieces.join('')),
);

describe('a run id', () => {
  it('is one plain word: no way up, no separator, no option, no hidden file, no lock of git, no look-alike', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        if (!isRunId(id)) return;
        expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/);
        expect(id).not.toMatch(/\.\.|\.$|\.lock$/i);
      }),
      { numRuns: 2000 },
    );
  });

  it('is no other thing than a text', () => {
    fc.assert(fc.property(fc.anything(), (value) => typeof value === 'string' || !isRunId(value)));
  });

  it('names a branch that git takes', () => {
    const ids = fc.sample(fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.[A-Za-z0-9]){0,20}$/), 15).filter(isRunId);
    for (const id of [...ids, 'a', 'a.b-_9', 'x'.repeat(80)]) {
      expect(isRunId(id)).toBe(true);
      execFileSync('git', ['check-ref-format', `refs/heads/sluice/${id}`]);
    }
  });

  it.each([
    ['Fix the prototype pollution in setKey', 'fix-prototype-pollution-setkey-aaaa'],
    ['  mend src/parse.ts\nso that its tests pass', 'mend-src-parse-ts-aaaa'],
    ['Ändere die Länge', 'andere-die-lange-aaaa'],
    ['修复测试', 'run-aaaa'],
    ['', 'run-aaaa'],
    ['push with ghp_abcdefghij0123456789abcdefghij', 'push-aaaa'],
    ['revert 0123456789abcdef0123456789abcdef01234567', 'revert-aaaa'],
  ])('says what it is about: %j', (task, id) => {
    expect(makeRunId(task, () => 0)).toBe(id);
  });

  it('is made of any task, and stays one when a schedule has put a time behind its workflow id', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.string({ unit: 'grapheme', maxLength: 300 })),
        fc.date({ min: new Date(0), max: new Date('2099-01-01'), noInvalidDate: true }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (task, now, random) => {
          const id = makeRunId(task, () => random);

          expect([id, isRunId(id)]).toEqual([id, true]);
          expect(id).toMatch(/^(?:[a-z0-9]{1,16}-){1,4}[a-z]{4}$/);
          const scheduled = runIdOfWorkflow(`nightly-${now.toISOString().replace('.000', '')}`);
          expect([scheduled, isRunId(scheduled)]).toEqual([scheduled, true]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

const FINDING = {
  id: 'L1',
  severity: 'high',
  category: 'correctness',
  claim: 'main says otherwise',
  evidence: ['a.txt'],
  recommendation: 'keep both',
};
const ONTO = { base: 'a'.repeat(40), start: 'b'.repeat(40) };

describe('a start input', () => {
  it('may say what a fix is to mend, and from which commit', () => {
    const input = {
      task: 'do it',
      repo: '/repo',
      rewind: { runId: 'shop-1', stage: 'fixing', findings: [FINDING], onto: ONTO },
    };

    expect(checkRunInput(input)).toEqual({ kind: 'ok', input });
  });

  const field = fc.oneof(
    fc.string(),
    fc.constantFrom('/repo', '/re\0po', 'relative', '  ', 'run-1', '../up'),
    fc.anything(),
  );
  const nearly = fc.dictionary(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.constantFrom(
          'task',
          'repo',
          'title',
          'base',
          'host',
          'policy',
          'attended',
          'rewind',
          'preset',
          'owner',
        ),
      },
      fc.string(),
    ),
    field,
  );

  it('of any form is taken with what it means, or refused by the name of a field', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          nearly,
          nearly.map((input) => ({ ...input, task: 'do it', repo: '/repo' })),
        ),
        (value) => {
          const check = checkRunInput(value);

          if (check.kind === 'bad') {
            expect(typeof check.field).toBe('string');
            expect(check.message).not.toBe('');
            expect(check.message.length).toBeLessThan(1000);
            return;
          }
          const { input } = check;
          expect(input.task.trim()).not.toBe('');
          expect(input.repo).toMatch(/^\/[^\0]*$/);
          expect(titleOf(input)).not.toMatch(/[\r\n]/);
          expect(checkRunInput(input)).toEqual(check);
          expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['attended', 'yes'],
    ['attended', null],
    ['title', 7],
    ['host', ''],
    ['owner', 7],
    ['owner', ''],
    ['owner', 'o'.repeat(1001)],
    ['policy', 'strict'],
    ['rewind', { runId: 'shop-1', stage: 'merging' }],
    ['rewind', { runId: 'shop-1', findings: [FINDING] }],
    ['rewind', { runId: 'shop-1', stage: 'executing', findings: [FINDING] }],
    ['rewind', { runId: 'shop-1', stage: 'fixing', findings: [] }],
    ['rewind', { runId: 'shop-1', stage: 'fixing', findings: [FINDING, FINDING] }],
    ['rewind', { runId: 'shop-1', stage: 'fixing', findings: [{ ...FINDING, evidence: [] }] }],
    ['rewind', { runId: 'shop-1', stage: 'fixing', findings: [{ ...FINDING, severity: 'worst' }] }],
    ['rewind', { runId: 'shop-1', onto: ONTO }],
    ['rewind', { runId: 'shop-1', stage: 'fixing', onto: { ...ONTO, start: 'main' } }],
    ['rewind', { runId: 'shop-1', stage: 'fixing', onto: { base: ONTO.base } }],
    ['repo', 'relative'],
    ['repo', '/re\0po'],
    ['task', ' \n'],
  ])('is refused by the field %s that is %j', (name, value) => {
    expect(checkRunInput({ task: 'do it', repo: '/repo', [name]: value })).toMatchObject({ kind: 'bad', field: name });
  });
});
