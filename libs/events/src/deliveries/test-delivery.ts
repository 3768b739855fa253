import { eventId } from '../event.js';
import { described, object, text, type JsonSchema, type ValueOf } from '../types/json-schema.js';
import { ALL_PARTICIPANTS } from '../types/bridge-alert.js';
import { bodySchema, sinkMessage, sinkMessageHead, sinkName } from './delivery-parts.js';

/** Type of the message that a sink gets when a person tests it. It is not an event of the bus. */
export const TEST_DELIVERY_TYPE = 'settlementbus.delivery.test.v1';

const body = sinkMessage(
  TEST_DELIVERY_TYPE,
  'When the test was requested.',
  object(
    {
      sink: sinkName,
      requestedBy: described(text(200), 'Who requested the test.'),
      comment: described(text(2_000), 'What that person wrote about it.'),
    },
    ['comment'],
  ),
);

/** The body of a test, a CloudEvent. */
export const TEST_DELIVERY_SCHEMA: JsonSchema = bodySchema(
  TEST_DELIVERY_TYPE,
  'A person tests the sink.',
  body,
);

export type TestDelivery = ValueOf<typeof body>;

export interface RequestedTest {
  readonly sink: string;
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly author: string;
  readonly comment: string | undefined;
}

/** The same request has the same id and body. */
export function createTestDelivery(requested: RequestedTest): TestDelivery {
  const { sink, requestId, requestedAt, author, comment } = requested;
  const time = requestedAt.toISOString();
  // A restored database may use the number of a request again.
  const id = eventId(TEST_DELIVERY_TYPE, ALL_PARTICIPANTS, sink, `${requestId} ${time}`);
  return {
    ...sinkMessageHead(TEST_DELIVERY_TYPE, id, sink, time),
    data: { sink, requestedBy: author, ...(comment ? { comment } : {}) },
  };
}
