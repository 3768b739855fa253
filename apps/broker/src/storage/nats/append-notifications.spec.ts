import { connect, type NatsConnection } from '@nats-io/transport-node';
import { startTestNats, type TestNats, waitFor } from '@ssb/testing';
import { createTestChannel, createTestMessage, append } from '../../../test/support/log-samples.js';
import { quiet } from '../../../test/support/nats-settings.js';
import { openNats } from '../../../test/support/open-logs.js';
import { NatsNames } from './nats-names.js';
import { NatsEngine } from './nats-engine.js';
import { AppendNotifications } from './append-notifications.js';

describe('append notifications over NATS', () => {
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

  it('request a check of every channel at intervals, because a notification may not have been sent', async () => {
    const notifications = new AppendNotifications(
      new NatsEngine(connection, 3_000, quiet),
      new NatsNames('unused'),
      20,
    );
    const received: (string | undefined)[] = [];
    notifications.onAppended((fqcn) => received.push(fqcn));
    await notifications.start();
    await waitFor('two notifications', () => received.length >= 2);
    notifications.stop();
    expect(new Set(received)).toEqual(new Set([undefined]));
  });

  it('are repeated for a repeated message, because the first one may be lost', async () => {
    const { log, close } = await openNats(nats.url);
    const channel = createTestChannel();
    const message = createTestMessage('a', { correlationId: 'x' });
    await append(log, channel, message);
    const subjects: string[] = [];
    connection.subscribe('test.appended.>', { callback: (_, { subject }) => void subjects.push(subject) });
    await connection.flush();
    expect(await append(log, channel, message)).toMatchObject({ repeated: true });
    await waitFor('a notification', () => subjects.length > 0);
    expect(subjects).toEqual([`test.appended.${channel.createdAt}.${channel.fqcn}`]);
    await close();
  });
});
