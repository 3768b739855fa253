import { described, list, object, type JsonSchema } from '../types/json-schema.js';
import { archivedEvent, bodySchema, sinkMessage, sinkMessageHead, sinkName } from './delivery-parts.js';

/** Type of the message that has several grouped events for one sink. It is not an event of the bus. */
export const DIGEST_DELIVERY_TYPE = 'settlementbus.delivery.digest.v1';

/** Events of one digest. Further ones are in the next digest. */
export const MAX_DIGEST_EVENTS = 50;

const events = {
  ...described(
    list(archivedEvent('As archived, with its proof.'), MAX_DIGEST_EVENTS),
    'In the order of the archive.',
  ),
  minItems: 1,
};

/** The body of a digest, a CloudEvent. */
export const DIGEST_DELIVERY_SCHEMA: JsonSchema = bodySchema(
  DIGEST_DELIVERY_TYPE,
  'The events of several notices for one sink.',
  sinkMessage(
    DIGEST_DELIVERY_TYPE,
    'When the message was added, by the clock of the database.',
    object({ sink: sinkName, events }),
  ),
);

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
  const head = JSON.stringify({ ...sinkMessageHead(DIGEST_DELIVERY_TYPE, id, sink, time), data: { sink } });
  return `${head.slice(0, -'}}'.length)},"events":[${eventTexts.join(',')}]}}`;
}
