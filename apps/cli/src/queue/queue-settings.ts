import { readFileSync } from 'node:fs';
import { FixedKeys, parseKeyRing, type KeySource } from '@ssb/keys';
import { parseConfiguredFile, readSettings } from '@ssb/platform';
import { commandEnvironment, queueCommandSettings } from '../settings.js';

/** Prefix and keys of the queue. */
export function readQueueSettings(): { prefix: string; keys: KeySource } {
  const { QUEUE_PREFIX, INTEGRITY_KEYS_FILE: path } = readSettings(
    queueCommandSettings,
    commandEnvironment(),
  );
  const ring = parseConfiguredFile(path, () => parseKeyRing(readFileSync(path, 'utf8')));
  return { prefix: QUEUE_PREFIX, keys: new FixedKeys(ring) };
}
