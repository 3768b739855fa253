/** Pure code outside of the `domain` folders: decisions that stay beside their feature. */
const PURE_FILES = [
  'apps/broker/src/channels/(channel|names)',
  'apps/broker/src/channels/schema/(create-validator|drafts|multiple-of|prepare-schema|schema-nodes|step-estimate|topic-schema)',
  'apps/broker/src/permissions/permissions',
  'apps/broker/src/roles/role-state',
  'apps/broker/src/storage/read-ahead',
  'apps/broker/src/streaming/channel-acknowledgements',
  'apps/gateway/src/events/(client-deliveries|events-query|events-request)',
  'apps/gateway/src/messages/(batch-scheduler|bus-names|fair-queue)',
  'apps/gateway/src/signatures/check-signature',
  'apps/gateway/src/users/rights',
  'apps/poller/src/faults/(failure-classification|participant-readiness|throttling)',
  'apps/poller/src/records/fit-statement',
  'apps/poller/src/subscriber/subscriber-silence',
  'apps/reporting/src/access/(access-decision|scope)',
  'apps/reporting/src/faults/(alter-json|injected-fault|rate-limit)',
  'apps/reporting/src/participants/parameters/(day-window|settlement-key)',
  'libs/platform/src/secrets/attempt-queue',
  'libs/redis-queue/src/budget/budget-window',
];

/** The dependency rules of docs/architecture.md. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'No import circles, type-only ones included; the rule has no exceptions.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-app-imports-app',
      comment: 'Apps communicate only over the network, so an app never imports another app.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'no-lib-imports-app',
      comment: 'Libraries are used by apps, tools and tests, and import none of them.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(apps|tools|test)/' },
    },
    {
      name: 'no-test-servers-in-production',
      comment:
        'Only npm start, the demo and tests start Redis, PostgreSQL or NATS, and only tests use test code.',
      severity: 'error',
      from: {
        path: '^(apps|libs)/',
        pathNot: '(\\.spec\\.ts$|\\.conformance\\.ts$|^(apps|libs)/[^/]+/test/|^libs/(testing|dev/src)/)',
      },
      to: { path: '^libs/(testing|dev/src/(postgres-server|redis-server))/|^(apps|libs)/[^/]+/test/' },
    },
    {
      name: 'no-framework-in-wire-libs',
      comment:
        'Downstream teams use these libraries without Nest, queue, Redis or SQL. The files of the platform need none.',
      severity: 'error',
      from: {
        path: '^libs/(events|identity|market|bus|downstream|config/src/(?!file/|index))',
        pathNot: '\\.spec\\.ts$',
      },
      to: {
        path: '(@nestjs/|node_modules/(fastify|bullmq|ioredis)/|^libs/(platform/(?!src/files/)|redis-queue|postgres)/)',
      },
    },
    {
      name: 'no-node-in-verification',
      comment: 'Verification runs in browsers as well.',
      severity: 'error',
      from: { path: '^libs/downstream/src/(verify|evidence)(/|\\.ts$)', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-server-code-in-console',
      comment:
        'The console runs in browsers. Of the libraries it has the problem kinds and what the kit for downstream systems verifies.',
      severity: 'error',
      from: { path: '^apps/console/src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/(?!events/src/problems/|downstream/src/(verify|checks)(/|\\.ts$))' },
    },
    {
      name: 'no-node-in-console',
      comment: 'Browsers have no modules of Node.',
      severity: 'error',
      from: { path: '^apps/console/src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-framework-in-decisions',
      comment: 'Decisions are pure: no framework, network, storage or timers.',
      severity: 'error',
      from: { path: `/(domain|detection)/|^(${PURE_FILES.join('|')})\\.ts$`, pathNot: '\\.spec\\.ts$' },
      to: {
        path: '(@nestjs/|node_modules/(fastify|bullmq|ioredis|undici|ws|pino)/|^libs/(platform|redis-queue|postgres)/|^(node:)?(fs|net|http|https|tls|timers))',
        pathNot: 'node:crypto',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-unlisted-dependencies',
      comment: 'Every imported package is listed in the package.json of the importing package.',
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
