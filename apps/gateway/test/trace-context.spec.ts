import { waitFor } from '@ssb/testing';
import { EventsFixture } from './support/events-fixture.js';

/** The W3C trace context of a client travels to the broker and back, and reaches no other client. */
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
/** Document 002, "Message". */
const FIELDS = ['fqcn', 'id', 'payload', 'sender', 'signature', 'timestampNanos', 'topic'];

let events: EventsFixture;

beforeAll(async () => {
  events = await EventsFixture.start();
});

afterAll(() => events?.stop());

it.each([
  ['valid', TRACEPARENT],
  ['invalid', 'forged'],
  ['too long', `cc${TRACEPARENT.slice(2)}-${'x'.repeat(4_000)}`],
])(
  'a message with a context that is %s is delivered with the fields of document 002',
  async (_, traceparent) => {
    const fqcn = await events.broker.createChannel();
    const { frames } = await events.connect(`?fqcn=${fqcn}`);
    const message = { fqcn, topic: 'free', payload: '1' };
    await events.gateway.client.sendMessage(message, { traceparent });
    const [delivered] = await waitFor('the message', () => frames[0] as object[]);
    expect(Object.keys(delivered ?? {}).toSorted()).toEqual(FIELDS);
  },
);
