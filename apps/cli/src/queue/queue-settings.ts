import { readFileSync } from 'node:fs';
import { FixedKeys, parseKeyRing, type KeySource } from '@ssb/keys';
import { parseConfiguredFile, readSettings } from '@ssb/platform';
import { CommandError, EXIT } from '../exit.js';
import { commandEnvironment, queueCommandSettings } from '../settings.js';

/** Prefix and keys of the queue. @throws CommandError without keys, and errors of their file */
export function readQueueSettings(): { prefix: string; keys: KeySource } {
  const environment = commandEnvironment();
  if (!environment['INTEGRITY_KEYS_FILE'])
    throw new CommandError(
      'No keys of the queue: set INTEGRITY_KEYS_FILE, or run npm start in this clone.',
      EXIT.configuration,
    );
  const { QUEUE_PREFIX, INTEGRITY_KEYS_FILE: path } = readSettings(queueCommandSettings, environment);
  const ring = parseConfiguredFile(path, () => parseKeyRing(readFileSync(path, 'utf8')));
  return { prefix: QUEUE_PREFIX, keys: new FixedKeys(ring) };
}
