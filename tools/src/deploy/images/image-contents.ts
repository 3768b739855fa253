/** Contents of an app's image besides its bundle. */
export interface ImageContents {
  /** `<command>.js` in the image → compiled file in the repository. */
  readonly commands: Readonly<Record<string, string>>;
  /** Where /health/live is served; undefined for a command line. */
  readonly health?: { readonly defaultPort: number; readonly management: boolean };
}

const service = (
  app: string,
  health: ImageContents['health'],
  commands: ImageContents['commands'] = {},
): ImageContents => ({ commands: { main: `apps/${app}/dist/src/main.js`, ...commands }, health });

/** One image for each of these apps. */
export const IMAGES: Readonly<Record<string, ImageContents>> = {
  poller: service('poller', { defaultPort: 4021, management: false }),
  'bus-publisher': service('bus-publisher', { defaultPort: 4022, management: false }),
  subscriber: service(
    'subscriber',
    { defaultPort: 4023, management: false },
    {
      migrate: 'apps/subscriber/dist/src/migrate.js',
      archive: 'apps/subscriber/dist/src/archive-command.js',
    },
  ),
  gateway: service('gateway', { defaultPort: 4011, management: true }),
  broker: service(
    'broker',
    { defaultPort: 4003, management: true },
    { roles: 'apps/broker/dist/src/roles/command/main.js' },
  ),
  token: service(
    'token',
    { defaultPort: 4001, management: true },
    { migrate: 'apps/token/dist/src/migrate.js', accounts: 'apps/token/dist/src/accounts.js' },
  ),
  reporting: service(
    'reporting',
    { defaultPort: 4002, management: true },
    { migrate: 'apps/reporting/dist/src/migrate.js' },
  ),
  simulator: service('simulator', { defaultPort: 4005, management: false }),
  cli: service('cli', undefined),
};

/** What a module finds by its own address at run time. */
export interface RuntimeNeeds {
  /** Files and folders of the repository. */
  readonly files?: readonly string[];
  /** As the module requires them: a package, or a file in it. */
  readonly packages?: readonly string[];
  /** Compiled modules that it starts as worker threads. */
  readonly workers?: readonly string[];
}

/** All compiled modules with `import.meta.url`. A bundle does not contain what they find. */
export const RUNTIME_NEEDS: Readonly<Record<string, RuntimeNeeds>> = {
  'apps/broker/dist/src/channels/schema/drafts/draft.js': {
    packages: ['ajv/dist/refs/json-schema-draft-06.json'],
  },
  'apps/broker/dist/src/channels/schema/schema-validator.js': {
    workers: ['apps/broker/dist/src/channels/schema/schema-worker.js'],
  },
  'apps/gateway/dist/src/documents/documents.controller.js': {
    files: ['apps/gateway/rest.yaml', 'apps/gateway/ws.yaml'],
  },
  'apps/reporting/dist/src/invoice-file/render-invoice-file.js': {
    packages: ['dejavu-fonts-ttf/package.json'],
  },
  'apps/reporting/dist/src/records/migrations.js': { files: ['apps/reporting/migrations'] },
  'apps/simulator/dist/src/scenario-files.js': { files: ['apps/simulator/scenarios'] },
  'apps/subscriber/dist/src/database/database-options.js': { files: ['apps/subscriber/migrations'] },
  'apps/token/dist/src/database/migrations.js': { files: ['apps/token/migrations'] },
  'libs/identity/dist/src/crypto/keccak.js': { packages: ['hash-wasm/dist/keccak.umd.min.js'] },
  'libs/identity/dist/src/crypto/native-curve.js': { packages: ['secp256k1/bindings.js'] },
  'libs/identity/dist/src/signatures/canonical-json.js': { packages: ['canonicalize'] },
};

/**
 * What the modules of a bundle find at run time.
 * @param findsFiles true for a module with `import.meta.url`
 * @throws Error when it is not known what a module with `import.meta.url` finds
 */
export function collectNeeds(
  modules: readonly string[],
  findsFiles: (module: string) => boolean,
): {
  readonly files: string[];
  readonly workers: string[];
  readonly packages: { from: string; specifier: string }[];
} {
  const unknown = modules.filter((module) => !(module in RUNTIME_NEEDS) && findsFiles(module));
  if (unknown.length > 0)
    throw new Error(
      `These modules use import.meta.url: ${unknown.join(', ')}. The images hold what RUNTIME_NEEDS lists for such a module. ` +
        'Add them in tools/src/deploy/images/image-contents.ts.',
    );
  const needs = modules.map((from) => ({ from, ...RUNTIME_NEEDS[from] }));
  return {
    files: needs.flatMap(({ files = [] }) => files),
    workers: needs.flatMap(({ workers = [] }) => workers),
    packages: needs.flatMap(({ from, packages = [] }) => packages.map((specifier) => ({ from, specifier }))),
  };
}
