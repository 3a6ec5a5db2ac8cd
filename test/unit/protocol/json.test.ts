import { describe, expect, it } from '@jest/globals';
import { isRecord } from '../../../protocol/text/json.js';

describe('a JSON object', () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [[{ a: 1 }], false],
    [null, false],
    ['a', false],
    [1, false],
  ] as const)('is %j: %s', (value, is) => {
    expect(isRecord(value)).toBe(is);
  });
});
