/** What the bench can measure: scenarios, whose parts stand beside the same baselines. */
import { admissionParts } from './admission/admission-parts.js';
import { WATCHED_WORKER } from './admission/loop-watch.js';
import { backlogParts } from './backlog/backlog-parts.js';
import type { BenchHostOptions } from './bench-host.js';
import { landingForgeParts } from './landing/forge-parts.js';
import { landingParts } from './landing/landing-parts.js';
import { runParts } from './run-parts.js';
import { webParts } from './web/web-parts.js';

export const SCENARIOS = {
  run: runParts,
  landing: landingParts,
  'landing-forge': landingForgeParts,
  backlog: backlogParts,
  admission: admissionParts,
  web: webParts,
} as const;

type Scenario = keyof typeof SCENARIOS;

/** Where it has another host than the others. */
export const HOSTS: Readonly<Partial<Record<Scenario, BenchHostOptions>>> = {
  admission: { workerCommand: WATCHED_WORKER },
};

export function isScenario(name: string): name is Scenario {
  return Object.hasOwn(SCENARIOS, name);
}
