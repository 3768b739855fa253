import { cpSync, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

interface PackageManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Documentation, types and maps, which no package reads at run time. */
const UNUSED_FILES = /\.(md|map|[cm]?ts|flow)$/;

/** Copies installed packages with their production dependencies from one tree to another, each to the same path. */
export class PackageCopier {
  private readonly copied = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly target: string,
  ) {}

  /**
   * @param specifier a package, or a file in it
   * @param from folder that requires the package
   * @throws Error when it is not installed
   */
  copy(specifier: string, from: string): void {
    if (!this.copyIfInstalled(specifier, from))
      throw new Error(`${from} needs ${specifier}, which is not installed. Run npm ci, then build again.`);
  }

  /** @returns false when it is not installed */
  copyIfInstalled(specifier: string, from: string): boolean {
    const folder = this.find(specifier, from);
    if (folder === undefined) return false;
    if (this.copied.has(folder)) return true;
    this.copied.add(folder);
    cpSync(folder, join(this.target, relative(this.root, folder)), {
      recursive: true,
      // A package of this repository is a link in `node_modules`.
      dereference: true,
      filter: (path) => path === folder || isUsed(path),
    });
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageManifest;
    const { dependencies = {}, optionalDependencies = {} } = manifest;
    for (const name of Object.keys(optionalDependencies)) this.copyIfInstalled(name, folder);
    // npm lists an optional dependency in both.
    for (const name of Object.keys(dependencies))
      if (!(name in optionalDependencies)) this.copy(name, folder);
    return true;
  }

  /** Node's own search: `node_modules` of each folder upwards. */
  private find(specifier: string, from: string): string | undefined {
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    for (let folder = from; ; folder = dirname(folder)) {
      const candidate = join(folder, 'node_modules', name);
      if (existsSync(join(candidate, 'package.json'))) return candidate;
      if (folder === this.root || folder === dirname(folder)) return undefined;
    }
  }
}

function isUsed(path: string): boolean {
  const name = basename(path);
  // Prebuilt native modules of other platforms.
  if (basename(dirname(path)) === 'prebuilds') return name === `${process.platform}-${process.arch}`;
  // Nested packages are copied when a package requires them.
  return name !== 'node_modules' && !UNUSED_FILES.test(name);
}
