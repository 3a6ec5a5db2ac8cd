import { describe, expect, it } from '@jest/globals';
import { renderView } from '../../../client/cli/commands/status.js';
import { aGate, aView, someDetails } from '../../support/gate-builder.js';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

describe('the status of a run', () => {
  it('shows gates, budget, pause, rounds and what it waits for', () => {
    const gates = [aGate({ status: 'approved', resolvedBy: 'her' }), aGate({ id: 'gate-2' })];
    const view = aView({
      status: 'waiting_for_approval',
      reviewLoopCount: 1,
      pauseRequested: true,
      waiting: { kind: 'approval', until: '2026-11-21T10:05:00.000Z', account: null },
    });
    const details = someDetails(gates, {
      used: { turns: 3, minutes: 1.25, microUsd: 1_230_000, tokens: 0, grants: 1 },
      waitingNotes: 2,
    });

    const text = renderView(view, { gates, details, now: NOW }).join('\n');

    expect(text).toMatch(/rounds +round 1 of 2/);
    expect(text).toMatch(/waits for +a decision, 5:00 left/);
    expect(text).toMatch(/pause +pauses at the next stage boundary/);
    expect(text).toMatch(/gate +gate-1 before executing: approved by her/);
    expect(text).toMatch(
      /gate +gate-2 before executing: open, risk medium: the policy asks for a person\n +sluice approve shop-1/,
    );
    expect(text).toMatch(/texts +2 wait for the next turn/);
    expect(text).toMatch(/budget +turns 3, minutes 1.3, money \$1.23, granted again 1 time/);
  });

  it('shows what each stage cost where it is known', () => {
    const use = { agentMs: 1, tokensIn: 10, tokensOut: 5, costMicroUsd: 120_000 };
    const stages = [
      { stage: 'planning', turns: 1, ...use },
      { stage: 'executing', turns: 2, ...use, costMicroUsd: null },
    ];

    const text = renderView(aView(), { details: someDetails([], { stages }) }).join('\n');

    expect(text).toMatch(
      /\ncost +planning \$0\.12 \(10 tokens in, 5 out\)\n +executing \(10 tokens in, 5 out\), 2 turns\n/,
    );
  });

  it('says that nobody attends it', () => {
    expect(renderView(aView(), { details: someDetails([], { attended: false }) }).join('\n')).toMatch(/attended +no/);
  });

  it('lets no control sequence of a gate through', () => {
    const gates = [aGate({ reason: 'x\u001b[2Jy\u202e' })];

    expect(renderView(aView(), { gates }).join('\n')).not.toMatch(/[\u001b\u202e]/);
  });
});
