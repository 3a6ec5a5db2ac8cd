import { describe, expect, it } from '@jest/globals';
import type { EventType, JournalEvent } from '../../../protocol/messages/journal.js';
import { stageUseOf } from '../../../protocol/messages/stage-use.js';
import type { JsonObject } from '../../../protocol/text/json.js';

function events(...lines: readonly (readonly [EventType, JsonObject])[]): JournalEvent[] {
  return lines.map(([type, data], index) => ({
    seq: index + 1,
    timestamp: '2026-11-21T10:00:00.000Z',
    type,
    message: '',
    data,
  }));
}

describe('what a stage used', () => {
  it('counts failed attempts, in the order of the stages, and a sum only where every attempt told its part', () => {
    const told = { durationMs: 10, tokensIn: 100, tokensOut: 7, costMicroUsd: 5 };

    expect(
      stageUseOf(
        events(
          ['turn.completed', { stage: 'planning', ...told, costMicroUsd: null }],
          ['turn.failed', { stage: 'executing', ...told }],
          ['turn.started', { stage: 'executing' }],
          ['turn.completed', { stage: 'executing', ...told }],
        ),
      ),
    ).toEqual([
      { stage: 'planning', turns: 1, agentMs: 10, tokensIn: 100, tokensOut: 7, costMicroUsd: null },
      { stage: 'executing', turns: 2, agentMs: 20, tokensIn: 200, tokensOut: 14, costMicroUsd: 10 },
    ]);
  });

  it('counts no attempt whose agent was not started', () => {
    const told = { stage: 'executing', durationMs: 10, tokensIn: 1, tokensOut: 1, costMicroUsd: 1 };
    const notStarted = { stage: 'executing', durationMs: 0, tokensIn: null, tokensOut: null, costMicroUsd: null };

    const used = events(['turn.failed', { ...notStarted, started: false }], ['turn.completed', told]);
    expect(stageUseOf(used)).toMatchObject([{ turns: 1, tokensIn: 1, costMicroUsd: 1 }]);
  });

  it('is nothing where no agent worked, or the journal is not ours', () => {
    expect(stageUseOf(events(['state.changed', {}], ['turn.completed', { stage: 7 }]))).toEqual([]);
  });
});
