/** The rules of the house, as docs/architecture.md tells them. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle means that two files are one idea, or that an idea lies in the wrong file.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'apps-stand-alone',
      comment: 'An app never imports another app: they meet only over the wire.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'libs-know-no-app',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(apps|tools|test)/' },
    },
    {
      name: 'test-servers-stay-in-tests',
      comment: 'What an app ships starts no server: only npm start, the demo and tests do.',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot:
          '(\\.spec\\.ts$|\\.conformance\\.ts$|\\.fixture\\.ts$|/testing/|^apps/[^/]+/test/|^libs/(postgres-server|redis-server)/)',
      },
      to: { path: '^libs/(testing|postgres-server|redis-server)/' },
    },
    {
      name: 'wire-libs-know-no-framework',
      comment: 'A downstream team lifts these out: no Nest, no queue, no Redis, no SQL in them.',
      severity: 'error',
      from: { path: '^libs/(events|identity|market|bus|operator-config)/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '(@nestjs/|node_modules/(fastify|bullmq|ioredis)/|^libs/(platform|queue|redis|database)/)',
      },
    },
    {
      name: 'decisions-are-pure',
      comment: 'A domain folder decides: no framework, no network, no storage, no clock module.',
      severity: 'error',
      from: { path: '/domain/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '(@nestjs/|node_modules/(fastify|bullmq|ioredis|undici|ws|pino)/|^libs/(platform|queue|redis|database)/|^(node:)?(fs|net|http|https|tls|timers))',
        pathNot: 'node:crypto',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'not-to-unlisted',
      comment: 'What a package imports stands in its own package.json.',
      severity: 'error',
      from: { pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', 'dist'] },
    exclude: { path: ['dist/', '\\.d\\.ts$'] },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
