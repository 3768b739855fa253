import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isOwnPackage } from '../system/own-packages.js';

/** Every server of the tests is a process that a module of this repository starts. */
const IMPURE_MODULES = new Set(['node:child_process', 'child_process']);
const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g;
/** A worker thread or a program that the module names by its file. */
const FILE_URL = /\bnew URL\(\s*'(\.[^']+\.js)'/g;

/** The compiled test files that import nothing that starts a process, also not through other modules of this repository. */
export function selectPureTests(files: readonly string[]): string[] {
  const graph = new ImportGraph();
  return files.filter((file) => !graph.reachesProcesses(file));
}

class ImportGraph {
  private readonly importsByFile = new Map<string, readonly string[]>();

  reachesProcesses(file: string): boolean {
    const seen = new Set([file]);
    for (const each of seen) {
      for (const imported of this.importsOf(each)) {
        if (IMPURE_MODULES.has(imported)) return true;
        seen.add(imported);
      }
    }
    return false;
  }

  /** Paths of the repository's modules, and names of the impure ones. */
  private importsOf(file: string): readonly string[] {
    const known = this.importsByFile.get(file);
    if (known !== undefined) return known;
    const text = readFileSync(file, 'utf8');
    const names = [IMPORT, FILE_URL].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, name = '']) => name),
    );
    const imports = names.flatMap((name) => resolve(name, file));
    this.importsByFile.set(file, imports);
    return imports;
  }
}

function resolve(name: string, importer: string): string[] {
  if (IMPURE_MODULES.has(name)) return [name];
  if (!name.startsWith('.') && !isOwnPackage(name)) return [];
  const url = name.startsWith('.') ? new URL(name, pathToFileURL(importer)) : import.meta.resolve(name);
  const file = fileURLToPath(url);
  return existsSync(file) ? [file] : [];
}
