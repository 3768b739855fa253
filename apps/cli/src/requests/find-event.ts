import { toPrintable } from '@ssb/net';
import type { Database } from '@ssb/postgres';
import { RequestError } from './subscriber-database.js';

/** The beginning of a UUID. */
const BEGINNING_OF_ID = /^[0-9a-f-]{6,36}$/;
const MAX_SHOWN_LENGTH = 60;
const MAX_CANDIDATES = 5;

/** @throws RequestError unless it can begin the id of an event or of a problem */
export function parseBeginning(text: string, what: string, command: string): string {
  const beginning = text.toLowerCase();
  if (BEGINNING_OF_ID.test(beginning)) return beginning;
  throw new RequestError(
    `${toPrintable(text, MAX_SHOWN_LENGTH)} is not the id of ${what}: give at least 6 characters of an id that "${command}" shows.`,
  );
}

/**
 * The id that begins so, among those of events, of messages about them and of tests.
 * @throws RequestError when none has it, or several
 */
export async function findEventId(database: Database, text: string): Promise<string> {
  const beginning = parseBeginning(text, 'an event', 'busbridge deliveries list');
  const ids = await database.query<{ id: string }>(
    ['archive', 'delivery', 'attempt']
      .map(
        (table) =>
          `(SELECT DISTINCT event_id AS id FROM ${table} WHERE ${BEGINS} ORDER BY event_id LIMIT $3)`,
      )
      .join(' UNION ') + ' ORDER BY id LIMIT $3',
    // The indexes compare bytes: every character of an id is less than the letter g.
    [beginning, `${beginning}g`, MAX_CANDIDATES + 1],
  );
  const [found] = ids;
  if (found === undefined)
    throw new RequestError(`There is no event ${text}. "busbridge deliveries list" shows the ids of events.`);
  if (ids.length === 1 || found.id === beginning) return found.id;
  const candidates = ids.slice(0, MAX_CANDIDATES).map(({ id }) => id);
  const more = ids.length > MAX_CANDIDATES ? ', and more' : '';
  throw new RequestError(
    `Several events begin with ${text}: ${candidates.join(', ')}${more}. Give more characters of the id.`,
  );
}

const BEGINS = 'event_id >= $1 AND event_id < $2';
