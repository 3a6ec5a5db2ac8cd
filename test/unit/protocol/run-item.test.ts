/** What an item starts its runs with: anybody can start a run with anything. */
import { describe, expect, it } from '@jest/globals';
import { checkRunInput } from '../../../protocol/messages/run-input.js';

const checked = (item: unknown) => checkRunInput({ task: 'x', repo: '/repository', item });

describe('the item of a run', () => {
  it.each([[{ id: '1', hash: 'h' }], [{ id: '1', hash: 'h', behind: ['shop-1', 'shop-2.3'] }]])(
    'is taken as %j',
    (item) => {
      expect(checked(item)).toMatchObject({ kind: 'ok', input: { item } });
    },
  );

  it.each([
    [{ id: '1' }],
    [{ id: '1', hash: 'h', from: 'x' }],
    [{ id: '1', hash: 'h', behind: [] }],
    [{ id: '1', hash: 'h', behind: 'shop-1' }],
    [{ id: '1', hash: 'h', behind: ['../shop-1'] }],
    [{ id: '1', hash: 'h', behind: ['shop-1', '/etc'] }],
  ])('is refused as %j, and the message says how it is written', (item) => {
    expect(checked(item)).toMatchObject({ kind: 'bad', field: 'item', message: expect.stringContaining('"behind"') });
  });
});
