import { describe, expect, it } from '@jest/globals';
import { at } from '../../../activities/agent/events/event-fields.js';

describe('a field of an event', () => {
  it('is found by the names of objects, and a list has none', () => {
    const event = { item: { text: 'a' }, items: [{ text: 'b' }] };

    expect(at(event, 'item', 'text')).toBe('a');
    expect(at(event, 'items', '0', 'text')).toBeUndefined();
    expect(at(event, 'items', 'length')).toBeUndefined();
  });

  it('is one of its own', () => {
    expect(at({ item: {} }, 'item', 'constructor')).toBeUndefined();
  });
});
