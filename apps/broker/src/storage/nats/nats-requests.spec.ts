import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { startTestNats, type TestNats } from '@ssb/testing';
import { NatsRequests } from './nats-requests.js';

/** Longer than any answer takes, also on a machine with much else to do. */
const LONG_MS = 20_000;

let nats: TestNats;
let connection: NatsConnection;

beforeEach(async () => {
  nats = await startTestNats();
  connection = await connect({ servers: nats.url, reconnectTimeWait: 10 });
});

afterEach(async () => {
  await connection.close();
  await nats.stop();
});

describe('requests', () => {
  it('each have their own answer, in whatever order the answers come', async () => {
    const held: (() => void)[] = [];
    connection.subscribe('echo', {
      callback: (_, message) => void held.push(() => void message.respond(message.data)),
    });
    const requests = new NatsRequests(connection, LONG_MS);
    const texts = Array.from({ length: 50 }, (_, number) => `text ${number}`);
    const answers = Promise.all(texts.map((text) => requests.ask('echo', text)));
    await connection.flush();
    for (const answer of held.reverse()) answer();
    expect((await answers).map((message) => message.string())).toEqual(texts);
  });

  it('where nobody listens are refused as the client library refuses them', async () => {
    await expect(new NatsRequests(connection, LONG_MS).ask('nobody', '')).rejects.toMatchObject({
      name: 'RequestError',
      cause: expect.any(errors.NoRespondersError),
    });
  });

  it('that are not answered in time fail, and no other does', async () => {
    connection.subscribe('silent', { callback: () => undefined });
    connection.subscribe('echo', { callback: (_, message) => void message.respond(message.data) });
    const requests = new NatsRequests(connection, 50);
    const unanswered = [requests.ask('silent', '1'), requests.ask('silent', '2')];
    const told = await Promise.allSettled(unanswered);
    expect(
      told.map((each) => each.status === 'rejected' && each.reason instanceof errors.TimeoutError),
    ).toEqual([true, true]);
    const patient = new NatsRequests(connection, LONG_MS);
    expect((await patient.ask('echo', 'a')).string()).toBe('a');
  });

  it('fail when the connection is closed, those before and those after', async () => {
    connection.subscribe('silent', { callback: () => undefined });
    const requests = new NatsRequests(connection, LONG_MS);
    const before = requests.ask('silent', '').catch((error: unknown) => error);
    await connection.close();
    expect(await before).toBeInstanceOf(errors.ClosedConnectionError);
    await expect(requests.ask('silent', '')).rejects.toThrow(errors.ClosedConnectionError);
  });

  it('are answered again after the connection was lost', async () => {
    const requests = new NatsRequests(connection, LONG_MS);
    connection.subscribe('echo', { callback: (_, message) => void message.respond(message.data) });
    await requests.ask('echo', 'before');
    const back = once(connection, 'reconnect');
    await connection.reconnect();
    await back;
    expect((await requests.ask('echo', 'after')).string()).toBe('after');
  });
});

/** Resolves when the connection tells of this. */
async function once(connection: NatsConnection, type: string): Promise<void> {
  for await (const status of connection.status()) if (status.type === type) return;
}
