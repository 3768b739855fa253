import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool } from './tool-cache.js';
import { Wheel, WHEEL_PROGRAMS } from './wheel.js';

const wheel = new Wheel('kubernetes-schemas');

const SCHEMAS = 'kubernetes_validate/kubernetes-json-schema';

/** Only the strict ones refuse unknown fields. */
const STRICT_FOLDER = /^v(\d+\.\d+\.\d+)-local-strict$/;

/** A folder `<version>` for each version of Kubernetes, with a JSON schema of each kind. */
export const KUBERNETES_SCHEMAS: Tool = {
  name: 'kubernetes-schemas',
  version: wheel.version,
  path: '.',
  programs: WHEEL_PROGRAMS,
  build: async (folder) => {
    const unpacked = mkdtempSync(join(folder, 'wheel-'));
    await wheel.unpack(unpacked);
    for (const name of readdirSync(join(unpacked, SCHEMAS))) {
      const version = STRICT_FOLDER.exec(name)?.[1];
      if (version !== undefined) copySchemas(join(unpacked, SCHEMAS, name), join(folder, version));
    }
    rmSync(unpacked, { recursive: true });
  },
};

/** The schemas refer to an address below "/api". kubeconform needs relative references, and no `$id` to resolve them against. */
function copySchemas(source: string, target: string): void {
  mkdirSync(target);
  cpSync(source, target, { recursive: true });
  for (const file of readdirSync(target)) {
    const text = readFileSync(join(target, file), 'utf8');
    const schema = text
      .replace(/"\$id":\s*"[^"]*"/, '"title": ""')
      .replaceAll('"/api/_definitions.json', '"_definitions.json');
    writeFileSync(join(target, file), schema);
  }
}

/** @returns the versions in the folder of the tool, oldest first */
export function listKubernetesVersions(folder: string): string[] {
  const minor = (version: string): number => Number(version.split('.')[1]);
  return readdirSync(folder).toSorted((a, b) => minor(a) - minor(b));
}
