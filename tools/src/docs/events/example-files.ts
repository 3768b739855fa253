import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventType, SignedEvent } from '@ssb/events';
import { REPOSITORY_ROOT } from '../../system/processes.js';

/** The published example of a type; libs/events writes the file. */
export function readExample(type: EventType): SignedEvent {
  const file = join(REPOSITORY_ROOT, `libs/events/examples/${type}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as SignedEvent;
}
