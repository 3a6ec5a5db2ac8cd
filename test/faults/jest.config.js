/** `npm run faults`, which is no part of `npm test`: full disks, moved clocks and sleeping machines take minutes, and rights that not every machine gives. */
import { fileURLToPath } from 'node:url';
import all from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));

export default {
  rootDir,
  maxWorkers: all.maxWorkers,
  testTimeout: all.testTimeout,
  projects: [{ ...all.projects[1], rootDir, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.test.ts'] }],
};
