/** What the bench can measure: scenarios, whose parts stand beside the same baselines. */
import { landingParts } from './landing/landing-parts.js';
import { runParts } from './run-parts.js';

export const SCENARIOS = { run: runParts, landing: landingParts } as const;

export function isScenario(name: string): name is keyof typeof SCENARIOS {
  return Object.hasOwn(SCENARIOS, name);
}
