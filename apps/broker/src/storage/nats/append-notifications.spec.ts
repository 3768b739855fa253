import { connect, type NatsConnection } from '@nats-io/transport-node';
import { startTestNats, type TestNats, waitFor } from '@ssb/testing';
import { createTestChannel, createTestMessage, append } from '../../../test/support/log-samples.js';
import { quiet } from '../../../test/support/nats-settings.js';
import { openNats } from '../../../test/support/open-logs.js';
import { NatsNames } from './nats-names.js';
import { NatsEngine } from './nats-engine.js';
import { AppendNotifications } from './append-notifications.js';

describe('wake-ups over NATS', () => {
  let nats: TestNats;
  let connection: NatsConnection;

  beforeAll(async () => {
    nats = await startTestNats();
    connection = await connect({ servers: nats.url });
  });

  afterAll(async () => {
    await connection.close();
    await nats.stop();
  });

  it('make everybody look at everything now and then, as one may not have been sent', async () => {
    const wakeUps = new AppendNotifications(
      new NatsEngine(connection, 3_000, quiet),
      new NatsNames('quiet'),
      20,
    );
    const woken: (string | undefined)[] = [];
    wakeUps.onAppended((fqcn) => woken.push(fqcn));
    await wakeUps.start();
    await waitFor('two wake-ups', () => woken.length >= 2);
    wakeUps.stop();
    expect(new Set(woken)).toEqual(new Set([undefined]));
  });

  it('come again with a message that is sent again: the first may have been lost', async () => {
    const { log, close } = await openNats(nats.url);
    const channel = createTestChannel();
    const message = createTestMessage('a', { correlationId: 'x' });
    await append(log, channel, message);
    const heard: string[] = [];
    connection.subscribe('test.appended.>', { callback: (_, { subject }) => void heard.push(subject) });
    await connection.flush();
    expect(await append(log, channel, message)).toMatchObject({ repeated: true });
    await waitFor('a wake-up', () => heard.length > 0);
    expect(heard).toEqual([`test.appended.${channel.made}.${channel.fqcn}`]);
    await close();
  });
});
