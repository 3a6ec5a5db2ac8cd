/** Two projects: `unit` needs no server of its own and takes seconds; `server` shares development servers. */
const swc = (parser) => ({
  jsc: {
    target: 'es2022',
    parser,
    transform: { react: { runtime: 'automatic', importSource: 'preact' } },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
});

const shared = {
  // Not in the folder for temporary files, which may be memory. Of each project: none of them has it of the whole.
  cacheDirectory: '<rootDir>/.cache/jest',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc({ syntax: 'typescript' })],
    '^.+\\.tsx$': ['@swc/jest', swc({ syntax: 'typescript', tsx: true })],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.cache'],
};

export default {
  // Two for each core of a small machine: a test often waits for a process, a timer or a heartbeat.
  maxWorkers: 4,
  // A fork copies the page tables of who forks: from a process of 50 MB it costs 1 ms, of 350 MB 9, of 1 800 MB 49, and tests start thousands of programs.
  workerIdleMemoryLimit: '500MB',
  testSequencer: '<rootDir>/test/server-tests-first.mjs',
  // What takes so long hangs, however busy the machine is.
  testTimeout: 300_000,
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    {
      ...shared,
      displayName: 'server',
      testEnvironment: '<rootDir>/test/server-environment.mjs',
      resolver: '<rootDir>/test/resolve-built-thread.cjs',
      // Of the page a minute's choice; `npm run page` is the whole.
      testMatch: [
        '<rootDir>/test/{workflow,replay,conformance,chaos,security,e2e}/**/*.test.ts',
        '<rootDir>/test/page/*.test.ts',
      ],
      globalSetup: '<rootDir>/test/server-setup.mjs',
      globalTeardown: '<rootDir>/test/server-teardown.mjs',
    },
  ],
};
