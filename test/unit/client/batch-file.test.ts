import { describe, expect, it } from '@jest/globals';
import { type BatchFile, parseBatchFile } from '../../../client/batch-file.js';
import { MAX_BATCH_TASKS } from '../../../protocol/limits.js';

const parse = (text: string): BatchFile => parseBatchFile(Buffer.from(text), 'tasks.jsonl');

describe('the file of a batch', () => {
  it('is one object a line, with the numbers that an editor shows; empty lines, a byte order mark and CRLF do not matter', () => {
    const file = parse('\uFEFF{"task":"one"}\r\n\n  \n{"task":"two","repo":"sub","base":"main"}');

    expect(file).toEqual({
      kind: 'ok',
      lines: [
        { line: 1, fields: { task: 'one' } },
        { line: 4, fields: { task: 'two', repo: 'sub', base: 'main' } },
      ],
    });
  });

  it.each([
    ['no JSON at all', '{"task":"one"}\nfix the parser\n', 2, 2],
    ['a wrong token', '{"task":"one",}', 1, 15],
    ['a missing comma', '{"task":"one" "repo":"x"}', 1, 15],
    ['an open object', '{"task":"one"', 1, 14],
    ['an open text', '{"task":"one', 1, 13],
    ['two objects', '{"task":"one"}{"task":"two"}', 1, 15],
    ['single quotes', "{'task':'one'}", 1, 2],
    ['a list', '["one"]', 1, 1],
    ['a text', '"one"', 1, 1],
    ['null', 'null', 1, 1],
    ['no task', '{"repo":"x"}', 1, 1],
    ['an empty task', '{"repo":"x","task":" "}', 1, 13],
    ['an unknown field', '{"task":"one","colour":"red"}', 1, 15],
    ['a wrong type', '{"task":"one", "attended":"no"}', 1, 16],
    ['a wrong repository', '{"task":"one","repo":7}', 1, 15],
    [
      'an unknown field whose name a text has',
      String.raw`{"task":"say \"colour\"","title":"colour","colour":"red"}`,
      1,
      43,
    ],
    ['a wrong field whose name an object inside has', '{"task":"one","policy":{"attended":1},"attended":"no"}', 1, 39],
    ['a field that is right first and wrong again', '{"attended":true,"task":"one","attended":"no"}', 1, 31],
    ['an unknown field behind blanks', '\t {"task":"ü😀","colour":1}', 1, 17],
    ['an unknown field of a long name', `{"task":"one","${'x'.repeat(70)}":1}`, 1, 15],
    ['no task in the whole file', '\n\n', 1, 1],
  ])('with %s is refused at its line and column', (_name, text, line, column) => {
    expect(parse(text)).toMatchObject({ kind: 'bad', at: `tasks.jsonl:${line}:${column}` });
  });

  it.each([
    [
      'Latin-1',
      Buffer.concat([Buffer.from('{"task":"one"}\n{"task":"gr'), Buffer.from([0xfc]), Buffer.from('n"}\n')]),
      2,
      12,
    ],
    ['UTF-16', Buffer.from('\uFEFF{"task":"one"}', 'utf16le'), 1, 1],
    ['UTF-8 that is cut off', Buffer.from('{"task":"one"}\n{"task":"ü').subarray(0, -1), 2, 10],
  ])('in %s is refused where it is no UTF-8', (_name, bytes, line, column) => {
    expect(parseBatchFile(bytes, 'tasks.jsonl')).toMatchObject({
      kind: 'bad',
      at: `tasks.jsonl:${line}:${column}`,
      what: 'the text is no UTF-8',
    });
  });

  it('with more tasks than a batch takes is refused at the first that is too many', () => {
    const text = '{"task":"one"}\n'.repeat(MAX_BATCH_TASKS + 1);

    expect(parse(text)).toMatchObject({ kind: 'bad', at: `tasks.jsonl:${MAX_BATCH_TASKS + 1}:1` });
  });
});
