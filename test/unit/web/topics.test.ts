/** What a stream may be asked for. */
import { describe, expect, it } from '@jest/globals';
import { readTopics, TOPIC_FORMS } from '../../../client/http/topics.js';

describe('topics', () => {
  it('stand in the address, a run with where the reader stands', () => {
    const asked = ['list', 'limits', 'live:a/4@1.12', 'batch:batch:nightly', 'run:fix-parser', 'run:other@12.0a1b2c3d'];
    expect(readTopics(asked)).toEqual([
      { kind: 'list' },
      { kind: 'limits' },
      { kind: 'live', runId: 'a', turn: 4, position: { file: 1, byte: 12 } },
      { kind: 'batch', id: 'batch:nightly' },
      { kind: 'run', runId: 'fix-parser', position: null },
      { kind: 'run', runId: 'other', position: { seq: 12, hash: '0a1b2c3d' } },
    ]);
  });

  it('are told to people in the forms that are read', () => {
    const PARTS = { '<workflow id>': 'batch:n', '<id>': 'a', '<line>': '7', '<hash>': '0a1b2c3d', '<turn>': '2' };
    const asked = TOPIC_FORMS.map((form) =>
      Object.entries({ ...PARTS, '<file>': '1', '<byte>': '5' }).reduce(
        (text, [part, by]) => text.replace(part, by),
        form,
      ),
    );

    expect(readTopics(asked)).toHaveLength(TOPIC_FORMS.length);
  });

  it.each([
    ['none', []],
    ['an unknown one', ['list', 'secrets']],
    ['a path', ['run:../../etc']],
    ['a NUL', ['run:a\0b']],
    ['4 KB', [`run:${'a'.repeat(4096)}`]],
    ['a negative position', ['run:a@-1.00000000']],
    ['a position without its hash', ['run:a@7']],
    ['a position with more', ['run:a@7.0a1b2c3d.']],
    ['a text of no turn', ['live:a']],
    ['a text of a file that is none', ['live:a/2@0.5']],
    ['a text at a negative byte', ['live:a/2@1.-5']],
    ['a batch without a name', ['batch:']],
    ['a batch with a line end', ['batch:a\nb']],
    ['33', Array.from({ length: 33 }, () => 'list')],
  ])('%s: none of it is followed', (_what, asked) => {
    expect(readTopics(asked)).toBeNull();
  });
});
