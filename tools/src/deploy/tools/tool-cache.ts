import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CheckFailure } from '../deploy-check.js';

/** A tool of the deployment checks that is built or downloaded once. */
export interface Tool {
  readonly name: string;
  /** Changes whenever the tool must be built again. */
  readonly version: string;
  /** Path inside the tool's folder: its executable, or `.` for a folder of data. */
  readonly path: string;
  /** Writes the tool into an empty folder; throws when it cannot. */
  readonly build: (folder: string) => Promise<void>;
}

/** Folder outside of the repository for data that every clone and every run can share. */
export const CACHE_FOLDER = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'settlement-bus-bridge',
);

const provided = new Map<string, Promise<string>>();

/**
 * Builds the tool unless it is in the cache.
 * @returns the path of its executable or folder
 * @throws CheckFailure
 */
export async function provideTool(tool: Tool, cacheFolder = join(CACHE_FOLDER, 'tools')): Promise<string> {
  const target = join(cacheFolder, `${tool.name}-${tool.version}`);
  const started = provided.get(target) ?? buildOnce(tool, target, cacheFolder);
  provided.set(target, started);
  await started;
  return join(target, tool.path);
}

async function buildOnce({ name, build }: Tool, target: string, cacheFolder: string): Promise<string> {
  if (existsSync(target)) return target;
  mkdirSync(cacheFolder, { recursive: true });
  const building = mkdtempSync(join(cacheFolder, '.building-'));
  try {
    await build(building);
    // A rename is atomic. If another process was faster, its result is used.
    if (!existsSync(target)) renameSync(building, target);
  } catch (error) {
    if (existsSync(target)) return target;
    throw new CheckFailure(`${name} could not be built. ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return target;
}
