import { dataschemaUrn, sourceUrn } from '../event.js';
import { ALL_PARTICIPANTS } from '../types/bridge-alert.js';
import {
  constant,
  described,
  instant,
  object,
  pattern,
  text,
  type JsonSchema,
  type Schema,
} from '../types/json-schema.js';

/* Parts of bodies that are not events of the bus. */

const MAX_SINK_LENGTH = 200;

export const uuid = pattern('^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$');

export const sinkName = described(
  text(MAX_SINK_LENGTH),
  'Name of the sink in CONFIG_FILE of the subscriber.',
);

export const archivedEvent = (description: string): JsonSchema => ({
  type: 'object',
  properties: { specversion: constant('1.0'), id: uuid, type: text(200), source: text(600) },
  required: ['specversion', 'id', 'type', 'source'],
  description,
});

/** The body of a message about a sink, a CloudEvent. @param time what its time is */
export const sinkMessage = <const T extends string, Data>(type: T, time: string, data: Schema<Data>) =>
  object({
    specversion: constant('1.0'),
    id: described(uuid, 'The same for every attempt and every resend.'),
    type: constant(type),
    source: constant(sourceUrn(ALL_PARTICIPANTS)),
    subject: described(text(MAX_SINK_LENGTH + 5), 'sink/ and the name of the sink.'),
    time: described(instant, time),
    datacontenttype: constant('application/json'),
    dataschema: constant(dataschemaUrn(type)),
    data,
  });

/** The schema of a body of this type. */
export const bodySchema = (type: string, description: string, body: JsonSchema): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: dataschemaUrn(type),
  title: type,
  description,
  ...body,
});

/** The subject of all messages about a sink. */
export const sinkSubject = (sink: string): string => `sink/${sink}`;

/** What a message about a sink has besides its data. */
export const sinkMessageHead = <const T extends string>(type: T, id: string, sink: string, time: string) => ({
  specversion: '1.0' as const,
  id,
  type,
  source: sourceUrn(ALL_PARTICIPANTS),
  subject: sinkSubject(sink),
  time,
  datacontenttype: 'application/json' as const,
  dataschema: dataschemaUrn(type),
});
