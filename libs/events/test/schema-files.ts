import { CATALOGUE } from '../src/catalogue.js';

/** `libs/events/schemas`. */
export const SCHEMA_FOLDER = new URL('../../schemas/', import.meta.url);

/** The published schema files: `<type>.json` and its content. */
export function schemaFiles(): ReadonlyMap<string, object> {
  return new Map(CATALOGUE.map(({ type, schema }) => [`${type}.json`, schema]));
}
