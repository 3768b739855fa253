import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../../system/processes.js';
import { type Container, type KubernetesObject, listAppContainers, renderChart } from './render-chart.js';

const MINIMAL = 'examples/minimal.yaml';

let containers: readonly Container[];
let minimalJob: string;

beforeAll(async () => {
  const files = ['examples/external-gateway.yaml', 'examples/sandbox.yaml', MINIMAL];
  const rendered = await Promise.all(files.map((file) => renderChart([file])));
  containers = rendered.flat().flatMap(listAppContainers);
  minimalJob = provisioningJob(rendered.at(-1)!);
});

it('busbridge has the commands and options of every Job and Pod', async () => {
  const commands = containers.filter(({ image }) => appOf(image) === 'cli').map(({ args = [] }) => args);
  expect(new Set(commands.map(([name]) => name))).toEqual(
    new Set(['config', 'heartbeat', 'migrate', 'provision']),
  );
  for (const [name, ...options] of commands) {
    const command = await loadCommand(name!);
    await command.parseAsync(options, { from: 'user' });
  }
});

it('every other app has the program that its container runs', () => {
  const programs = containers
    .filter(({ image, args }) => appOf(image) !== 'cli' && args !== undefined)
    .map(({ image, args }) => join('apps', appOf(image), 'dist/src', args![0]!));
  expect(new Set(programs.map((path) => path.split('/').at(-1)))).toEqual(
    new Set(['migrate.js', 'accounts.js']),
  );
  expect(programs.filter((path) => !existsSync(join(REPOSITORY_ROOT, path)))).toEqual([]);
});

// `helm template` has no revisions, and the template of an existing Job cannot be changed.
it('a Job has another name when only the metadata of its pod changes', async () => {
  expect(provisioningJob(await renderChart([MINIMAL], ['commonLabels.team=x']))).not.toBe(minimalJob);
});

function provisioningJob(objects: readonly KubernetesObject[]): string {
  return objects
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    .find((name) => /^Job.*-provisioning-/.test(name))!;
}

function appOf(image: string): string {
  return /settlement-bus-bridge\/([a-z-]+)/.exec(image)![1]!;
}

/** A command of `busbridge` that only parses. */
async function loadCommand(name: string): Promise<Command> {
  const path = join(REPOSITORY_ROOT, 'apps/cli/dist/src/commands', `${name}.js`);
  const module = (await import(path)) as Record<string, () => Command>;
  return module[`${name}Command`]!()
    .exitOverride()
    .action(() => undefined);
}
