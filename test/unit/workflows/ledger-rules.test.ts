/** What the ledger of a day's budget does with each message, and that a dead run's turn is free before anybody is refused. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReserveRequest } from '../../../protocol/actors/day-budget.js';
import type { Rules } from '../../../workflows/actor/actor.js';
import {
  LEDGER_RULES,
  LEDGER_SIGNALS,
  type LedgerEvent,
  type LedgerState,
  nothingUsed,
  readLedgerEvent,
  type Telling,
} from '../../../workflows/budget/ledger-rules.js';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');
const ONE_TURN = { turns: 1, minutes: null, microUsd: null, tokens: null };
const RULES = LEDGER_RULES.at(-1) as Rules<LedgerState, LedgerEvent, Telling>;

const ask = (token: string): LedgerEvent & ReserveRequest => ({
  kind: 'reserve',
  token,
  workflowId: `run-${token}`,
  executionRunId: 'e',
  limits: ONE_TURN,
  grant: null,
});

/** What is told, to whom, in order; each event comes a second after the one before. */
function play(...events: readonly (readonly [number, LedgerEvent])[]) {
  let state = nothingUsed(NOON);
  const told: string[] = [];
  for (const [ms, event] of events) {
    const step = RULES.after(state, event, NOON + ms);
    state = step.state;
    told.push(...step.errands.map(({ workflowId, answer }) => `${workflowId} ${answer.kind} ${answer.token}`));
  }
  return { state, told };
}

describe('the ledger of a day', () => {
  it('looks whether the run that holds the last turn is there before it refuses another, and refuses once it is', () => {
    const asked = play([0, ask('a')], [1, ask('b')]);
    const there = play([0, ask('a')], [1, ask('b')], [2, { kind: 'told', token: 'a', isThere: true }]);

    expect(asked.told).toEqual(['run-a granted a', 'run-a granted a']);
    expect(there.told).toEqual(['run-a granted a', 'run-a granted a', 'run-b full b']);
    expect(there.state.waiting).toEqual([]);
  });

  it('gives the turn of a run that is gone to the first of those that wait', () => {
    const { told } = play(
      [0, ask('a')],
      [1, ask('b')],
      [2, ask('c')],
      [3, { kind: 'told', token: 'a', isThere: false }],
    );

    expect(told).toEqual(['run-a granted a', 'run-a granted a', 'run-b granted b', 'run-c full c']);
  });

  it('looks at one run no more than once in ten seconds', () => {
    const answered: LedgerEvent = { kind: 'told', token: 'a', isThere: true };
    const { told } = play([0, ask('a')], [1, ask('b')], [2, answered], [3, ask('c')], [10_001, ask('d')]);

    expect(told).toEqual(['run-a granted a', 'run-a granted a', 'run-b full b', 'run-c full c', 'run-a granted a']);
  });

  it('reserves no more turns than there are, answers every request in the end, and can be handed over at any step', () => {
    const aRequest = fc.constantFrom('a', 'b', 'c', 'd', 'e').map(ask);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9_000), aRequest, fc.boolean()), { maxLength: 30 }), (steps) => {
        let state = nothingUsed(NOON);
        let now = NOON;
        const asked: string[] = [];
        const answered: string[] = [];
        const take = (event: LedgerEvent) => {
          const step = RULES.after(JSON.parse(JSON.stringify(state)) as LedgerState, event, now);
          expect(RULES.after(state, event, now)).toEqual(step);
          state = step.state;
          expect(state.ledger.reservations.length).toBeLessThanOrEqual(1);
          return step.errands;
        };
        for (const [ms, request, isThere] of steps) {
          now += ms;
          asked.push(request.token);
          const told = [...take(request)];
          for (let next = told.shift(); next !== undefined; next = told.shift()) {
            answered.push(next.answer.token);
            told.push(...take({ kind: 'told', token: next.answer.token, isThere }));
          }
          expect(state).toMatchObject({ looking: [], waiting: [] });
        }

        expect(asked.filter((token) => !answered.includes(token))).toEqual([]);
      }),
    );
  });

  it('throws for nothing that anybody can send', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LEDGER_SIGNALS), fc.anything(), (name, argument) => {
        const reading = readLedgerEvent(name, argument);
        if (reading.kind === 'ok') RULES.after(nothingUsed(NOON), reading.message, NOON);
      }),
    );
  });
});
