import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KeyFolder } from '@ssb/keys';
import { CommandError, EXIT } from '../exit.js';

const DEVELOPMENT_FOLDER = join('.data', 'secrets');

/** The folder of --dir, or of npm start. @throws CommandError without one */
export function findFolder(given: string | undefined, { mayBeMissing = false } = {}): KeyFolder {
  const dir = given ?? (existsSync(DEVELOPMENT_FOLDER) ? DEVELOPMENT_FOLDER : undefined);
  if (dir === undefined)
    throw new CommandError(
      'No folder of keys: give --dir, or run this in the folder of npm start.',
      EXIT.configuration,
    );
  if (!mayBeMissing && !existsSync(dir))
    throw new CommandError(`The folder ${dir} does not exist. Give another --dir.`, EXIT.configuration);
  return new KeyFolder(resolve(dir));
}
