import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../check/run-command.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { runOrFail } from '../deploy-check.js';
import type { Tool } from './tool-cache.js';

/** The modules of `tools/go` need it. */
const MIN_GO = { major: 1, minor: 26 };

export interface GoToolOptions {
  /** Folder in `tools/go`; its go.mod and go.sum pin the tool and all of its dependencies. */
  readonly name: string;
  /** Module whose version is the tool's version. */
  readonly module: string;
  /** Package in that module; without it the tool is a program of this repository. */
  readonly package?: string;
  /** Variables that the linker sets. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A program that is built from source by Go. */
export function goTool({ name, module, package: goPackage = '.', variables = {} }: GoToolOptions): Tool {
  const folder = join(REPOSITORY_ROOT, 'tools/go', name);
  const values = Object.entries(variables).map(([variable, value]) => `-X ${variable}=${value}`);
  const flags = ['-s -w', ...values].join(' ');
  return {
    name,
    version: `${readVersion(folder, module)}-${digest(folder, flags)}`,
    path: name,
    build: async (output) => {
      const args = ['build', '-trimpath', '-ldflags', flags, '-o', join(output, name), goPackage];
      // Without cgo the result does not depend on a C compiler.
      await runOrFail(await findGo(folder), args, { cwd: folder, environment: { CGO_ENABLED: '0' } });
    },
  };
}

/** @returns the program `go`, which is recent enough for the module in the folder */
export async function findGo(folder: string, program = 'go'): Promise<string> {
  const { ok, output } = await runCommand(program, ['version'], { cwd: folder });
  const [, major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(output) ?? []).map(Number);
  const recent = major > MIN_GO.major || (major === MIN_GO.major && minor >= MIN_GO.minor);
  if (ok && recent) return program;
  throw new Error(
    [
      `Go ${MIN_GO.major}.${MIN_GO.minor} or later is required; "${program} version" printed: ${output.trim()}`,
      'Install it from https://go.dev/dl, or as the package golang of a current distribution, and put its folder bin on the PATH.',
    ].join('\n'),
  );
}

function readVersion(folder: string, module: string): string {
  const version = new RegExp(`${module} v(\\S+)`).exec(readFileSync(join(folder, 'go.mod'), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${folder}/go.mod does not require ${module}.`);
  return version;
}

/** Changes with the sources, the dependencies and the flags. */
function digest(folder: string, flags: string): string {
  const hash = createHash('sha256').update(flags);
  for (const file of readdirSync(folder).toSorted()) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 8);
}
