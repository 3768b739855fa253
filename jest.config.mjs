/** Unit and integration tests run on the sources; `test/` (the whole system) runs on what is built. */
const shared = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFilesAfterEnv: ['<rootDir>/jest.setup.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
};

export default {
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  globalSetup: '<rootDir>/jest.servers.mjs',
  globalTeardown: '<rootDir>/jest.teardown.mjs',
  // What a test file loaded stays in its worker, and a larger heap makes all that follows slower: a worker that has grown is replaced.
  workerIdleMemoryLimit: '300MB',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools'],
      testMatch: ['**/src/**/*.spec.ts'],
    },
    {
      ...shared,
      displayName: 'system',
      roots: ['<rootDir>/test'],
      testMatch: ['**/src/**/*.spec.ts'],
    },
  ],
};
