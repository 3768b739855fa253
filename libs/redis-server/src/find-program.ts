import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The servers that speak Redis's protocol and keep its promises, in order of preference. */
export const REDIS_PROGRAMS = ['redis-server', 'valkey-server'] as const;

/** The first of the Redis servers found on a search path, as an absolute file name; undefined when there is none. */
export function findRedisProgram(searchPath: string): string | undefined {
  for (const program of REDIS_PROGRAMS) {
    for (const folder of searchPath.split(delimiter)) {
      const file = join(folder, program);
      if (folder !== '' && isExecutable(file)) return file;
    }
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
