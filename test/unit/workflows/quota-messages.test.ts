import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { QUOTA_MESSAGES, readQuotaWord } from '../../../protocol/actors/quota.js';
import { readQuotaEvent } from '../../../workflows/quota/quota-messages.js';
import { afterEvent, NOBODY_WAITS } from '../../../workflows/quota/quota-table.js';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const UNTIL = '2026-11-21T11:00:00Z';
const ok = (message: object) => ({ kind: 'ok', message });
const FROM = { workflowId: 'shop-1', wait: 'w-1' };

describe('a message to a quota gate', () => {
  it('is read as it was written', () => {
    const park = { ...FROM, limit: 'rate', until: UNTIL, turnMs: 1_000, overdue: false };

    expect(readQuotaEvent('park', park)).toEqual(ok({ kind: 'park', ...park }));
    expect(readQuotaEvent('probed', { ...FROM, result: 'limited', until: UNTIL })).toEqual(
      ok({ kind: 'probed', ...FROM, result: 'limited', until: UNTIL }),
    );
    expect(readQuotaEvent('leave', { ...FROM, more: 1 })).toEqual(ok({ kind: 'leave', ...FROM }));
    expect(readQuotaEvent('open', undefined)).toEqual(ok({ kind: 'open' }));
    expect(readQuotaEvent('open', { by: 'ada' })).toEqual(ok({ kind: 'open' }));
  });

  it.each([
    ['park', null],
    ['park', 'shop-1'],
    ['park', { workflowId: 'shop-1' }],
    ['park', { ...FROM, limit: 'speed', until: UNTIL }],
    ['park', { ...FROM, workflowId: 'x'.repeat(2_000) }],
    ['probed', { ...FROM, result: 'fine' }],
    ['leave', { wait: 'w-1' }],
    ['open', ['a payload that cannot be read']],
  ] as const)('is none where it cannot be understood: %s %j', (name, argument) => {
    expect(readQuotaEvent(name, argument)).toMatchObject({ kind: 'bad' });
  });

  it('has a time and a turn of bounded length, whatever was written', () => {
    expect(readQuotaEvent('park', { ...FROM, limit: 'usage', until: 'soon', turnMs: -1 })).toMatchObject(
      ok({ until: null, turnMs: 3_600_000 }),
    );
    expect(readQuotaEvent('park', { ...FROM, limit: 'usage', until: 7, turnMs: 1e300 })).toMatchObject(
      ok({ until: null, turnMs: 604_800_000 }),
    );
  });

  it('never breaks the gate, whatever it holds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...QUOTA_MESSAGES), fc.anything({ withNullPrototype: true }), (name, argument) => {
        const reading = readQuotaEvent(name, argument);
        if (reading.kind === 'ok') afterEvent(NOBODY_WAITS, reading.message, NOW);
      }),
    );
  });
});

describe('what a quota gate tells a run', () => {
  it('is read as it was written', () => {
    for (const word of [
      { wait: 'w-1', word: 'hold', until: UNTIL, told: true },
      { wait: 'w-1', word: 'probing', until: UNTIL },
      { wait: 'w-1', word: 'probe', opening: UNTIL },
      { wait: 'w-1', word: 'open', opening: UNTIL },
    ] as const)
      expect(readQuotaWord(word)).toEqual(word);
  });

  it.each([
    [undefined],
    [['a payload that cannot be read']],
    [{ word: 'open', opening: UNTIL }],
    [{ wait: 'w-1', word: 'open' }],
    [{ wait: 'w-1', word: 'hold', until: 'soon', told: true }],
    [{ wait: 'w-1', word: 'go', opening: UNTIL }],
  ])('is none where it cannot be understood: %j', (argument) => {
    expect(readQuotaWord(argument)).toBeNull();
  });
});
