import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { addressOfKey, generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { startRealBroker, USER_ROLE, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/**
 * Enrolment (document 002, "States and transitions"), login and DID method at a real broker. A TCP proxy between gateway and broker can
 * block the stream alone. Bearer tokens live for four seconds, which is long enough on a busy machine.
 */
const DID_METHOD = 'example';
let broker: RealBroker;
let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
let gateway: RunningGateway;

beforeAll(async () => {
  broker = await startRealBroker({ DID_METHOD, TOKEN_LIFETIME_MS: '4000' });
  proxy = await startTcpProxy(Number(new URL(broker.url).port));
  gateway = await startGateway(proxy.url, { DID_METHOD, BROKER_LIVENESS_MS: '60000' });
});

afterEach(() => proxy.allowStreams(true));

afterAll(async () => {
  await gateway?.stop();
  await proxy?.close();
  await broker?.stop();
});

async function startTcpProxy(target: number) {
  const open = new Set<Socket>();
  const streams = new Set<Socket>();
  let streamsAllowed = true;
  const server = createServer((socket) => {
    const onward = connect(target, '127.0.0.1');
    for (const each of [socket, onward]) {
      open.add(each);
      each.on('error', () => undefined);
      each.on('close', () => {
        for (const end of [socket, onward]) end.destroy();
        open.delete(each);
        streams.delete(each);
      });
    }
    socket.once('data', (start: Buffer) => {
      const isStream = /^upgrade: *websocket/im.test(start.toString('latin1'));
      if (isStream) streams.add(socket);
      if (isStream && !streamsAllowed) return void socket.destroy();
      onward.write(start);
      socket.pipe(onward);
    });
    onward.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Without streams the open ones are closed as well. */
    allowStreams: (allowed: boolean) => {
      streamsAllowed = allowed;
      if (!allowed) for (const each of streams) each.destroy();
    },
    close: async () => {
      for (const each of open) each.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function enrolNewIdentity(): Promise<string> {
  await gateway.client.setIdentity(generatePrivateKey().toHex());
  return (await gateway.client.enrol()).did;
}

async function waitForStream(since: number): Promise<void> {
  await waitFor('the stream', () => gateway.logged().slice(since).includes('broker stream connected'));
}

const waitForDocumentedRole = (did: string) =>
  waitFor('the role in the DID document', async () =>
    (await broker.getDocumentedRoles(did)).includes(USER_ROLE),
  );

async function readGauge(): Promise<string | undefined> {
  const metrics = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
  return /^settlement_bus_gateway_enrolled (\d)/m.exec(metrics)?.[1];
}

describe('an approved claim', () => {
  it('is added to the DID document when the issuer decides, without a request', async () => {
    const since = gateway.logged().length;
    const did = await enrolNewIdentity();
    await waitForStream(since);
    expect(await broker.getDocumentedRoles(did)).toEqual([]);
    await broker.decide(did, 'approve');
    await waitForDocumentedRole(did);
    await waitFor('the gauge', async () => (await readGauge()) === '1');
  });

  it('is added after a restart of the gateway that missed the decision', async () => {
    proxy.allowStreams(false);
    const did = await enrolNewIdentity();
    await gateway.restart();
    await broker.decide(did, 'approve');
    expect(await broker.getDocumentedRoles(did)).toEqual([]);
    // No request is made: only the stream can add it.
    proxy.allowStreams(true);
    await waitForDocumentedRole(did);
  });

  it('is found and added when enrolment is read after a missed decision', async () => {
    proxy.allowStreams(false);
    const did = await enrolNewIdentity();
    await broker.decide(did, 'approve');
    expect(await broker.getDocumentedRoles(did)).toEqual([]);
    expect((await gateway.client.enrolment()).state).toMatchObject({
      ready: true,
      roles: { user: 'APPROVED' },
    });
    expect(await broker.getDocumentedRoles(did)).toEqual([USER_ROLE]);
  });
});

it('the stream is connected at once by an enrol, however long the retry delay is', async () => {
  proxy.allowStreams(false);
  const slowGateway = await startGateway(proxy.url, { DID_METHOD, BROKER_MAX_RETRY_DELAY_MS: '300000' });
  try {
    await slowGateway.client.setIdentity(generatePrivateKey().toHex());
    const delays = () => [...slowGateway.logged().matchAll(/"retryInMs":(\d+)/g)];
    // Each enrol is an attempt, and each failed one increases the delay.
    const { did } = await waitFor('a delay of more than a minute', async () => {
      if (Number(delays().at(-1)?.[1] ?? 0) <= 60_000) await slowGateway.client.enrol();
      else return slowGateway.client.enrolment();
      return false;
    });
    proxy.allowStreams(true);
    await slowGateway.client.enrol();
    await waitFor('the stream', () => slowGateway.logged().includes('broker stream connected'));
    await broker.decide(did, 'approve');
    await waitForDocumentedRole(did);
  } finally {
    await slowGateway.stop();
  }
});

it('a claim is ignored once the identity has changed', async () => {
  const since = gateway.logged().length;
  const before = await enrolNewIdentity();
  await waitForStream(since);
  await gateway.client.setIdentity(generatePrivateKey().toHex());
  await broker.decide(before, 'approve');
  expect((await gateway.client.enrolment()).state).toMatchObject({
    ready: false,
    roles: { user: 'NO_CLAIM' },
  });
  expect(await readGauge()).toBe('0');
  expect(await broker.getDocumentedRoles(before)).toEqual([]);
});

describe('the session at the broker', () => {
  it('is renewed once when many requests find it expired', async () => {
    await gateway.enrolNewIdentity(broker);
    await broker.waitForTokenExpiry();
    const countLogins = () => gateway.logged().split('"broker login succeeded"').length;
    const before = countLogins();
    await Promise.all(Array.from({ length: 20 }, () => gateway.client.channels()));
    expect(countLogins() - before).toBe(1);
  });

  it('is renewed when the stream finds it expired', async () => {
    await gateway.enrolNewIdentity(broker);
    const fqcn = await broker.createChannel();
    const payloads: string[] = [];
    const stream = gateway.stream({
      delivery: { mode: 'acknowledged', clientId: 'expired' },
      onMessages: (batch) => payloads.push(...batch.map(({ payload }) => payload)),
    });
    stream.start();
    try {
      await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '"before"' });
      await waitFor('connected', () => payloads.includes('"before"'));
      const since = gateway.logged().length;
      await broker.waitForTokenExpiry();
      proxy.allowStreams(false);
      proxy.allowStreams(true);
      // Before any HTTP request, which would renew the session instead of the stream.
      const refusal = 'the connection was refused with 401';
      await waitFor('the refusal', () => gateway.logged().slice(since).includes(refusal));
      await waitForStream(since);
      await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '"after"' });
      await waitFor('delivered', () => payloads.includes('"after"'));
    } finally {
      await stream.stop();
    }
  });
});

describe('the DID method of the bus', () => {
  it('is that of the gateway’s DID, with which it sends and reads', async () => {
    const { did, key } = await gateway.enrolNewIdentity(broker);
    expect(did).toBe(`did:${DID_METHOD}:${addressOfKey(key)}`);
    const fqcn = await broker.createChannel({ publishers: [did], subscribers: [did] });
    await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '{}' });
    expect(await gateway.client.readMessages({ fqcn })).toMatchObject([{ payload: '{}', sender: did }]);
  });

  it('refuses a gateway of another method', async () => {
    const other = await startGateway(broker.url, { DID_METHOD: 'ethr' });
    try {
      await other.client.setIdentity(generatePrivateKey().toHex());
      const fqcn = await broker.createChannel();
      await expect(other.client.readMessages({ fqcn })).rejects.toMatchObject({ code: 'BUS::LOGIN_FAILED' });
    } finally {
      await other.stop();
    }
  });
});
