/** What an agent may do by its own tools in a turn. */
import { describe, expect, it } from '@jest/globals';
import { toolLevelOf } from '../../../activities/agent/environment/tool-level.js';
import type { ToolLevel } from '../../../protocol/run/policy.js';
import type { TurnStage } from '../../../protocol/run/stages.js';

const STAGES: readonly TurnStage[] = ['planning', 'architecting', 'executing', 'reviewing', 'fixing', 'verifying'];
const levels = (tools: { tools: ToolLevel }, permissions: 'auto' | 'read-only' = 'auto') =>
  STAGES.map((stage) => toolLevelOf({ permissions }, stage, tools));

describe('the tools of a turn', () => {
  it('are what the policy says where the stage may write, and never more elsewhere', () => {
    expect(levels({ tools: 'edit' })).toEqual(['read', 'read', 'edit', 'read', 'edit', 'read']);
    expect(levels({ tools: 'run' })).toEqual(['read', 'read', 'run', 'read', 'run', 'read']);
  });

  it('are for looking in a run that may not write', () => {
    expect(levels({ tools: 'run' }, 'read-only')).toEqual(STAGES.map(() => 'read'));
  });
});
