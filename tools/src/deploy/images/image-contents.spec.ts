import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SettingsDefinition } from '@ssb/platform';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { collectNeeds, IMAGES, RUNTIME_NEEDS } from './image-contents.js';

const dockerfile = readFileSync(join(REPOSITORY_ROOT, 'Dockerfile'), 'utf8');

interface Workflow {
  readonly jobs: { readonly images: { readonly strategy: { readonly matrix: { readonly app: string[] } } } };
}

const inRepository = (path: string): string => join(REPOSITORY_ROOT, path);

it('there is an image for every app', () => {
  // The image of the api has the console.
  const apps = readdirSync(inRepository('apps')).filter(
    (app) => app !== 'console' && existsSync(inRepository(`apps/${app}/package.json`)),
  );
  expect(Object.keys(IMAGES).sort()).toEqual(apps.sort());
  const stages = [...dockerfile.matchAll(/^FROM (?:service|runtime) AS (\S+)$/gm)].map(([, stage]) => stage);
  expect(stages.filter((stage) => stage !== 'service').sort()).toEqual(apps.sort());
  const workflow = parse(readFileSync(inRepository('.github/workflows/ci.yml'), 'utf8')) as Workflow;
  expect(workflow.jobs.images.strategy.matrix.app.toSorted()).toEqual(apps.sort());
});

it.each(Object.keys(IMAGES).filter((app) => app !== 'cli'))(
  'the image of %s exposes the ports of the settings',
  async (app) => {
    const { definition } = (await import(
      pathToFileURL(inRepository(`apps/${app}/dist/src/settings.js`)).href
    )) as { definition: SettingsDefinition };
    const ports = Object.entries(definition).filter(([name]) => name === 'PORT' || name === 'OPERATOR_PORT');
    const exposed = ports.map(([, { default: port }]) => port);
    if ('MANAGEMENT_PORT' in definition) exposed.push(String(Number(definition['PORT']?.default) + 1_000));
    const lines = dockerfile.split(`FROM service AS ${app}\n`)[1]?.split('\n\n')[0] ?? '';
    expect(/EXPOSE (.*)/.exec(lines)?.[1]?.split(' ')).toEqual(expect.arrayContaining(exposed));
  },
);

it('lists only modules that find something by their address, and files that exist', () => {
  const modules = [
    ...Object.keys(RUNTIME_NEEDS),
    ...Object.values(RUNTIME_NEEDS).flatMap(({ files = [], workers = [] }) => [...files, ...workers]),
  ];
  expect(modules.filter((path) => !existsSync(inRepository(path)))).toEqual([]);
  const withoutAddress = Object.keys(RUNTIME_NEEDS).filter(
    (module) => !readFileSync(inRepository(module), 'utf8').includes('import.meta.'),
  );
  expect(withoutAddress).toEqual([]);
});

describe('collectNeeds', () => {
  it('collects what the modules of a bundle need', () => {
    const modules = [
      'apps/gateway/dist/src/documents/documents.controller.js',
      'libs/identity/dist/src/crypto/wasm-keccak.js',
    ];
    expect(collectNeeds(modules, () => true)).toEqual({
      files: ['apps/gateway/rest.yaml', 'apps/gateway/ws.yaml'],
      workers: [],
      packages: [{ from: modules[1], specifier: 'hash-wasm/dist/keccak.umd.min.js' }],
    });
  });

  it('refuses a module that finds files and is not listed', () => {
    expect(() => collectNeeds(['libs/market/dist/new.js'], () => true)).toThrow('libs/market/dist/new.js');
  });
});
