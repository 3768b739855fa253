import { constant, pattern, text, type JsonSchema } from '../types/json-schema.js';

/* Parts of bodies that are not events of the bus. */

export const MAX_SINK_LENGTH = 200;

export const uuid = pattern('^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$');

export const archivedEvent = (description: string): JsonSchema => ({
  type: 'object',
  properties: { specversion: constant('1.0'), id: uuid, type: text(200), source: text(600) },
  required: ['specversion', 'id', 'type', 'source'],
  description,
});
