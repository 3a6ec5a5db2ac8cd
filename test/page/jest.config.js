/** `npm run page`: the page in a real Chromium. `npm test` runs what takes a minute of it, where there is one. */
import { fileURLToPath } from 'node:url';
import all from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));

export default {
  rootDir,
  maxWorkers: 2,
  testTimeout: all.testTimeout,
  projects: [{ ...all.projects[1], rootDir, displayName: 'page', testMatch: ['<rootDir>/test/page/**/*.test.ts'] }],
};
