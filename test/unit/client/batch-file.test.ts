import { describe, expect, it } from '@jest/globals';
import { parseBatchFile } from '../../../client/batch-file.js';
import { MAX_BATCH_TASKS } from '../../../protocol/limits.js';

describe('the file of a batch', () => {
  it('is one object a line, with the numbers that an editor shows; empty lines, a byte order mark and CRLF do not matter', () => {
    const file = parseBatchFile('\uFEFF{"task":"one"}\r\n\n  \n{"task":"two","repo":"sub","base":"main"}', 'tasks.jsonl');

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
    ['no task in the whole file', '\n\n', 1, 1],
  ])('with %s is refused at its line and column', (_name, text, line, column) => {
    expect(parseBatchFile(text, 'tasks.jsonl')).toMatchObject({ kind: 'bad', at: `tasks.jsonl:${line}:${column}` });
  });

  it('with more tasks than a batch takes is refused at the first that is too many', () => {
    const text = '{"task":"one"}\n'.repeat(MAX_BATCH_TASKS + 1);

    expect(parseBatchFile(text, 'tasks.jsonl')).toMatchObject({ kind: 'bad', at: `tasks.jsonl:${MAX_BATCH_TASKS + 1}:1` });
  });
});
