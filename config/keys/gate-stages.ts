/**
 * The list of stages at which a run waits for a person (`gates.stages`). Each fault stands at its own entry.
 * Whether the run's stage list has the stage is decided in resolve-lifecycle.ts, since both can come from different files.
 */
import { z } from 'zod';
import { LISTED_GATES, type ListedGate } from '../../protocol/run/gate.js';
import { nearestName } from '../system/nearest-name.js';

const NAMES = LISTED_GATES.join(', ');

const LIST_RULE = `must be a list of stages: ${NAMES}`;

/** **Shape** each stage once, in the order they were written. **Source** V-42. */
export const gateStages = z
  .array(z.string({ error: `must be one of ${NAMES}` }).transform(stageNamed), { error: LIST_RULE })
  .superRefine((stages, context) => {
    for (const [index, stage] of stages.entries()) {
      if (stages.indexOf(stage) === index) continue;
      context.addIssue({ code: 'custom', path: [index], message: 'must stand once in the list' });
    }
  })
  .readonly();

function stageNamed(name: string, context: z.RefinementCtx): ListedGate {
  const known = LISTED_GATES.find((stage) => stage === name);
  if (known !== undefined) return known;
  context.addIssue({ code: 'custom', message: unknownRule(name) });
  return z.NEVER;
}

function unknownRule(name: string): string {
  const near = nearestName(name, LISTED_GATES);
  return `must be one of ${NAMES}${near === null ? '' : `; did you mean ${near}?`}`;
}
