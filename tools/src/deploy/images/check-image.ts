import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CheckFailure } from '../deploy-check.js';
import { CHECKED } from './build-images.js';
import { type ImageConfig, type MountedImage, runInContainer } from './container.js';
import { IMAGES, RUNTIME_NEEDS } from './image-contents.js';

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

/** Checks configuration, user and root file system of a container, and that each command loads. @throws CheckFailure */
export async function checkImage(app: string, image: MountedImage): Promise<void> {
  const found = describeConfig(image.config);
  const expected = expectedConfig(app);
  if (!isDeepStrictEqual(found, expected))
    throw contractFailure(app, `has ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  const own = Object.entries(RUNTIME_NEEDS).filter(([module]) => module.startsWith(`apps/${app}/`));
  const packages = own.flatMap(([, needs]) => needs.packages ?? []);
  const probe = await runInContainer(image, {
    args: ['node', '--input-type=module', '--eval', PROBE, JSON.stringify(packages)],
  });
  if (probe.trim() !== '{"pid":1,"user":1000,"group":1000,"refusal":"EROFS"}')
    throw contractFailure(app, `starts with ${probe.trim()}`);
  for (const command of Object.keys(IMAGES[app] ?? {}))
    if (command !== 'main') await runInContainer(image, { args: ['node', `${command}.js`, '--help'] });
  if (app !== 'cli') return;
  await runInContainer(image, { args: ['busbridge', 'migrate', '--setup-sql', 'bridge'] });
  const configFile = join(REPOSITORY_ROOT, 'config/bridge.yaml');
  await runInContainer(image, {
    args: ['busbridge', 'config', 'check', '--file', configFile, '--allow-unset'],
    mounts: [{ path: configFile, writable: false }],
  });
}

function expectedConfig(app: string): object {
  return {
    user: '1000:1000',
    folder: '/app',
    entryPoint: app === 'cli' ? ['busbridge'] : ['node'],
    command: app === 'cli' ? [] : ['main.js'],
    healthcheck: app === 'cli' ? ['NONE'] : ['CMD', 'node', 'healthcheck.js'],
    labels: {
      title: `settlement-bus-bridge/${app}`,
      version: CHECKED.VERSION,
      revision: CHECKED.REVISION,
      source: CHECKED.SOURCE,
      description: true,
    },
  };
}

function describeConfig({ User, WorkingDir, Entrypoint, Cmd, Healthcheck, Labels }: ImageConfig): object {
  const label = (name: string): string | undefined => Labels[`org.opencontainers.image.${name}`];
  return {
    user: User,
    folder: WorkingDir,
    entryPoint: Entrypoint,
    command: Cmd ?? [],
    healthcheck: Healthcheck?.Test,
    labels: {
      title: label('title'),
      version: label('version'),
      revision: label('revision'),
      source: label('source'),
      description: Boolean(label('description')),
    },
  };
}
