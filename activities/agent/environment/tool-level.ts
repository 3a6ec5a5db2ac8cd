/** What an agent may do by its own tools in a turn: as the policy says, and never more than looking where the turn may not write. */
import { defaultTools, type Policy, type StagePolicy, type ToolLevel } from '../../../protocol/run/policy.js';
import type { TurnStage } from '../../../protocol/run/stages.js';

export function toolLevelOf(
  policy: Pick<Policy, 'permissions'>,
  stage: TurnStage,
  stagePolicy: Pick<StagePolicy, 'tools'>,
): ToolLevel {
  if (policy.permissions === 'read-only' || defaultTools(stage) === 'read') return 'read';
  return stagePolicy.tools;
}
