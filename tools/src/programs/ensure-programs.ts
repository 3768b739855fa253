import { installByApt } from './install-by-apt.js';
import type { Program } from './program.js';

export interface EnsureOptions {
  readonly searchPath: string;
  /** Told before something slow begins. */
  readonly onProgress?: ((what: string) => void) | undefined;
  readonly install?: (packages: readonly string[]) => boolean;
}

/**
 * Makes sure that programs are on the machine: those that are missing are installed by apt-get, all at once, where that is possible.
 * @returns the programs that are missing still; none when all is well
 */
export function ensurePrograms(
  programs: readonly Program[],
  { searchPath, onProgress, install = installByApt }: EnsureOptions,
): Program[] {
  const missing = (): Program[] => programs.filter(({ find }) => find(searchPath) === undefined);
  const packages = missing().map(({ aptPackage }) => aptPackage);
  if (packages.length === 0) return [];
  onProgress?.(`installing ${packages.join(', ')} with apt-get …`);
  install(packages);
  return missing();
}

/** What to tell a person about programs that could not be installed. */
export function describeMissing(programs: readonly Program[]): string {
  const names = programs.map(({ name, aptPackage }) => `  ${name} (Debian package ${aptPackage})`);
  return [
    'These programs are needed and could not be installed:',
    ...names,
    'Install them, or run this as root on Debian or Ubuntu with a network, and they are installed by apt-get.',
  ].join('\n');
}
