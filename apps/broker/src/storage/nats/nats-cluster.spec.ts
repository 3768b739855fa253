import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { freePort } from '@ssb/free-ports';
import { startTestNats, type TestNats, waitFor } from '@ssb/testing';
import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE,
  payloads,
} from '../../../test/support/log-samples.js';
import { openNats } from '../../../test/support/open-logs.js';

/** Three servers that keep every stream together. */
async function startCluster(): Promise<TestNats[]> {
  const routes = await Promise.all([freePort(), freePort(), freePort()]);
  const peers = routes.map((port) => `nats://127.0.0.1:${port}`).join(', ');
  const servers = await Promise.all(
    routes.map((port, index) =>
      startTestNats({
        configuration: `server_name: n${index}\ncluster { name: c, listen: "127.0.0.1:${port}", routes: [${peers}] }`,
      }),
    ),
  );
  const connection = await connect({ servers: servers.map(({ url }) => url) });
  const manager = await jetstreamManager(connection, { checkAPI: false });
  // Streams can be made once the servers have found each other and chosen a leader.
  const isReady = (): Promise<boolean> =>
    manager.streams.add({ name: 'first', subjects: ['first'], num_replicas: 3 }).then(
      () => true,
      () => false,
    );
  await waitFor('the cluster', isReady, 60_000);
  await manager.streams.delete('first');
  await connection.close();
  return servers;
}

describe('NATS JetStream with three replicas', () => {
  let servers: TestNats[];
  let logs: Awaited<ReturnType<typeof openNats>>[];

  beforeAll(async () => {
    servers = await startCluster();
    // Brokers at the first two; the third is the one that falls.
    const urls = servers.slice(0, 2).map(({ url }) => url);
    logs = await Promise.all(urls.map((url) => openNats(url, { replicas: 3, timeoutMs: 10_000 })));
  });

  afterAll(async () => {
    await Promise.all(logs.map(({ close }) => close()));
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('takes repeats at two brokers at the same instant once, and goes on without one of its servers', async () => {
    const [one, other] = logs.map(({ log }) => log);
    if (!one || !other) throw new Error('no logs');
    const channel = createTestChannel();
    const repeated = createTestMessage('once', { correlationId: 'x' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => append(index % 2 === 0 ? one : other, channel, repeated)),
    );
    expect(new Set(answers.map(({ position }) => position)).size).toBe(1);
    await servers[2]?.kill();
    const sent = Array.from({ length: 20 }, (_, index) => String(index));
    for (const [index, payload] of sent.entries()) {
      const log = index % 2 === 0 ? one : other;
      // As a sender does that was refused while a new leader was chosen: the same again.
      const appended = () =>
        append(log, channel, createTestMessage(payload, { correlationId: payload })).then(() => true);
      await waitFor('an append', () => appended().catch(() => false), 60_000);
    }
    expect(payloads((await other.readAfter(channel, undefined, PAGE)).entries)).toEqual(['once', ...sent]);
    expect(await append(one, channel, repeated)).toEqual({ position: answers[0]?.position, repeated: true });
  });
});
