/** The file of a batch, whatever its bytes are. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBatchFile } from '../../../client/batch-file.js';

const FILE = 'tasks.jsonl';
const bytesOf = (text: string) => new TextEncoder().encode(text);
const task = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '');
const fields = fc.record(
  {
    task,
    title: task,
    base: fc.constantFrom('main', 'next'),
    attended: fc.boolean(),
    repo: fc.constantFrom('/repo', 'here'),
  },
  { requiredKeys: ['task'] },
);

describe('a batch file', () => {
  it('gives back each task with the number of its line, whatever stands between them', () => {
    const gap = fc.constantFrom('', '\n', '\r\n', '  \n', '\n\t\n');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(gap, fields), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        fc.constantFrom('\n', '\r\n'),
        (given, hasMark, end) => {
          const text = given.map(([before, one]) => `${before}${JSON.stringify(one)}${end}`).join('');
          const file = parseBatchFile(bytesOf((hasMark ? '\ufeff' : '') + text), FILE);

          const lines = text.split('\n');
          expect(file).toEqual({ kind: 'ok', lines: expect.anything() });
          if (file.kind === 'bad') return;
          expect(file.lines.map((line) => line.fields)).toEqual(given.map(([, one]) => one));
          for (const { line, fields: read } of file.lines) expect(JSON.parse(lines[line - 1] ?? '')).toEqual(read);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('of any bytes is read, or refused at a line and column that it has', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '{"task":"x"}',
        '{"task":',
        '"x"',
        '}',
        '\n',
        '[]',
        '{}',
        '{"task":"x","colour":1}',
        '{"task":7}',
        '\ud800',
        '\u2028',
        '\0',
        ',',
      ),
      fc.string({ maxLength: 6 }),
    );
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => bytesOf(pieces.join(''))),
      fc.uint8Array({ maxLength: 60 }),
      fc
        .tuple(fc.array(piece, { maxLength: 6 }), fc.uint8Array({ maxLength: 6 }))
        .map(([pieces, tail]) => Uint8Array.of(...bytesOf(pieces.join('')), ...tail)),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        const file = parseBatchFile(given, FILE);

        if (file.kind === 'ok') {
          expect(file.lines.length).toBeGreaterThan(0);
          for (const line of file.lines) expect(typeof line.fields['task']).toBe('string');
          return;
        }
        const [, line = '0', column = '0'] = /^tasks\.jsonl:([1-9]\d*):([1-9]\d*)$/.exec(file.at) ?? [];
        const lines = new TextDecoder('utf-8').decode(given).split('\n');
        expect(Number(line)).toBeLessThanOrEqual(lines.length);
        expect(Number(column)).toBeLessThanOrEqual((lines[Number(line) - 1] ?? '').length + 1);
        expect([file.what, file.why]).not.toContain('');
      }),
      { numRuns: 600 },
    );
  });
});
