import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as esbuild from 'esbuild';
import { REPOSITORY_ROOT } from '../../system/processes.js';

/** Paths of compiled files by the name of the command, `<command>.js` in the image. */
export type ImageCommands = Readonly<Record<string, string>>;

/** One image for each of these apps. */
export const IMAGES: Readonly<Record<string, ImageCommands>> = Object.fromEntries(
  Object.entries({
    poller: {},
    'bus-publisher': {},
    subscriber: {},
    api: {},
    gateway: {},
    broker: { roles: 'roles/command/main.js' },
    token: { migrate: 'migrate.js', accounts: 'accounts.js' },
    reporting: { migrate: 'migrate.js' },
    simulator: {},
    cli: {},
  }).map(([app, commands]) => {
    const files = Object.entries({ main: 'main.js', ...commands });
    return [app, Object.fromEntries(files.map(([name, file]) => [name, `apps/${app}/dist/src/${file}`]))];
  }),
);

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
  'apps/api/dist/src/console/console-files.js': {
    files: ['apps/console/dist/site'],
    packages: ['@fastify/static'],
  },
  'apps/api/dist/src/openapi/api-document.js': { files: ['apps/api/openapi.json'] },
  'apps/broker/dist/src/channels/schema/drafts/draft.js': {
    packages: ['ajv/dist/refs/json-schema-draft-06.json'],
  },
  'apps/broker/dist/src/channels/schema/schema-validator.js': {
    workers: ['apps/broker/dist/src/channels/schema/schema-worker.js'],
  },
  // It looks for the clone that it belongs to.
  'apps/cli/dist/src/system/running-system.js': {},
  'apps/gateway/dist/src/documents/documents.controller.js': {
    files: ['apps/gateway/rest.yaml', 'apps/gateway/ws.yaml'],
  },
  'apps/reporting/dist/src/invoice-file/render-invoice-file.js': {
    packages: ['dejavu-fonts-ttf/package.json'],
  },
  'apps/reporting/dist/src/openapi/openapi.controller.js': { files: ['apps/reporting/openapi.json'] },
  'apps/reporting/dist/src/records/migrations.js': { files: ['apps/reporting/migrations'] },
  'apps/simulator/dist/src/scenario-files.js': { files: ['apps/simulator/scenarios'] },
  'apps/token/dist/src/database/migrations.js': { files: ['apps/token/migrations'] },
  'libs/identity/dist/src/crypto/wasm-keccak.js': { packages: ['hash-wasm/dist/keccak.umd.min.js'] },
  'libs/identity/dist/src/crypto/load-native-curve.js': { packages: ['secp256k1/bindings.js'] },
  'libs/postgres/dist/src/archive-schema.js': { files: ['libs/postgres/archive-migrations'] },
};

/** What the modules of bundles find at run time. @throws Error when that is not known */
export function collectBundleNeeds(metafiles: readonly esbuild.Metafile[]): ReturnType<typeof collectNeeds> {
  const modules = new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs)));
  return collectNeeds([...modules], findsFilesByAddress);
}

function findsFilesByAddress(module: string): boolean {
  return (
    /^(apps|libs|tools)\/.*\.js$/.test(module) &&
    !module.includes('/node_modules/') &&
    readFileSync(join(REPOSITORY_ROOT, module), 'utf8').includes('import.meta.')
  );
}

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
