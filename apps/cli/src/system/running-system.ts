import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFolderLocked } from '@ssb/platform/files';
import { CommandError, EXIT } from '../exit.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** What a running `npm start` keeps in its data folder for the commands (tools/src/start/running-system.ts). */
interface RunningSystem {
  /** The folder that it has locked while it runs. */
  readonly lock: string;
  /** Variables that belong together: one that is set in the environment takes the place of its whole group. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const SYSTEM_FILE = 'busbridge.json';
/** Has a file for each running system of this clone, with the path of its data folder. */
const SYSTEMS_FOLDER = join('.data', 'systems');
/** Whoever sets these means another bridge than a system of the clone. */
const EXPLICIT = ['BUSBRIDGE_URL', 'BUSBRIDGE_PROFILE'];
const CREDENTIALS = ['BUSBRIDGE_TOKEN', 'BUSBRIDGE_CERT_FILE'];
/** A configuration file may refer to variables of the environment and of the running system. */
const MERGED_GROUP = 'configuration';

/** By data folder, as the latest command has found them. */
let running: ReadonlyMap<string, RunningSystem> = new Map();

/** Looks for the running systems: that of BUSBRIDGE_DATA, or those of this clone. Each command does it first. */
export async function findRunningSystems(environment: Variables): Promise<void> {
  const chosen = environment['BUSBRIDGE_DATA'];
  const found = new Map<string, RunningSystem>();
  for (const folder of chosen ? [resolve(chosen)] : listFolders()) {
    const text = readIfThere(join(folder, SYSTEM_FILE));
    const system = text === undefined ? undefined : (JSON.parse(text) as RunningSystem);
    if (system !== undefined && (await isFolderLocked(system.lock))) found.set(folder, system);
  }
  running = found;
}

/**
 * The variables of the environment, completed by those of a running `npm start`: that of BUSBRIDGE_DATA, or the only one of this clone.
 * @throws CommandError when several systems run
 */
export function completeEnvironment(environment: Variables): Variables {
  if (EXPLICIT.some((name) => environment[name])) return environment;
  const system = chooseSystem(environment['BUSBRIDGE_DATA']);
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

function chooseSystem(chosen: string | undefined): RunningSystem | undefined {
  const [first, ...others] = running.values();
  if (chosen && first === undefined)
    throw new CommandError(
      `No npm start runs with the data folder ${chosen} of BUSBRIDGE_DATA. Start it, or unset the variable.`,
      EXIT.configuration,
    );
  if (others.length === 0) return first;
  const standard = running.get(join(findClone() ?? '', '.data'));
  if (standard !== undefined) return standard;
  throw new CommandError(
    `Several systems run: set BUSBRIDGE_DATA to the data folder of one: ${[...running.keys()].join(', ')}.`,
    EXIT.configuration,
  );
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

function listFolders(): string[] {
  const root = findClone();
  const folder = join(root ?? '', SYSTEMS_FOLDER);
  if (root === undefined || !existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => readIfThere(join(folder, name))?.trim() ?? []);
}

/** A system that ends removes its files at any time. Those of another user do not matter. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
