import { expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { startTestNats } from '@ssb/redis';
import { describeTrouble } from '../ports/engine-trouble.conformance.js';
import { describeMessageLog } from '../ports/message-log.conformance.js';
import { aChannel, aMessage } from '../testing/log-samples.js';
import { LOG_OPTIONS, openNats } from '../testing/open-logs.js';

describeMessageLog(
  'NATS JetStream',
  async () => {
    const nats = await startTestNats();
    const [one, other] = await Promise.all([openNats(nats.url), openNats(nats.url)]);
    return {
      one: one.log,
      other: other.log,
      openWith: (settings) => openNats(nats.url, settings),
      close: async () => {
        await Promise.all([one.close(), other.close()]);
        await nats.stop();
      },
    };
  },
  LOG_OPTIONS,
);

describeTrouble('NATS JetStream', async () => {
  const nats = await startTestNats({ maxFileStore: 4 * 1024 * 1024 });
  const withManager = async (
    work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<unknown>,
  ): Promise<void> => {
    const connection = await connect({ servers: nats.url });
    await work(await jetstreamManager(connection));
    await connection.close();
  };
  return {
    open: (patienceMs) => openNats(nats.url, { patienceMs, duplicateWindowMs: 60_000 }),
    server: nats,
    fill: () =>
      withManager(async (manager) => {
        await manager.streams.add({ name: 'ballast', subjects: ['ballast'] });
        const sender = manager.jetstream();
        // The first that fails leaves room for less than its size, so the second kind fills that too.
        for (const bytes of [500_000, 1]) {
          const send = () => sender.publish('ballast', new Uint8Array(bytes)).then(() => true);
          while (await send().catch(() => false));
        }
      }),
    drain: () =>
      withManager(async (manager) => {
        for await (const name of manager.streams.names('ballast')) await manager.streams.delete(name);
      }),
    // Its file store has no more than that.
    narrow: () => Promise.resolve(),
  };
});

it('keeps no streams of a name once its channel is dropped, also not those that a late append had begun anew', async () => {
  const nats = await startTestNats();
  const { log, connection, close } = await openNats(nats.url);
  const former = aChannel();
  const channel = { ...former, made: former.made + 1 };
  const { position } = await log.append(former, aMessage('late'));
  await log.movePosition(former, { address: '0xab', clientId: 'x' }, position);
  await log.append(channel, aMessage('a'));
  await log.drop(channel);
  const manager = await jetstreamManager(connection);
  expect(await manager.streams.names().next()).toEqual([]);
  await close();
  await nats.stop();
});
