import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError, EXIT } from '../exit.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** What a running `npm start` keeps in its data folder for the commands (tools/src/start/running-system.ts). */
interface RunningSystem {
  readonly pid: number;
  /** Variables that belong together: one that is set in the environment takes the place of its whole group. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const SYSTEM_FILE = 'busbridge.json';
/** Has a file for each running system of this clone, with the path of its data folder. */
const SYSTEMS_FOLDER = join('.data', 'systems');
/** A configuration file may refer to variables of the environment and of the running system. */
/** Whoever sets these means another bridge than a system of the clone. */
const EXPLICIT = ['BUSBRIDGE_URL', 'BUSBRIDGE_PROFILE'];
const CREDENTIALS = ['BUSBRIDGE_TOKEN', 'BUSBRIDGE_CERT_FILE'];
const MERGED_GROUP = 'configuration';

/**
 * The variables of the environment, completed by those of a running `npm start`: that of BUSBRIDGE_DATA, or the only one of this clone.
 * @throws CommandError when several systems run
 */
export function completeEnvironment(environment: Variables): Variables {
  if (EXPLICIT.some((name) => environment[name])) return environment;
  const system = findRunningSystem(environment['BUSBRIDGE_DATA']);
  if (system === undefined) return environment;
  const completed: Record<string, string | undefined> = {};
  for (const [name, variables] of Object.entries(system.groups))
    if (name === MERGED_GROUP || !Object.keys(variables).some((variable) => environment[variable]))
      Object.assign(completed, variables);
  // Credentials of the environment take the place of those of the system.
  if (CREDENTIALS.some((name) => environment[name])) delete completed['BUSBRIDGE_TOKEN_FILE'];
  for (const [name, value] of Object.entries(environment)) if (value) completed[name] = value;
  return completed;
}

function findRunningSystem(chosen: string | undefined): RunningSystem | undefined {
  if (chosen) {
    const system = readSystem(resolve(chosen));
    if (system !== undefined) return system;
    throw new CommandError(
      `No npm start runs with the data folder ${chosen} of BUSBRIDGE_DATA. Start it, or unset the variable.`,
      EXIT.configuration,
    );
  }
  const root = findClone();
  if (root === undefined) return undefined;
  const running = listFolders(root).flatMap((folder) => {
    const system = readSystem(folder);
    return system === undefined ? [] : [{ folder, system }];
  });
  const found = running.find(({ folder }) => folder === join(root, '.data')) ?? running[0];
  if (running.length > 1 && found?.folder !== join(root, '.data'))
    throw new CommandError(
      `Several systems run: set BUSBRIDGE_DATA to the data folder of one: ${running.map(({ folder }) => folder).join(', ')}.`,
      EXIT.configuration,
    );
  return found?.system;
}

/** The folder of the clone that this program belongs to; undefined when it is installed elsewhere. */
function findClone(): string | undefined {
  // From `bundles` and from `apps/cli/dist/src/system`.
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'apps/cli/busbridge.mjs'))) {
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
  return folder;
}

function listFolders(root: string): string[] {
  const folder = join(root, SYSTEMS_FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = readIfThere(join(folder, name));
    return path === undefined ? [] : [path.trim()];
  });
}

/** Undefined when the system has ended. */
function readSystem(folder: string): RunningSystem | undefined {
  const text = readIfThere(join(folder, SYSTEM_FILE));
  if (text === undefined) return undefined;
  const system = JSON.parse(text) as RunningSystem;
  try {
    process.kill(system.pid, 0);
    return system;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? system : undefined;
  }
}

/** A system that ends removes its files at any time. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
