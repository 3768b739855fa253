import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY_ROOT } from '../../../system/processes.js';

const healthcheck = z.union([
  z.strictObject({ disable: z.literal(true) }),
  z.looseObject({ test: z.array(z.string()) }),
]);

/** The keys of a service that the checks use. Compose's own loader checks the others. */
const service = z.looseObject({
  image: z.string(),
  build: z.strictObject({ context: z.string(), args: z.strictObject({ APP: z.string() }) }).optional(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }),
    )
    .default({}),
  healthcheck: healthcheck.optional(),
  networks: z.array(z.string()).default([]),
  network_mode: z.string().optional(),
  ports: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  tmpfs: z.array(z.string()).default([]),
  user: z.string().optional(),
  volumes: z.array(z.string()).default([]),
});
export type ComposeService = z.output<typeof service>;

const composeFile = z.looseObject({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
  networks: z.record(z.string(), z.unknown()),
});

/** docker-compose.yml without variables of the environment, so with its defaults. */
export function readComposeFile(): z.output<typeof composeFile> {
  const text = readRepositoryFile('docker-compose.yml').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
  return composeFile.parse(parse(text, { merge: true, maxAliasCount: -1 }));
}

export function readRepositoryFile(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
}

/** Runs the job that writes the secrets, in a folder on this machine. */
export function createSecrets(folder: string): void {
  const command = readComposeFile().services['keys']?.command as string[];
  const args = command.map((each) => each.replace(/^\/(?=keys|secrets)/, `${folder}/`));
  execFileSync(process.execPath, [join(REPOSITORY_ROOT, 'apps/cli/dist/src/main.js'), ...args]);
}

/** Names of the files in /run/secrets that a service or a text refers to. */
export function findSecretFiles(text: string): Set<string> {
  return new Set([...text.matchAll(/\/run\/secrets\/([\w.-]+)/g)].map(([, name = '']) => name));
}

/** The volume of a service's secrets; undefined when it has none. */
export function secretsVolume({ volumes }: ComposeService): string | undefined {
  return volumes
    .map((volume) => volume.split(':'))
    .find(([, target]) => target === '/run/secrets')
    ?.at(0);
}

/** A job ends when its work is done. */
export function isJob({ restart }: ComposeService): boolean {
  return restart === 'no';
}
