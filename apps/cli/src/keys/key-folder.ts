import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KeyFolder } from '@ssb/keys';
import { CommandError, EXIT } from '../exit.js';
import { systemDataFolder } from '../settings.js';

/** In the data folder of npm start. */
const SECRETS_FOLDER = 'secrets';
const STANDARD_DATA_FOLDER = '.data';

/** The folder of --dir, of BUSBRIDGE_DATA, of the running npm start, or below this folder. @throws CommandError without one */
export function findFolder(given: string | undefined, { mayBeMissing = false } = {}): KeyFolder {
  const dir = given ?? findSystemKeys();
  if (dir === undefined)
    throw new CommandError(
      'No folder of keys: give --dir, set BUSBRIDGE_DATA, or run npm start in this clone.',
      EXIT.configuration,
    );
  if (!mayBeMissing && !existsSync(dir))
    throw new CommandError(
      `The folder ${dir} does not exist. Give another --dir${given === undefined ? ', or correct BUSBRIDGE_DATA' : ''}.`,
      EXIT.configuration,
    );
  return new KeyFolder(resolve(dir));
}

function findSystemKeys(): string | undefined {
  const data = systemDataFolder();
  if (data !== undefined) return join(data, SECRETS_FOLDER);
  const standard = join(STANDARD_DATA_FOLDER, SECRETS_FOLDER);
  return existsSync(standard) ? standard : undefined;
}
