import { describe, expect, it } from '@jest/globals';
import { UNKNOWN_EXECUTION } from '../../../client/calls/listed-run.js';
import { type Meant, meantRuns } from '../../../client/cli/find/meant-run.js';
import { waitsForPerson } from '../../../client/views/needs-person.js';
import { aListedRun } from '../../support/gate-builder.js';

const working = aListedRun('working');
const gated = aListedRun('gated', { status: 'waiting_for_approval', waiting: 'approval' });
const asking = aListedRun('asking', { status: 'waiting_for_approval', waiting: 'answer' });
const paused = aListedRun('paused', { status: 'paused' });
const closed = aListedRun('closed', { status: 'blocked', closedAt: '2026-11-21T11:00:00.000Z' });
const starting = aListedRun('starting', { status: null });
/** Terminated at a gate: it never wrote its last memo. */
const ended = aListedRun('ended', { status: 'waiting_for_approval', closedAt: '2026-11-21T11:00:00.000Z' });

/** Its history was deleted: only files say that it is at a gate. */
const deleted = aListedRun('deleted', { status: 'waiting_for_approval', execution: UNKNOWN_EXECUTION });

const all = [working, gated, asking, paused, closed, starting, ended, deleted];
const ids = (meant: Meant, runs = all) => meantRuns(runs, meant).map(({ runId }) => runId);

describe('the run that a message without a name can mean', () => {
  it.each<[Meant, readonly string[]]>([
    ['open', ['working', 'gated', 'asking', 'paused', 'starting']],
    ['paused', ['paused']],
    ['gated', ['gated', 'asking']],
    ['decision', ['gated']],
    ['answer', ['asking']],
  ])('for %s is one of %j', (meant, expected) => {
    expect(ids(meant)).toEqual(expected);
  });

  it('for a decision is the one that asks a question, where no other waits', () => {
    expect(ids('decision', [working, asking])).toEqual(['asking']);
    expect(ids('answer', [working, gated])).toEqual(['gated']);
  });
});

describe('the runs that wait for a person', () => {
  it('are at a gate, ask a question or are paused, and are open', () => {
    expect(all.filter(waitsForPerson).map(({ runId }) => runId)).toEqual(['gated', 'asking', 'paused']);
  });
});
