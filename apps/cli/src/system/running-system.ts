import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  acceptsConnections,
  readIfThere,
  readSystemFile,
  SYSTEM_FILE,
  type SystemDescription,
} from '@ssb/platform/files';
import { CommandError, EXIT } from '../exit.js';

type Variables = Readonly<Record<string, string | undefined>>;

interface RunningSystem extends Pick<SystemDescription, 'groups'> {
  /** Folder of its data. */
  readonly folder: string;
}

/** Has a file for each running system of this clone, with the path of its data folder. */
const SYSTEMS_FOLDER = join('.data', 'systems');
/** Whoever sets these means another bridge than a system of the clone. */
const EXPLICIT = ['BUSBRIDGE_URL', 'BUSBRIDGE_PROFILE'];
const CREDENTIALS = ['BUSBRIDGE_TOKEN', 'BUSBRIDGE_CERT_FILE'];
/** A configuration file may refer to variables of the environment and of the running system. */
const MERGED_GROUP = 'configuration';

/** As the latest command has found them. */
let running: readonly RunningSystem[] = [];
let damagedFile: string | undefined;
let clone: string | undefined;

/** Looks for the running systems: that of BUSBRIDGE_DATA, or those of this clone. Each command does it first. */
export async function findRunningSystems(
  { BUSBRIDGE_DATA: chosen }: Variables,
  cloneFolder = findClone(),
): Promise<void> {
  clone = cloneFolder;
  damagedFile = undefined;
  const found: RunningSystem[] = [];
  for (const folder of new Set(chosen ? [resolve(chosen)] : listFolders())) {
    const system = readSystemFile(folder);
    if (system === undefined) continue;
    const { lockSocket, groups } = system;
    if (lockSocket === undefined) damagedFile = join(folder, SYSTEM_FILE);
    else if (await acceptsConnections(lockSocket)) found.push({ folder, groups });
  }
  running = found;
}

/**
 * The variables of the environment, completed by those of a running `npm start`: that of BUSBRIDGE_DATA, or the only one of this clone.
 * A variable of the environment replaces all variables of its group.
 * @throws CommandError when several systems run, when the chosen one does not run, and for a damaged file where no other system runs
 */
export function completeEnvironment(environment: Variables): Variables {
  if (EXPLICIT.some((name) => environment[name])) return environment;
  const system = chooseSystem(environment);
  if (system === undefined) return environment;
  const { folder, groups } = system;
  if (groups === undefined)
    throw new CommandError(
      `The npm start with the data folder ${folder} still starts, or is of another release. Try again, or start it again.`,
      EXIT.configuration,
    );
  const completed: Record<string, string | undefined> = {};
  for (const [name, variables] of Object.entries(groups))
    if (name === MERGED_GROUP || !Object.keys(variables).some((variable) => environment[variable]))
      Object.assign(completed, variables);
  // Credentials of the environment take the place of those of the system.
  if (CREDENTIALS.some((name) => environment[name])) delete completed['BUSBRIDGE_TOKEN_FILE'];
  for (const [name, value] of Object.entries(environment)) if (value) completed[name] = value;
  return completed;
}

/** BUSBRIDGE_DATA, also while nothing runs there, or the data folder of the running system. @throws CommandError when several run */
export const findDataFolder = (environment: Variables): string | undefined =>
  environment['BUSBRIDGE_DATA'] || chooseSystem(environment)?.folder;

function chooseSystem({ BUSBRIDGE_DATA: chosen }: Variables): RunningSystem | undefined {
  const [first, ...others] = running;
  if (first === undefined && damagedFile !== undefined)
    throw new CommandError(
      `${damagedFile} is damaged. End its npm start and start it again, or remove the file.`,
      EXIT.configuration,
    );
  if (first === undefined && chosen)
    throw new CommandError(
      `No npm start runs with the data folder ${chosen} of BUSBRIDGE_DATA. Start it, or unset the variable.`,
      EXIT.configuration,
    );
  if (others.length === 0) return first;
  const standard = join(clone ?? '', '.data');
  const found = running.find(({ folder }) => folder === standard);
  if (found !== undefined) return found;
  throw new CommandError(
    `Several systems run: set BUSBRIDGE_DATA to the data folder of one: ${running.map(({ folder }) => folder).join(', ')}.`,
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
  const folder = join(clone ?? '', SYSTEMS_FOLDER);
  if (clone === undefined || !existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => readIfThere(join(folder, name))?.trim() ?? []);
}
