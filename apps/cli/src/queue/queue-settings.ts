import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FixedKeys, parseKeyRing, type KeySource } from '@ssb/keys';
import { parseConfiguredFile, readSettings } from '@ssb/platform';
import { environment, queueCommandSettings } from '../settings.js';

/** Prefix and keys of the queue. In the folder of a running `npm start` the keys are those in .data. */
export function readQueueSettings(): { prefix: string; keys: KeySource } {
  const running = join('.data', 'secrets', 'integrity.keys');
  const { QUEUE_PREFIX, INTEGRITY_KEYS_FILE: path } = readSettings(queueCommandSettings, {
    ...environment,
    INTEGRITY_KEYS_FILE: environment['INTEGRITY_KEYS_FILE'] || (existsSync(running) ? running : undefined),
  });
  const ring = parseConfiguredFile(path, () => parseKeyRing(readFileSync(path, 'utf8')));
  return { prefix: QUEUE_PREFIX, keys: new FixedKeys(ring) };
}
