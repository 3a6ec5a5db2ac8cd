/** What a body of a message has to say, and what it must not. */
import { describe, expect, it } from '@jest/globals';
import { MESSAGE_ROUTES } from '../../../client/http/message-routes.js';

const approve = MESSAGE_ROUTES.find(({ path }) => path === '/api/runs/:id/approve');
const DECISION = { gate: 'gate-1', commit: 'a'.repeat(40), decision: 'approve', requestId: 'r' };

const isTaken = (body: unknown) => approve?.body.safeParse(body).success;

describe('a decision', () => {
  it('names the gate and the commit that were seen, and nobody', () => {
    expect([isTaken(DECISION), isTaken({ ...DECISION, commit: null })]).toEqual([true, true]);
    for (const name of ['gate', 'commit', 'decision', 'requestId'])
      expect([name, isTaken({ ...DECISION, [name]: undefined })]).toEqual([name, false]);
    expect(isTaken({ ...DECISION, by: 'somebody else' })).toBe(false);
  });

  it('gives nothing another prototype', () => {
    const body: unknown = JSON.parse(`${JSON.stringify(DECISION).slice(0, -1)},"__proto__":{"by":"somebody else"}}`);
    const parsed = approve?.body.safeParse(body);

    expect((parsed?.data as { by?: string } | undefined)?.by).toBeUndefined();
    expect(({} as { by?: string }).by).toBeUndefined();
  });
});
