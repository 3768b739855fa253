import type { Conditions } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';

/** SQL: a list in JSON names participants, and only these. */
export const namesOnly = (list: string, codes: string): string =>
  `coalesce(jsonb_typeof(${list}) = 'array' AND ${list} <> '[]' AND ${list} <@ to_jsonb(${codes}::text[]), false)`;

/**
 * Adds the condition that the caller may see a row of `request`. A caller of some participants sees its own requests about what belongs to
 * these alone.
 */
export function addVisibility(conditions: Conditions, { name, participants }: Caller): Conditions {
  if (participants === 'all') return conditions;
  const codes = conditions.parameter(participants);
  return conditions
    .add(name, (author) => `author = ${author}`)
    .addText(
      `CASE
         WHEN kind IN ('acknowledge', 'close') THEN EXISTS (
           SELECT FROM problem WHERE problem_id = request.parameters->>'problemId' AND participant = ANY (${codes}::text[]))
         WHEN kind = 'silence' THEN ${namesOnly("parameters->'matchers'->'participants'", codes)}
         WHEN kind = 'end-silence' THEN EXISTS (
           SELECT FROM silence WHERE silence_id = ${SILENCE_NUMBER} AND ${namesOnly("matchers->'participants'", codes)})
         WHEN kind IN ('resend', 'skip', 'replay') THEN ${namesOnly("parameters->'participants'", codes)}
         ELSE false
       END`,
    );
}

/** SQL: the number in the parameters of a row of this table. Anyone with a role may have written another value. */
const numberIn = (table: string): string =>
  `CASE WHEN ${table}.parameters->>'silenceId' ~ '^[0-9]{1,18}$' THEN (${table}.parameters->>'silenceId')::bigint END`;

/** SQL: the number of the silence that a row of `request` is about. */
const SILENCE_NUMBER = numberIn('request');

/** SQL: the id of the silence that a row of `request` or `audit` adds or ends. */
export const silenceKeyOf = (table: 'request' | 'audit'): string =>
  `(SELECT silence_key FROM silence WHERE silence_id = CASE ${table}.kind WHEN 'silence' THEN ${table}.request_id WHEN 'end-silence' THEN ${numberIn(table)} END)`;
