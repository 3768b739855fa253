import { ensurePrograms } from '../programs/ensure-programs.js';
import { REDIS } from '../programs/needed-programs.js';

/**
 * A Redis server's program: from the search path, else installed by apt-get when that is possible.
 * @returns its file name, or undefined when there is none and none could be installed
 */
export function ensureRedisProgram(
  searchPath: string,
  onProgress?: (what: string) => void,
): string | undefined {
  ensurePrograms([REDIS], { searchPath, onProgress });
  return REDIS.find(searchPath);
}
