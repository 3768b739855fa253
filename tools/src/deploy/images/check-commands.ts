import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CheckFailure } from '../check-failure.js';
import { type MountedImage, runInContainer } from './container.js';
import { IMAGES, RUNTIME_NEEDS } from './image-contents.js';
import { CHECKED } from './build-images.js';

/** An image is not what docs/operate/images.md describes. */
export function contractFailure(app: string, fault: string): CheckFailure {
  return new CheckFailure(
    `The image of ${app} ${fault}. docs/operate/images.md describes what it must be; correct the Dockerfile.`,
  );
}

/** Runs in each image. Prints what a container finds about itself. */
const PROBE = `
const { writeFileSync } = await import('node:fs');
let refusal = 'none';
try { writeFileSync('/app/probe', ''); } catch (error) { refusal = error.code; }
const packages = JSON.parse(process.argv[1]);
for (const name of packages) (await import('node:module')).createRequire('/app/main.js').resolve(name);
console.log(JSON.stringify({ pid: process.pid, user: process.getuid(), group: process.getgid(), refusal }));`;

const EXPECTED_PROBE = { pid: 1, user: 1000, group: 1000, refusal: 'EROFS' };

/** Compares the configuration of an image with its description. @throws CheckFailure */
export function checkConfig(app: string, { config }: MountedImage): void {
  const expected =
    app === 'cli'
      ? { Entrypoint: ['busbridge'], Cmd: null, Healthcheck: ['NONE'] }
      : { Entrypoint: ['node'], Cmd: ['main.js'], Healthcheck: ['CMD', 'node', 'healthcheck.js'] };
  const found = {
    Entrypoint: config.Entrypoint,
    Cmd: config.Cmd?.length ? config.Cmd : null,
    Healthcheck: config.Healthcheck?.Test,
  };
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw contractFailure(app, `has ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  if (config.User !== '1000:1000' || config.WorkingDir !== '/app')
    throw contractFailure(app, `runs as ${config.User} in ${config.WorkingDir}`);
  checkLabels(app, config.Labels);
}

const LABEL_PREFIX = 'org.opencontainers.image.';

function checkLabels(app: string, labels: Readonly<Record<string, string>>): void {
  const own = Object.entries(labels).filter(([name]) => name.startsWith(LABEL_PREFIX));
  const { description = '', ...found } = Object.fromEntries(
    own.map(([name, value]) => [name.slice(LABEL_PREFIX.length), value]),
  );
  const expected = {
    title: `settlement-bus-bridge/${app}`,
    version: CHECKED.VERSION,
    revision: CHECKED.REVISION,
    source: CHECKED.SOURCE,
  };
  if (description === '' || !isDeepStrictEqual(found, expected))
    throw contractFailure(
      app,
      `has the labels ${JSON.stringify(labels)} instead of ${JSON.stringify(expected)} and a description`,
    );
}

/** Checks that the container is what an orchestrator would start, and that each command loads. */
export async function checkCommands(app: string, image: MountedImage): Promise<void> {
  const bundled = Object.entries(RUNTIME_NEEDS).filter(([module]) => module.startsWith(`apps/${app}/`));
  const packages = bundled.flatMap(([, needs]) => needs.packages ?? []);
  const probe = await runInContainer(image, {
    args: ['node', '--input-type=module', '--eval', PROBE, JSON.stringify(packages)],
  });
  if (probe.trim() !== JSON.stringify(EXPECTED_PROBE))
    throw contractFailure(app, `started with ${probe.trim()} instead of ${JSON.stringify(EXPECTED_PROBE)}`);
  for (const command of Object.keys(IMAGES[app]?.commands ?? {}))
    if (command !== 'main') await runInContainer(image, { args: ['node', `${command}.js`, '--help'] });
}

/** `busbridge` as the entry point, and on the PATH. */
export async function checkCommandLine(image: MountedImage): Promise<void> {
  const help = await runInContainer(image, { args: ['busbridge', '--help'] });
  if (!help.includes('Usage: busbridge')) throw contractFailure('cli', `prints no help: ${help}`);
  const configFile = join(REPOSITORY_ROOT, 'config/bridge.yaml');
  await runInContainer(image, {
    args: [...(image.config.Entrypoint ?? []), 'config', 'check', '--file', configFile, '--allow-unset'],
    mounts: [{ path: configFile, writable: false }],
  });
}
