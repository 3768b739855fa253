import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** In the data folder of a running `npm start`: for `busbridge`, and for another `npm start` with the same data. */
export const SYSTEM_FILE = 'busbridge.json';

export interface SystemDescription {
  /** The socket that the process listens on while it runs. */
  readonly lockSocket: string;
  /** Variables that belong together. They are missing until everything has started. */
  readonly groups?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** @returns undefined without a file, and an object without a socket for a damaged one */
export function readSystemFile(folder: string): Partial<SystemDescription> | undefined {
  const text = readIfThere(join(folder, SYSTEM_FILE));
  return text === undefined ? undefined : parseSystem(text);
}

function parseSystem(text: string): Partial<SystemDescription> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return {};
  }
  const { lockSocket, groups } = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof lockSocket === 'string' && { lockSocket }),
    ...(isObject(groups) &&
      Object.values(groups).every(isObject) && { groups: groups as SystemDescription['groups'] }),
  };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A process that ends removes its files at any time. Those of another user do not matter. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
