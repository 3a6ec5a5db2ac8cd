/** `npm run e2e:agents`, which is no part of `npm test`: the real CLIs come from the npm registry, and a turn of theirs takes seconds. `main.ts` starts it. */
import { fileURLToPath } from 'node:url';
import all from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const { transform, testEnvironment, extensionsToTreatAsEsm, moduleNameMapper, modulePathIgnorePatterns } =
  all.projects[0];
/** A project a CLI, so that their files are taken beside each other: each has an engine and a provider of its own. `main.ts` names them. */
const { projects } = JSON.parse(process.env['SLUICE_AGENTS_PLAN'] ?? '{"projects":[]}');
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
  // A CLI takes a core while it works, but most of the time a case waits for a limit to pass.
  maxWorkers: 3,
  testTimeout: 600_000,
  verbose: true,
  projects: projects.map(({ cli, tests }) => ({
    ...shared,
    displayName: cli,
    globals: { sluiceCli: cli },
    testMatch: [`<rootDir>/test/e2e-agents/${tests}.test.ts`],
  })),
};
