/**
 * Tests run the output of `tsc -b` in worker threads of plain Node: Jest's own runner loads every module again for each file.
 * Version 0.7 of the runner is the last for Node 20.
 */
const shared = {
  runner: 'jest-light-runner',
  testMatch: ['**/dist/**/*.spec.js'],
  transform: {},
  setupFilesAfterEnv: ['<rootDir>/jest.setup.mjs'],
};

export default {
  globalSetup: '<rootDir>/jest.servers.mjs',
  globalTeardown: '<rootDir>/jest.teardown.mjs',
  filter: '<rootDir>/jest.filter.cjs',
  testSequencer: '<rootDir>/jest.sequencer.cjs',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools'],
      testPathIgnorePatterns: ['/tools/dist/deploy/'],
    },
    {
      ...shared,
      displayName: 'system',
      roots: ['<rootDir>/test'],
      testPathIgnorePatterns: [
        '/test/dist/sandbox/',
        '/test/dist/resilience.spec.js',
        '/test/dist/examples',
        '/test/dist/openapi',
        '/test/dist/console.spec.js',
      ],
    },
    // npm run check:deploy runs the others: faults of a running system, examples, the fuzzer of the API, the console, npm start, demo and scenarios, and tests that need Helm.
    {
      ...shared,
      displayName: 'resilience',
      roots: ['<rootDir>/test'],
      testMatch: ['**/test/dist/resilience.spec.js'],
    },
    {
      ...shared,
      displayName: 'examples',
      roots: ['<rootDir>/test'],
      testMatch: ['**/test/dist/examples.spec.js', '**/test/dist/examples/*.spec.js'],
    },
    {
      ...shared,
      displayName: 'openapi',
      roots: ['<rootDir>/test'],
      testMatch: ['**/test/dist/openapi.spec.js'],
    },
    {
      ...shared,
      displayName: 'console',
      roots: ['<rootDir>/test'],
      testMatch: ['**/test/dist/console.spec.js'],
    },
    { ...shared, displayName: 'sandbox', roots: ['<rootDir>/test/dist/sandbox'] },
    { ...shared, displayName: 'deploy', roots: ['<rootDir>/tools/dist/deploy'] },
  ],
};
