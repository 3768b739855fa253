import { jetstreamManager } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { startTestNats, type TestNats } from '@ssb/testing';
import { createTestChannel, createTestMessage, append } from '../../../test/support/log-samples.js';
import { openNats } from '../../../test/support/open-logs.js';
import { describeEngineFaults } from '../../../test/conformance/engine-faults.conformance.js';
import { describeMessageLog } from '../../../test/conformance/message-log.conformance.js';
import { decodeMessage } from './message-encoding.js';
import { NatsNames } from './nats-names.js';

describeMessageLog('NATS JetStream', async () => {
  const nats = await startTestNats();
  const [one, other] = await Promise.all([openNats(nats.url), openNats(nats.url)]);
  return {
    one: one.log,
    other: other.log,
    openWith: (settings) => openNats(nats.url, settings),
    countFetchedBytes: () => Promise.resolve(one.connection.stats().inBytes),
    close: async () => {
      await Promise.all([one.close(), other.close()]);
      await nats.stop();
    },
  };
});

describeEngineFaults('NATS JetStream', async () => {
  const nats = await startTestNats({ maxFileStore: 4 * 1024 * 1024 });
  const withManager = async (
    work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<unknown>,
  ): Promise<void> => {
    const connection = await connect({ servers: nats.url });
    await work(await jetstreamManager(connection));
    await connection.close();
  };
  return {
    open: (timeoutMs) => openNats(nats.url, { timeoutMs }),
    server: nats,
    fill: () =>
      withManager(async (manager) => {
        await manager.streams.add({ name: 'ballast', subjects: ['ballast'] });
        const sender = manager.jetstream();
        // The small messages fill the space that the large ones leave.
        for (const bytes of [500_000, 1]) {
          const send = () => sender.publish('ballast', new Uint8Array(bytes)).then(() => true);
          while (await send().catch(() => false));
        }
      }),
    drain: () =>
      withManager(async (manager) => {
        for await (const name of manager.streams.names('ballast')) await manager.streams.delete(name);
      }),
    // The file store is that small already.
    narrow: () => Promise.resolve(),
  };
});

describe('NATS JetStream', () => {
  let nats: TestNats;
  let opened: Awaited<ReturnType<typeof openNats>>;

  beforeAll(async () => {
    nats = await startTestNats();
    opened = await openNats(nats.url);
  });

  afterAll(async () => {
    await opened.close();
    await nats.stop();
  });

  it('removes all streams of a name when its channel is dropped, also those that a late append created again', async () => {
    const { log, connection } = opened;
    const former = createTestChannel();
    const channel = { ...former, createdAt: former.createdAt + 1 };
    const { offset } = await append(log, former, createTestMessage('late'));
    await log.moveOffset(former, { address: '0xab', clientId: 'x' }, offset);
    await append(log, channel, createTestMessage('a'));
    const another = { ...createTestChannel(), createdAt: former.createdAt - 1 };
    await append(log, another, createTestMessage('stays'));
    await log.drop(channel);
    const manager = await jetstreamManager(connection);
    expect(await manager.streams.names().next()).toEqual([new NatsNames('test').logStream(another)]);
  });

  it('does not retry one of several messages, as it would be stored after those that followed it', async () => {
    const { log } = opened;
    const channel = createTestChannel();
    await append(log, channel, createTestMessage('before'));
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    for await (const name of manager.streams.names()) await manager.streams.delete(name);
    // Replaces the stream: responds to every message except the second, which gets no responders.
    const received: string[] = [];
    connection.subscribe(new NatsNames('test').messageSubject(channel), {
      callback: (_, message) => {
        const { payload } = decodeMessage(message.data);
        received.push(payload);
        if (payload === 'b') message.respond('', { headers: headers(503, 'No Responders') });
        else message.respond(JSON.stringify({ stream: 'test', seq: received.length }));
      },
    });
    await connection.flush();
    const outcomes = await log.appendAll(
      channel,
      ['a', 'b', 'c'].map((text) => createTestMessage(text)),
    );
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: expect.objectContaining({ repeated: false }) },
      { status: 'rejected', reason: expect.objectContaining({ name: 'EngineUnavailableError' }) },
      { status: 'fulfilled', value: expect.objectContaining({ repeated: false }) },
    ]);
    expect(received).toEqual(['a', 'b', 'c']);
    await connection.close();
  });
});
