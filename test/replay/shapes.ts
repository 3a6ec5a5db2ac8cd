/** Every shape of which a history is kept. */
import { ADMISSION_SHAPES } from './admission-shapes.js';
import { BACKLOG_SHAPES } from './backlog-shapes.js';
import { BACKLOG_WAIT_SHAPES } from './backlog-wait-shapes.js';
import { BESIDE_SHAPES } from './beside-shapes.js';
import { BUDGET_SHAPES } from './budget-shapes.js';
import { FORGE_SHAPES } from './forge-shapes.js';
import { LANDING_SHAPES } from './landing-shapes.js';
import { PLAIN_SHAPES } from './plain-shapes.js';
import { QUOTA_SHAPES } from './quota-shapes.js';
import { RUN_SHAPES } from './run-shapes.js';
import type { Shapes } from './shape.js';
import { STEP_SHAPES } from './step-shapes.js';

export const SHAPES: Shapes = {
  ...PLAIN_SHAPES,
  ...RUN_SHAPES,
  ...BESIDE_SHAPES,
  ...BUDGET_SHAPES,
  ...QUOTA_SHAPES,
  ...LANDING_SHAPES,
  ...FORGE_SHAPES,
  ...BACKLOG_SHAPES,
  ...BACKLOG_WAIT_SHAPES,
  ...ADMISSION_SHAPES,
  ...STEP_SHAPES,
};
