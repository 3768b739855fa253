import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY_ROOT } from '../../system/processes.js';

const lockFile = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
      optional: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
});

/** A package that `npm ci --omit=dev` installs. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Folder in the repository. */
  readonly path: string;
  readonly licence?: string | undefined;
  readonly integrity?: string | undefined;
  readonly resolved?: string | undefined;
  readonly hasInstallScript: boolean;
}

const MODULES = 'node_modules/';

/** The packages of package-lock.json that are neither for development alone nor of this repository. */
export function readProductionPackages(
  text = readFileSync(join(REPOSITORY_ROOT, 'package-lock.json'), 'utf8'),
): LockedPackage[] {
  const { packages } = lockFile.parse(JSON.parse(text));
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes(MODULES) && dev !== true && link !== true)
    .map(([path, { version = '', license, integrity, resolved, hasInstallScript = false }]) => ({
      name: path.slice(path.lastIndexOf(MODULES) + MODULES.length),
      version,
      path,
      licence: license,
      integrity,
      resolved,
      hasInstallScript,
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
}
