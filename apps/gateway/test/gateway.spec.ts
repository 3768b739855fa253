import { GatewayError, type GatewayClient } from '@ssb/bus';
import { generatePrivateKey } from '@ssb/identity';
import { verifyMessage } from 'ethers';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Gateway, broker and Redis are real. ethers checks the signatures. */
let broker: RealBroker;
let gateway: RunningGateway;
let client: GatewayClient;

beforeAll(async () => {
  broker = await startRealBroker();
  gateway = await startGateway(broker.url);
  client = gateway.client;
});

afterAll(async () => {
  await gateway?.stop();
  await broker?.stop();
});

async function catchError(promise: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await promise.then(
    (value) => new Error(`it succeeded: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof GatewayError) return error;
  throw error;
}

describe('before there is an identity', () => {
  it.each([
    ['GET identity', () => client.identity(), 400, 'ID::NO_PRIVATE_KEY'],
    ['POST enrol', () => client.enrol(), 400, 'ID::NO_PRIVATE_KEY'],
    ['GET enrol', () => client.enrolment(), 400, 'ID::NO_PRIVATE_KEY'],
    ['POST message', () => client.sendMessage({ fqcn: 'a', payload: 'b' }), 401, 'BUS::LOGIN_FAILED'],
    ['GET message', () => client.readMessages({ fqcn: 'a' }), 401, 'BUS::LOGIN_FAILED'],
    ['GET channels', () => client.channels(), 403, 'BUS::FORBIDDEN'],
  ])('%s is refused', async (_name, call, status, code) => {
    expect(await catchError(call())).toMatchObject({ status, code });
  });

  it('the gateway is healthy', async () => {
    await expect(client.health()).resolves.toBeUndefined();
  });
});

describe('enrolment', () => {
  it('changes from no claim to waiting to ready, and to no claim with another key', async () => {
    await client.setIdentity(generatePrivateKey().toHex());
    const { did, state } = await client.enrolment();
    expect(state).toEqual({
      ready: false,
      waiting: false,
      roles: { user: 'NO_CLAIM', messagebroker: 'NOT_WANTED' },
    });
    expect((await client.enrol()).state).toMatchObject({
      waiting: true,
      roles: { user: 'AWAITING_APPROVAL' },
    });
    expect((await client.enrol()).state).toMatchObject({ waiting: true, ready: false });
    await broker.decide(did, 'approve');
    expect(await client.enrolment()).toEqual({
      did,
      state: { ready: true, waiting: false, roles: { user: 'APPROVED', messagebroker: 'NOT_WANTED' } },
    });
    await client.setIdentity(generatePrivateKey().toHex());
    expect((await client.enrolment()).state.ready).toBe(false);
  });

  it('receives a decision that the broker pushes', async () => {
    const before = gateway.logged().length;
    await client.setIdentity(generatePrivateKey().toHex());
    const { did } = await client.enrol();
    await waitFor('the stream is connected', () =>
      gateway.logged().slice(before).includes('broker stream connected'),
    );
    await broker.decide(did, 'approve');
    await waitFor('the decision is received', () =>
      gateway.logged().slice(before).includes('"state":"APPROVED"'),
    );
  });

  it('has its identity and enrolment after a restart', async () => {
    const { did } = await gateway.enrolNewIdentity(broker);
    await gateway.restart();
    client = gateway.client;
    expect(await client.enrolment()).toMatchObject({ did, state: { ready: true } });
  });

  it.each([
    ['POST enrol', () => client.enrol()],
    ['GET enrol', () => client.enrolment()],
  ])('%s reports that claims cannot be fetched while the broker is stopped', async (_name, call) => {
    await broker.kill();
    try {
      expect(await catchError(call())).toMatchObject({ status: 500, code: 'ID::FETCH_CLAIMS_FAILED' });
    } finally {
      await broker.start();
    }
  });
});

describe('messages', () => {
  let fqcn: string;
  let did: string;

  beforeAll(async () => {
    ({ did } = await gateway.enrolNewIdentity(broker));
    fqcn = await broker.createChannel();
  });

  it('have a signature from which a wallet library recovers the sender, and keep every digit', async () => {
    const payload = '{"amount":"123456789012345.12345678","text":"grün"}';
    const before = BigInt(Date.now()) * 1_000_000n;
    const { id } = await client.sendMessage({ fqcn, topic: 'free', payload, transactionId: 't-1' });
    const messages = await client.readMessages({ fqcn, clientId: 'reader-1' });
    expect(messages).toHaveLength(1);
    const [message] = messages;
    expect(message).toMatchObject({ id, fqcn, topic: 'free', payload, sender: did, transactionId: 't-1' });
    expect(`did:ethr:${verifyMessage(payload, message?.signature ?? '')}`).toBe(did);
    expect(message?.timestampNanos).toBeGreaterThan(before - 1_000_000_000n);
    expect(await client.readMessages({ fqcn, clientId: 'reader-1' })).toEqual([]);
  });

  it('with a repeated transactionId return the first id, and are read once', async () => {
    const body = { fqcn, topic: 'free', payload: '1', transactionId: '6f0e8cf5-6ac4-4b0e-8a70-0d5f6b1b6a01' };
    const first = await client.sendMessage(body);
    expect(await client.sendMessage({ ...body, payload: '2' })).toEqual(first);
    const read = await client.readMessages({ fqcn, clientId: 'reader-2' });
    expect(read.filter(({ id }) => id === first.id)).toHaveLength(1);
  });

  it('are read since a time, at most the requested amount', async () => {
    await client.sendMessage({ fqcn, topic: 'free', payload: '3' });
    expect(await client.readMessages({ fqcn, from: '2020-01-01T00:00:00Z', amount: 2 })).toHaveLength(2);
    expect(await client.readMessages({ fqcn, from: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  it('that do not match the topic’s schema are refused with the broker’s reason', async () => {
    const failure = await catchError(client.sendMessage({ fqcn, topic: 'strict', payload: '{"n":"one"}' }));
    expect(failure).toMatchObject({
      status: 422,
      code: 'BUS::MESSAGE_REJECTED',
      reason: expect.stringContaining('strict'),
      additionalInformation: { status: 422, code: 'BUS::SCHEMA_MISMATCH' },
    });
  });

  it('are sent on the listed channels', async () => {
    expect(await client.channels()).toContainEqual(expect.objectContaining({ fqcn }));
  });

  it('are refused for a channel or topic that does not exist', async () => {
    const none = `none.channels.messagebus.apps.bridge.iam.local`;
    for (const call of [
      () => client.sendMessage({ fqcn: none, payload: '1' }),
      () => client.readMessages({ fqcn: none }),
      () => client.sendMessage({ fqcn, topic: 'none', payload: '1' }),
    ]) {
      expect(await catchError(call())).toMatchObject({ status: 404, code: 'BUS::CHANNEL_NOT_FOUND' });
    }
  });

  it('require rights on the channel', async () => {
    const otherDid = 'did:ethr:0x0000000000000000000000000000000000000001';
    const closed = await broker.createChannel({ publishers: [otherDid], subscribers: [otherDid] });
    for (const call of [
      () => client.sendMessage({ fqcn: closed, topic: 'free', payload: '1' }),
      () => client.readMessages({ fqcn: closed }),
    ]) {
      expect(await catchError(call())).toMatchObject({ status: 401, code: 'BUS::CHANNEL_UNAUTHORIZED' });
    }
  });

  it('are sent again after a restart of the broker', async () => {
    await broker.kill();
    expect(await catchError(client.sendMessage({ fqcn, topic: 'free', payload: '1' }))).toMatchObject({
      status: 502,
      code: 'BUS::REQUEST_FAILED',
    });
    expect(await catchError(client.health())).toMatchObject({ status: 502, code: 'BUS::REQUEST_FAILED' });
    expect(await catchError(client.channels())).toMatchObject({ status: 502, code: 'BUS::REQUEST_FAILED' });
    await broker.start();
    await expect(client.sendMessage({ fqcn, topic: 'free', payload: '1' })).resolves.toHaveProperty('id');
  });

  it('require an enrolled sender', async () => {
    await client.setIdentity(generatePrivateKey().toHex());
    const expected = { status: 403, code: 'BUS::FORBIDDEN_RESOURCE' };
    expect(await catchError(client.sendMessage({ fqcn, topic: 'free', payload: '1' }))).toMatchObject(
      expected,
    );
    expect(await catchError(client.readMessages({ fqcn }))).toMatchObject(expected);
    expect(await catchError(client.channels())).toMatchObject({ status: 403, code: 'BUS::FORBIDDEN' });
  });
});

describe('a broker that refuses the login', () => {
  it('causes 401 for messages and 403 for the channel list', async () => {
    const other = await startGateway(broker.url, { BROKER_AUDIENCE: 'another' });
    try {
      await other.client.setIdentity(generatePrivateKey().toHex());
      const expected = { status: 401, code: 'BUS::LOGIN_FAILED' };
      expect(await catchError(other.client.sendMessage({ fqcn: 'a', payload: 'b' }))).toMatchObject(expected);
      expect(await catchError(other.client.channels())).toMatchObject({
        status: 403,
        code: 'BUS::FORBIDDEN',
      });
      expect(await catchError(other.client.enrol())).toMatchObject({
        status: 500,
        code: 'ID::FETCH_CLAIMS_FAILED',
      });
    } finally {
      await other.stop();
    }
  });
});

describe('a gateway', () => {
  it('does not start with a password for the dialled server and no user name', async () => {
    const started = startGateway(broker.url, { EVENTS_CLIENT_PASSWORD: 'pass' });
    await expect(started).rejects.toThrow('EVENTS_CLIENT_PASSWORD goes with EVENTS_CLIENT_USERNAME');
  });
});

describe('a broker that is not running', () => {
  it('does not affect the identity and the shutdown', async () => {
    const gatewayAlone = await startGateway(`http://127.0.0.1:${await freePort()}`);
    try {
      await expect(gatewayAlone.client.setIdentity(generatePrivateKey().toHex())).resolves.toMatchObject({
        balance: 'OK',
      });
      expect(await catchError(gatewayAlone.client.health())).toMatchObject({ status: 502 });
    } finally {
      await gatewayAlone.stop();
    }
  });
});

describe('the log', () => {
  it('contains neither keys nor payloads nor the password', async () => {
    const { key } = await gateway.enrolNewIdentity(broker);
    const fqcn = await broker.createChannel();
    await client.sendMessage({ fqcn, topic: 'free', payload: '"a very secret payload"' });
    const logged = gateway.logged();
    expect(logged).toContain('identity set');
    for (const secret of [key.toHex(), 'a very secret payload', 'pass:word'])
      expect(logged).not.toContain(secret);
  });
});
