/** `npm run e2e:agents`, which is no part of `npm test`: the real CLIs come from the npm registry, and a turn of theirs takes seconds. `main.ts` starts it. */
import { fileURLToPath } from 'node:url';
import all from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const { transform, testEnvironment, extensionsToTreatAsEsm, moduleNameMapper, modulePathIgnorePatterns } =
  all.projects[0];
/** `main.ts` narrows it to the files of one CLI. */
const tests = process.env['SLUICE_AGENTS_TESTS'] ?? '*';
const shared = {
  rootDir,
  transform,
  testEnvironment,
  extensionsToTreatAsEsm,
  moduleNameMapper,
  modulePathIgnorePatterns,
};

export default {
  rootDir,
  // One engine, and one CLI after the other: each takes a core.
  maxWorkers: 1,
  testTimeout: 600_000,
  projects: [{ ...shared, displayName: 'agents', testMatch: [`<rootDir>/test/e2e-agents/${tests}.test.ts`] }],
};
