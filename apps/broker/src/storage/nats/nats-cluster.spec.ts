import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { freePort } from '@ssb/dev/free-ports';
import { startTestNats, type TestNats, waitFor } from '@ssb/testing';
import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE_LIMITS,
  payloads,
} from '../../../test/support/log-samples.js';
import { openNats } from '../../../test/support/open-logs.js';

/** Three servers that replicate every stream. */
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
  // Streams can be created once the servers have elected a leader.
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
    // The brokers use the first two; the test stops the third.
    const urls = servers.slice(0, 2).map(({ url }) => url);
    logs = await Promise.all(urls.map((url) => openNats(url, { replicas: 3, timeoutMs: 10_000 })));
  });

  afterAll(async () => {
    await Promise.all(logs.map(({ close }) => close()));
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('stores simultaneous repeats at two brokers once, and continues without one server', async () => {
    const [one, other] = logs.map(({ log }) => log);
    if (!one || !other) throw new Error('no logs');
    const channel = createTestChannel();
    const repeated = createTestMessage('once', { correlationId: 'x' });
    // A sender repeats a message that was refused during the election of a leader.
    const appendOnce = (log: typeof one, message: typeof repeated) => {
      let refusal: unknown;
      return waitFor(
        () => `an append; last refusal: ${String(refusal)}`,
        () => append(log, channel, message).catch((error: unknown) => void (refusal = error)),
      );
    };
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => appendOnce(index % 2 === 0 ? one : other, repeated)),
    );
    expect(new Set(responses.map(({ offset }) => offset)).size).toBe(1);
    await servers[2]?.kill();
    const sent = Array.from({ length: 20 }, (_, index) => String(index));
    for (const [index, payload] of sent.entries()) {
      const log = index % 2 === 0 ? one : other;
      await appendOnce(log, createTestMessage(payload, { correlationId: payload }));
    }
    expect(payloads((await other.readAfter(channel, undefined, PAGE_LIMITS)).entries)).toEqual([
      'once',
      ...sent,
    ]);
    expect(await append(one, channel, repeated)).toEqual({ offset: responses[0]?.offset, repeated: true });
  });
});
