import { EventsFixture } from './support/events-fixture.js';
import { waitFor } from '@ssb/testing';

/** A gateway with EVENTS_FRAMES=object. Gateway, WebSocket, broker and Redis are real. */
let events: EventsFixture;

beforeAll(async () => {
  events = await EventsFixture.start({ EVENTS_FRAMES: 'object' });
});

afterEach(() => events.disconnectAll());

afterAll(() => events?.stop());

const ALL = ['1', '2', '3', '4', '5'];

it('one message a frame keeps the order and the window of acknowledged delivery', async () => {
  const fqcn = await events.broker.createChannel();
  await events.send(fqcn, ...ALL);
  const { socket, frames } = await events.connect(`?clientId=raw&ack=explicit&window=2&fqcn=${fqcn}`);
  const messages = frames as { id: string; payload: string }[];
  for (const [index, payload] of ALL.entries()) {
    const { id } = await waitFor(payload, () => messages[index]);
    // The window is full as soon as the next message is there.
    expect(messages.length).toBeLessThanOrEqual(index + 2);
    socket.send(JSON.stringify({ ack: [id] }));
  }
  expect(messages.map(({ payload }) => payload)).toEqual(ALL);
});

it('GatewayStream acknowledges such frames, and receives the rest after a reconnection', async () => {
  const fqcn = await events.broker.createChannel();
  const first = events.subscribe('stream', { window: 2, fqcn: [fqcn] });
  await events.send(fqcn, '1', '2');
  await waitFor('both', () => first.payloads.length === 2);
  first.acknowledging = false;
  await events.send(fqcn, '3', '4', '5');
  await waitFor('a full window', () => first.payloads.length === 4);
  await first.stream.stop();
  const second = events.subscribe('stream', { window: 2, fqcn: [fqcn] });
  await waitFor('the rest', () => second.payloads.length >= 3);
  expect([first.payloads, second.payloads]).toEqual([ALL.slice(0, 4), ALL.slice(2)]);
  expect([...first.faults, ...second.faults]).toEqual([]);
});

it('a client with automatic acknowledgement gets each message once, in order', async () => {
  const fqcn = await events.broker.createChannel();
  await events.send(fqcn, ...ALL);
  const { socket, frames } = await events.connect(`?clientId=plain&fqcn=${fqcn}`);
  const payloads = (from: unknown[]) => (from as { payload: string }[]).map(({ payload }) => payload);
  await waitFor('all', () => frames.length >= ALL.length);
  expect(payloads(frames)).toEqual(ALL);
  socket.close();
  const next = await events.connect(`?clientId=plain&fqcn=${fqcn}`);
  await events.send(fqcn, '6');
  await waitFor('the next', () => next.frames.length > 0);
  expect(payloads(next.frames)).toEqual(['6']);
});
