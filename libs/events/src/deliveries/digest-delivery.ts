import { dataschemaUrn, sourceUrn } from '../event.js';
import { ALL_PARTICIPANTS } from '../types/bridge-alert.js';
import { constant, described, instant, list, object, text, type JsonSchema } from '../types/json-schema.js';
import { archivedEvent, MAX_SINK_LENGTH, uuid } from './delivery-parts.js';

/** Type of the message that has several grouped events for one sink. It is not an event of the bus. */
export const DIGEST_DELIVERY_TYPE = 'settlementbus.delivery.digest.v1';

/** Events of one digest. Further ones are in the next digest. */
export const MAX_DIGEST_EVENTS = 50;

const body = object({
  specversion: constant('1.0'),
  id: described(uuid, 'The same for every attempt and every resend.'),
  type: constant(DIGEST_DELIVERY_TYPE),
  source: constant(sourceUrn(ALL_PARTICIPANTS)),
  subject: described(text(MAX_SINK_LENGTH + 5), 'sink/ and the name of the sink.'),
  time: described(instant, 'When the message was added, by the clock of the database.'),
  datacontenttype: constant('application/json'),
  dataschema: constant(dataschemaUrn(DIGEST_DELIVERY_TYPE)),
  data: object({
    sink: described(text(MAX_SINK_LENGTH), 'Name of the sink in CONFIG_FILE of the subscriber.'),
    events: {
      ...described(
        list(archivedEvent('As archived, with its proof.'), MAX_DIGEST_EVENTS),
        'In the order of the archive.',
      ),
      minItems: 1,
    },
  }),
});

/** The body of a digest, a CloudEvent. */
export const DIGEST_DELIVERY_SCHEMA: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: dataschemaUrn(DIGEST_DELIVERY_TYPE),
  title: DIGEST_DELIVERY_TYPE,
  description: 'The events of several notices for one sink.',
  ...body,
};

/** What a digest has besides its events, as it was when the message was added. */
export interface DigestDetails {
  readonly delivery: 'digest';
  readonly time: string;
  /** How many events it has. */
  readonly count: number;
}

/** The body of a digest, with the archived texts of its events byte for byte. */
export function writeDigestDelivery(
  id: string,
  sink: string,
  { time }: DigestDetails,
  eventTexts: readonly string[],
): string {
  const head = JSON.stringify({
    specversion: '1.0',
    id,
    type: DIGEST_DELIVERY_TYPE,
    source: sourceUrn(ALL_PARTICIPANTS),
    subject: `sink/${sink}`,
    time,
    datacontenttype: 'application/json',
    dataschema: dataschemaUrn(DIGEST_DELIVERY_TYPE),
    data: { sink },
  });
  return `${head.slice(0, -'}}'.length)},"events":[${eventTexts.join(',')}]}}`;
}
