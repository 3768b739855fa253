import { DIGEST_DELIVERY_SCHEMA, DIGEST_DELIVERY_TYPE } from '../src/deliveries/digest-delivery.js';
import { PROBLEM_DELIVERY_SCHEMAS } from '../src/deliveries/problem-delivery.js';
import { TEST_DELIVERY_SCHEMA, TEST_DELIVERY_TYPE } from '../src/deliveries/test-delivery.js';
import { CATALOGUE } from '../src/catalogue.js';
import { definitionOf } from '../src/definitions.js';
import { announcesState, isUrgent } from '../src/event-rules.js';
import { EVENT_TYPES } from '../src/envelope/event-type.js';

/** `libs/events/schemas`. */
export const SCHEMA_FOLDER = new URL('../../schemas/', import.meta.url);

/** The published schema files: `<type>.json` and its content. */
export function schemaFiles(): ReadonlyMap<string, object> {
  return new Map(CATALOGUE.map(({ type, schema }) => [`${type}.json`, schema]));
}

/** `libs/events/delivery-schemas`: of bodies that are not events of the bus. */
export const DELIVERY_SCHEMA_FOLDER = new URL('../../delivery-schemas/', import.meta.url);

export function deliverySchemaFiles(): ReadonlyMap<string, object> {
  return new Map([
    [`${TEST_DELIVERY_TYPE}.json`, TEST_DELIVERY_SCHEMA],
    [`${DIGEST_DELIVERY_TYPE}.json`, DIGEST_DELIVERY_SCHEMA],
    ...PROBLEM_DELIVERY_SCHEMAS.map((schema): [string, object] => [
      `${String(schema['title'])}.json`,
      schema,
    ]),
  ]);
}

/** `libs/events/identities.json`: kind of each type, whether it is urgent, and the templates of its key, version and subject. */
export const IDENTITIES_FILE = new URL('../../identities.json', import.meta.url);

export function identities(): object {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        kind: announcesState(type) ? 'state' : 'fact',
        ...(isUrgent(type) && { urgent: true }),
        ...definitionOf(type).identity,
      },
    ]),
  );
}
