import { ProblemException } from '@ssb/platform';
import { Conditions, type Database } from '@ssb/postgres';
import { visibleParticipants, type Caller } from '../access/caller.js';

/** A whole id or its beginning, for a JSON Schema. */
export const BEGINNING_OF_ID = '^[0-9a-fA-F][0-9a-fA-F-]{5,35}$';
/** Ids that an error lists. */
const MAX_CANDIDATES = 10;

/** The column with the participant of each table that has ids of events. */
const PARTICIPANT = { archive: 'participant', delivery: 'listed_participant' } as const;

const PATTERN = new RegExp(BEGINNING_OF_ID);

export function isBeginningOfId(text: string): boolean {
  return PATTERN.test(text);
}

/**
 * The id of an event that the caller may see, or of a message about one. Undefined when none begins so.
 * @param text an id, or its first 6 characters or more
 * @throws ProblemException 409 when several begin so
 */
export async function findId(
  database: Database,
  caller: Caller,
  text: string,
  tables: readonly (keyof typeof PARTICIPANT)[] = ['archive'],
): Promise<string | undefined> {
  if (!isBeginningOfId(text)) return undefined;
  const beginning = text.toLowerCase();
  const values = new Conditions();
  const [start, end, limit] = [beginning, `${beginning}g`, MAX_CANDIDATES + 1].map((value) =>
    values.parameter(value),
  );
  const participants = visibleParticipants(caller, undefined);
  const visible = participants && `ANY (${values.parameter(participants)}::text[])`;
  // Every character of an id comes before the letter g.
  const searches = tables.map(
    (table) =>
      `(SELECT DISTINCT event_id AS id FROM ${table} WHERE event_id >= ${start} AND event_id < ${end}
        ${visible === undefined ? '' : `AND ${PARTICIPANT[table]} = ${visible}`} ORDER BY event_id LIMIT ${limit})`,
  );
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM (${searches.join(' UNION ')}) AS found ORDER BY id LIMIT ${limit}`,
    values.values,
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length <= 1 || ids[0] === beginning) return ids[0];
  const more = ids.length > MAX_CANDIDATES ? ' and others' : '';
  throw new ProblemException(
    409,
    'Conflict',
    `Several events begin with ${beginning}: ${ids.slice(0, MAX_CANDIDATES).join(', ')}${more}. Give more characters.`,
  );
}
