/**
 * `npm run e2e:postgres`, which is no part of `npm test`: it builds a server from source and needs PostgreSQL.
 * The project `team-server` starts it; the project `workflow` is run from inside against SLUICE_TEST_ADDRESS.
 */
import { fileURLToPath } from 'node:url';
import all from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const { transform, testEnvironment, extensionsToTreatAsEsm, moduleNameMapper, modulePathIgnorePatterns } =
  all.projects[0];
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
  maxWorkers: 1,
  testTimeout: 120_000,
  projects: [
    {
      ...shared,
      displayName: 'team-server',
      testMatch: ['<rootDir>/test/e2e-postgres/**/*.test.ts'],
      globalSetup: '<rootDir>/test/e2e-postgres/setup.mjs',
      globalTeardown: '<rootDir>/test/e2e-postgres/teardown.mjs',
    },
    { ...shared, displayName: 'workflow', testMatch: ['<rootDir>/test/workflow/**/*.test.ts'] },
  ],
};
