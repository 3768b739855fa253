import type { GatewayStreamOptions, StreamState } from '@ssb/bus';
import { EventsBench } from './support/events-bench.js';
import { waitFor } from '@ssb/testing';

/** Real here: the gateway, its WebSocket, the broker's process and stream, Redis; and the client that others use. */
const PROTOCOL = 'acme.events+v2';
let bench: EventsBench;

beforeAll(async () => {
  bench = await EventsBench.set({ EVENTS_PROTOCOL: PROTOCOL });
});

afterAll(() => bench?.stop());

async function listening(
  options: Partial<GatewayStreamOptions>,
  work: (payloads: readonly string[], states: readonly StreamState[]) => Promise<void>,
): Promise<void> {
  const payloads: string[] = [];
  const states: StreamState[] = [];
  const stream = bench.gateway.stream({
    clientId: 'listener',
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
  it('serves the client that names it, and the channels that it asks for', async () => {
    const [wanted, other] = [await bench.broker.createChannel(), await bench.broker.createChannel()];
    await listening({ protocol: PROTOCOL, fqcn: [wanted] }, async (payloads) => {
      await bench.send(other, '"other"');
      await bench.send(wanted, '"wanted"');
      await waitFor('the message', () => payloads.length > 0);
      expect(payloads).toEqual(['"wanted"']);
    });
  });

  it('refuses the client that names none, which says so', async () => {
    await listening({}, async (_, states) => {
      await waitFor('a refusal', () => states.some(({ state }) => state === 'disconnected'));
      expect(states[0]).toMatchObject({ state: 'disconnected', reason: expect.stringContaining('400') });
      expect(states.some(({ state }) => state === 'connected')).toBe(false);
    });
  });
});
