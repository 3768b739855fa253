import { ProblemException } from '@ssb/platform';
import { Conditions, type Database, type SqlValue } from '@ssb/postgres';
import { visibleParticipants, type Caller } from '../access/caller.js';
import { invalid } from '../http/problems.js';
import { isUuid } from '../http/texts.js';

/** For the documentation of a parameter. */
export const ID_DESCRIPTION = 'An id, or its first 6 characters or more.';
/** Characters of an id that may be shortened. */
export const MIN_ID_LENGTH = 6;
/** A whole id or its beginning, for a JSON Schema. */
export const BEGINNING_OF_ID = `^[0-9a-fA-F][0-9a-fA-F-]{${MIN_ID_LENGTH - 1},35}$`;
/** JSON Schema of such an id in a path. */
export const ID_SCHEMA = { type: 'string', minLength: MIN_ID_LENGTH } as const;
const TOO_SHORT = new RegExp(`^[0-9a-f-]{1,${MIN_ID_LENGTH - 1}}$`, 'i');
/** Ids that an error lists. */
const MAX_CANDIDATES = 10;

const PATTERN = new RegExp(BEGINNING_OF_ID);

export function isBeginningOfId(text: string): boolean {
  return PATTERN.test(text);
}

/**
 * It depends on the text alone, so it shows nothing of what the caller may not see.
 * @param path name of the parameter or member that has the text
 * @throws InvalidRequestError for the beginning of an id that is too short
 */
export function refuseShortId(text: string, path: string): void {
  if (TOO_SHORT.test(text))
    throw invalid(
      path,
      `${path} is too short: give at least the first ${MIN_ID_LENGTH} characters of the id`,
    );
}

/** A table with ids, and the condition of the rows that a caller may see. */
export interface IdTable {
  readonly table: string;
  readonly column: string;
  readonly addVisibility: (conditions: Conditions) => Conditions;
}

/** A table whose rows belong to participants. */
export const ofParticipants = (
  caller: Caller,
  table: string,
  column: string,
  participant = 'participant',
): IdTable => ({
  table,
  column,
  addVisibility: (conditions) =>
    conditions.add(
      visibleParticipants(caller, undefined),
      (codes) => `${participant} = ANY (${codes}::text[])`,
    ),
});

export const archivedEvents = (caller: Caller): IdTable => ofParticipants(caller, 'archive', 'event_id');

/**
 * The id that is meant. Undefined when none that the caller may see begins so.
 * @param text an id, or its first 6 characters or more
 * @param plural what has the ids, for the error
 * @throws InvalidRequestError for fewer characters, ProblemException 409 when several begin so
 */
export async function findId(
  database: Database,
  text: string,
  plural: string,
  ...tables: readonly IdTable[]
): Promise<string | undefined> {
  refuseShortId(text, 'id');
  const beginning = text.toLowerCase();
  const [first, last] = ['0', 'f'].map((digit) => fillUp(beginning, digit));
  if (!isBeginningOfId(text) || first === undefined || last === undefined || !isUuid(first)) return undefined;
  const values: SqlValue[] = [];
  const searches = tables.map(({ table, column, addVisibility }) => {
    const conditions = addVisibility(new Conditions(values))
      .add(first, (id) => `${column} >= ${id}`)
      .add(last, (id) => `${column} <= ${id}`);
    return `(SELECT DISTINCT ${column}::text COLLATE "C" AS id FROM ${table} ${conditions.where} ORDER BY id LIMIT ${conditions.parameter(MAX_CANDIDATES + 1)})`;
  });
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM (${searches.join(' UNION ')}) AS found ORDER BY id LIMIT ${MAX_CANDIDATES + 1}`,
    values,
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length <= 1) return ids[0];
  const more = ids.length > MAX_CANDIDATES ? ' and others' : '';
  throw new ProblemException(
    409,
    'Conflict',
    `Several ${plural} begin with ${beginning}: ${ids.slice(0, MAX_CANDIDATES).join(', ')}${more}. Give more characters.`,
  );
}

/**
 * The id of an event, or of a message about one, that deliveries have. A text that does not look like a shortened id stays as it is.
 * @param path name of the parameter or member that has the text
 * @throws InvalidRequestError for the beginning of an id that is too short, ProblemException 409 when several begin so
 */
export async function findDeliveredEvent(
  database: Database,
  caller: Caller,
  text: string,
  path: string,
): Promise<string | undefined> {
  refuseShortId(text, path);
  if (isUuid(text) || !isBeginningOfId(text)) return text;
  const deliveries = ofParticipants(caller, 'delivery', 'event_id', 'listed_participant');
  return findId(database, text, 'events', archivedEvents(caller), deliveries);
}

const SHAPE = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';

/** A whole id with this digit in place of those that are missing. */
const fillUp = (beginning: string, digit: string): string =>
  beginning + SHAPE.slice(beginning.length).replaceAll('x', digit);
