import type { GatewayStreamOptions, StreamState } from '@ssb/bus';
import { EventsFixture } from './support/events-fixture.js';
import { waitFor } from '@ssb/testing';

/** Gateway, broker and Redis are real; the client is that of libs/bus. */
const PROTOCOL = 'acme.events+v2';
let events: EventsFixture;

beforeAll(async () => {
  events = await EventsFixture.start({ EVENTS_PROTOCOL: PROTOCOL });
});

afterAll(() => events?.stop());

async function withSubscriber(
  options: Partial<GatewayStreamOptions>,
  work: (payloads: readonly string[], states: readonly StreamState[]) => Promise<void>,
): Promise<void> {
  const payloads: string[] = [];
  const states: StreamState[] = [];
  const stream = events.gateway.stream({
    delivery: { mode: 'acknowledged', clientId: 'subscriber' },
    onMessages: (batch, acknowledge) => {
      payloads.push(...batch.map(({ payload }) => payload));
      acknowledge(batch.map(({ id }) => id));
    },
    onState: (state) => states.push(state),
    ...options,
  });
  stream.start();
  try {
    await work(payloads, states);
  } finally {
    await stream.stop();
  }
}

describe('a gateway with a sub-protocol of its own', () => {
  it('serves a client that names it, on the channels that the client selects', async () => {
    const [wanted, other] = [await events.broker.createChannel(), await events.broker.createChannel()];
    await withSubscriber(
      { protocol: PROTOCOL, delivery: { mode: 'acknowledged', clientId: 'subscriber', fqcn: [wanted] } },
      async (payloads) => {
        await events.send(other, '"other"');
        await events.send(wanted, '"wanted"');
        await waitFor('the message', () => payloads.length > 0);
        expect(payloads).toEqual(['"wanted"']);
      },
    );
  });

  it('refuses a client that does not name it, which reports that', async () => {
    await withSubscriber({}, async (_, states) => {
      await waitFor('a refusal', () => states.some(({ state }) => state === 'disconnected'));
      expect(states[0]).toMatchObject({ state: 'disconnected', reason: expect.stringContaining('400') });
      expect(states.some(({ state }) => state === 'connected')).toBe(false);
    });
  });
});
