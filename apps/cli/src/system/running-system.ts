import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acceptsConnections } from '@ssb/platform/files';
import { CommandError, EXIT } from '../exit.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** What a running `npm start` keeps in its data folder for the commands (tools/src/start/running-system.ts). */
interface SystemDescription {
  /** The socket that it listens on while it runs. */
  readonly lockSocket: string;
  /** Variables that belong together: one that is set in the environment takes the place of its whole group. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface RunningSystem extends SystemDescription {
  /** Of its data. */
  readonly folder: string;
}

const SYSTEM_FILE = 'busbridge.json';
/** Has a file for each running system of this clone, with the path of its data folder. */
const SYSTEMS_FOLDER = join('.data', 'systems');
/** Whoever sets these means another bridge than a system of the clone. */
const EXPLICIT = ['BUSBRIDGE_URL', 'BUSBRIDGE_PROFILE'];
const CREDENTIALS = ['BUSBRIDGE_TOKEN', 'BUSBRIDGE_CERT_FILE'];
/** A configuration file may refer to variables of the environment and of the running system. */
const MERGED_GROUP = 'configuration';

/** As the latest command has found them. */
let running: readonly RunningSystem[] = [];
let damaged: CommandError | undefined;

/** Looks for the running systems: that of BUSBRIDGE_DATA, or those of this clone. Each command does it first. */
export async function findRunningSystems(environment: Variables): Promise<void> {
  const chosen = environment['BUSBRIDGE_DATA'];
  const found: RunningSystem[] = [];
  damaged = undefined;
  for (const folder of new Set(chosen ? [resolve(chosen)] : listFolders())) {
    const file = join(folder, SYSTEM_FILE);
    const text = readIfThere(file);
    if (text === undefined) continue;
    const system = parseSystem(text);
    if (system === undefined)
      damaged = new CommandError(
        `${file} is damaged. End its npm start and start it again, or remove the file.`,
        EXIT.configuration,
      );
    else if (await acceptsConnections(system.lockSocket)) found.push({ folder, ...system });
  }
  running = found;
}

/** Undefined for another text than that of this release. */
function parseSystem(text: string): SystemDescription | undefined {
  try {
    const { lockSocket, groups } = JSON.parse(text) as Partial<Record<keyof SystemDescription, unknown>>;
    return typeof lockSocket === 'string' && isObject(groups) && Object.values(groups).every(isObject)
      ? { lockSocket, groups: groups as SystemDescription['groups'] }
      : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * The variables of the environment, completed by those of a running `npm start`: that of BUSBRIDGE_DATA, or the only one of this clone.
 * @throws CommandError when several systems run, or the file of one is damaged
 */
export function completeEnvironment(environment: Variables): Variables {
  const system = chooseSystem(environment);
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

/** The data folder of the system whose variables complete the environment. @throws CommandError as `completeEnvironment` does */
export const findDataFolder = (environment: Variables): string | undefined =>
  chooseSystem(environment)?.folder;

function chooseSystem(environment: Variables): RunningSystem | undefined {
  if (EXPLICIT.some((name) => environment[name])) return undefined;
  if (damaged !== undefined) throw damaged;
  const chosen = environment['BUSBRIDGE_DATA'];
  const [first, ...others] = running;
  if (chosen && first === undefined)
    throw new CommandError(
      `No npm start runs with the data folder ${chosen} of BUSBRIDGE_DATA. Start it, or unset the variable.`,
      EXIT.configuration,
    );
  if (others.length === 0) return first;
  const standard = join(findClone() ?? '', '.data');
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
