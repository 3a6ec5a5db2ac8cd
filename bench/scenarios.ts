/** What the bench can measure: scenarios, whose parts stand beside the same baselines. */
import { backlogParts } from './backlog/backlog-parts.js';
import { landingForgeParts } from './landing/forge-parts.js';
import { landingParts } from './landing/landing-parts.js';
import { runParts } from './run-parts.js';

export const SCENARIOS = {
  run: runParts,
  landing: landingParts,
  'landing-forge': landingForgeParts,
  backlog: backlogParts,
} as const;

export function isScenario(name: string): name is keyof typeof SCENARIOS {
  return Object.hasOwn(SCENARIOS, name);
}
