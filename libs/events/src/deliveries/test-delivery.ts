import { dataschemaUrn, eventId, sourceUrn } from '../event.js';
import {
  constant,
  described,
  instant,
  object,
  text,
  type JsonSchema,
  type ValueOf,
} from '../types/json-schema.js';
import { ALL_PARTICIPANTS } from '../types/bridge-alert.js';
import { MAX_SINK_LENGTH, uuid } from './delivery-parts.js';

/** Type of the message that a sink gets when a person tests it. It is not an event of the bus. */
export const TEST_DELIVERY_TYPE = 'settlementbus.delivery.test.v1';

const body = object({
  specversion: constant('1.0'),
  id: uuid,
  type: constant(TEST_DELIVERY_TYPE),
  source: constant(sourceUrn(ALL_PARTICIPANTS)),
  subject: described(text(MAX_SINK_LENGTH + 5), 'sink/ and the name of the sink.'),
  time: described(instant, 'When the test was requested.'),
  datacontenttype: constant('application/json'),
  dataschema: constant(dataschemaUrn(TEST_DELIVERY_TYPE)),
  data: object(
    {
      sink: described(text(MAX_SINK_LENGTH), 'Name of the sink in CONFIG_FILE of the subscriber.'),
      requestedBy: described(text(200), 'Who requested the test.'),
      comment: described(text(2_000), 'What that person wrote about it.'),
    },
    ['comment'],
  ),
});

/** The body of a test, a CloudEvent. */
export const TEST_DELIVERY_SCHEMA: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: dataschemaUrn(TEST_DELIVERY_TYPE),
  title: TEST_DELIVERY_TYPE,
  ...body,
};

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
  return {
    specversion: '1.0',
    // A restored database may use the number of a request again.
    id: eventId(TEST_DELIVERY_TYPE, ALL_PARTICIPANTS, sink, `${requestId} ${time}`),
    type: TEST_DELIVERY_TYPE,
    source: sourceUrn(ALL_PARTICIPANTS),
    subject: `sink/${sink}`,
    time,
    datacontenttype: 'application/json',
    dataschema: dataschemaUrn(TEST_DELIVERY_TYPE),
    data: { sink, requestedBy: author, ...(comment ? { comment } : {}) },
  };
}
