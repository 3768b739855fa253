import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Program } from '../../programs/required-programs.js';
import { removeOnExit } from '../remove-on-exit.js';

/** A tool of the deployment checks that is built or downloaded once. */
export interface Tool {
  readonly name: string;
  /** Changes whenever the tool must be built again. */
  readonly version: string;
  /** Path inside the tool's folder: its executable, or `.` for a folder of data. */
  readonly path: string;
  /** Debian programs that `build` runs. */
  readonly programs?: readonly Program[];
  /** Writes the tool into an empty folder; throws when it cannot. */
  readonly build: (folder: string) => Promise<void>;
}

const BUILD_PREFIX = '.building-';

/** Builds that were killed leave their folder behind. No build takes that long. */
const MAX_BUILD_AGE_MS = 86_400_000;

/** Steps that take longer are announced with their duration. */
const MAX_SILENCE_MS = 2_000;

/** Keeps built tools outside of the repository, so that every clone and every run uses the same ones. */
export class ToolCache {
  private readonly provided = new Map<string, Promise<string>>();
  private builds = 0;

  constructor(
    private readonly onProgress: (text: string) => void,
    private readonly folder = join(findCacheFolder(), 'tools'),
  ) {}

  /** Builds the tool unless it is in the cache. @returns the path of its executable or folder */
  async provide(tool: Tool): Promise<string> {
    const key = `${tool.name}-${tool.version}`;
    const started = this.provided.get(key) ?? this.buildOnce(tool, join(this.folder, key));
    this.provided.set(key, started);
    return join(await started, tool.path);
  }

  /** True if a tool was built in this process. */
  get hasBuilt(): boolean {
    return this.builds > 0;
  }

  private async buildOnce(tool: Tool, target: string): Promise<string> {
    if (existsSync(target)) return target;
    mkdirSync(this.folder, { recursive: true });
    this.removeAbandonedBuilds();
    const building = mkdtempSync(join(this.folder, BUILD_PREFIX));
    const remove = removeOnExit(building);
    const started = Date.now();
    this.builds += 1;
    const timer = setTimeout(
      () => this.onProgress(`building ${tool.name} ${tool.version}, once …`),
      MAX_SILENCE_MS,
    );
    try {
      await tool.build(building);
      publish(building, target);
    } catch (error) {
      throw new Error(
        `${tool.name} could not be built. ${String(error instanceof Error ? error.message : error)}`,
        {
          cause: error,
        },
      );
    } finally {
      clearTimeout(timer);
      remove();
    }
    const seconds = (Date.now() - started) / 1_000;
    if (seconds * 1_000 > MAX_SILENCE_MS) this.onProgress(`${tool.name} built in ${seconds.toFixed(0)} s`);
    return target;
  }

  private removeAbandonedBuilds(): void {
    for (const name of readdirSync(this.folder).filter((each) => each.startsWith(BUILD_PREFIX))) {
      const path = join(this.folder, name);
      const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
      if (Date.now() - mtimeMs > MAX_BUILD_AGE_MS) rmSync(path, { recursive: true, force: true });
    }
  }
}

/** A rename is atomic. If another process was faster, its result is used. */
function publish(building: string, target: string): void {
  try {
    renameSync(building, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}

/** Folder of this project for data that every clone and every run can share. */
export function findCacheFolder(): string {
  const { XDG_CACHE_HOME } = process.env;
  const base =
    XDG_CACHE_HOME === undefined || XDG_CACHE_HOME === '' ? join(homedir(), '.cache') : XDG_CACHE_HOME;
  return join(base, 'settlement-bus-bridge');
}
