import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { startTestNats, type TestNats } from '@ssb/testing';
import { NatsRequests } from './nats-requests.js';

/** Longer than any respond takes on a busy machine. */
const LONG_MS = 20_000;

let nats: TestNats;
let connection: NatsConnection;

beforeAll(async () => {
  nats = await startTestNats();
});

beforeEach(async () => {
  connection = await connect({ servers: nats.url, reconnectTimeWait: 10 });
});

afterEach(() => connection.close());

afterAll(() => nats.stop());

describe('requests', () => {
  it('each get their own reply, in any order of replies', async () => {
    const pending: (() => void)[] = [];
    connection.subscribe('echo', {
      callback: (_, message) => void pending.push(() => void message.respond(message.data)),
    });
    const requests = new NatsRequests(connection, LONG_MS);
    const texts = Array.from({ length: 20 }, (_, number) => `text ${number}`);
    const responses = Promise.all(texts.map((text) => requests.request('echo', text)));
    await connection.flush();
    for (const respond of pending.reverse()) respond();
    expect((await responses).map((message) => message.string())).toEqual(texts);
  });

  it('without a reply in time fail, and no others', async () => {
    connection.subscribe('silent', { callback: () => undefined });
    connection.subscribe('echo', { callback: (_, message) => void message.respond(message.data) });
    const requests = new NatsRequests(connection, 50);
    const unanswered = [requests.request('silent', '1'), requests.request('silent', '2')];
    const outcomes = await Promise.allSettled(unanswered);
    expect(
      outcomes.map((each) => each.status === 'rejected' && each.reason instanceof errors.TimeoutError),
    ).toEqual([true, true]);
    const longer = new NatsRequests(connection, LONG_MS);
    expect((await longer.request('echo', 'a')).string()).toBe('a');
  });

  it('fail when the connection is closed, before and after', async () => {
    connection.subscribe('silent', { callback: () => undefined });
    const requests = new NatsRequests(connection, LONG_MS);
    const before = requests.request('silent', '').catch((error: unknown) => error);
    await connection.close();
    expect(await before).toBeInstanceOf(errors.ClosedConnectionError);
    await expect(requests.request('silent', '')).rejects.toThrow(errors.ClosedConnectionError);
  });

  it('get replies again after a reconnection', async () => {
    const requests = new NatsRequests(connection, LONG_MS);
    connection.subscribe('echo', { callback: (_, message) => void message.respond(message.data) });
    await requests.request('echo', 'before');
    const back = once(connection, 'reconnect');
    await connection.reconnect();
    await back;
    expect((await requests.request('echo', 'after')).string()).toBe('after');
  });
});

/** Resolves at the next status of this type. */
async function once(connection: NatsConnection, type: string): Promise<void> {
  for await (const status of connection.status()) if (status.type === type) return;
}
