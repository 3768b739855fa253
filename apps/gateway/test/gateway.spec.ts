import { GatewayError, type GatewayClient } from '@ssb/bus';
import { generatePrivateKey } from '@ssb/identity';
import { verifyMessage } from 'ethers';
import { freePort } from '@ssb/free-ports';
import { waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Real here: the gateway, its HTTP, the broker's process, Redis. The signatures are checked with ethers. */
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

async function mapProblem(promise: Promise<unknown>): Promise<GatewayError> {
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
    expect(await mapProblem(call())).toMatchObject({ status, code });
  });

  it('is healthy all the same', async () => {
    await expect(client.health()).resolves.toBeUndefined();
  });
});

describe('enrolment', () => {
  it('goes from no claim over waiting to ready, and comes back to nothing with another key', async () => {
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

  it('hears a decision that the issuer pushes, without asking', async () => {
    const before = gateway.logged().length;
    await client.setIdentity(generatePrivateKey().toHex());
    const { did } = await client.enrol();
    await waitFor('the stream is connected', () =>
      gateway.logged().slice(before).includes('stream-connected'),
    );
    await broker.decide(did, 'approve');
    await waitFor('the decision is heard', () =>
      gateway.logged().slice(before).includes('"state":"APPROVED"'),
    );
  });

  it('knows its identity and enrolment again after a restart', async () => {
    const { did } = await gateway.enrolNew(broker);
    await gateway.restart();
    client = gateway.client;
    expect(await client.enrolment()).toMatchObject({ did, state: { ready: true } });
  });

  it.each([
    ['POST enrol', () => client.enrol()],
    ['GET enrol', () => client.enrolment()],
  ])('%s says that claims cannot be fetched while the broker is away', async (_name, call) => {
    await broker.kill();
    try {
      expect(await mapProblem(call())).toMatchObject({ status: 500, code: 'ID::FETCH_CLAIMS_FAILED' });
    } finally {
      await broker.start();
    }
  });
});

describe('messages', () => {
  let fqcn: string;
  let did: string;

  beforeAll(async () => {
    ({ did } = await gateway.enrolNew(broker));
    fqcn = await broker.createChannel();
  });

  it('are signed so that a standard wallet library finds the sender, and keep every digit', async () => {
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

  it('with a repeated transactionId get the first id, and are read once', async () => {
    const body = { fqcn, topic: 'free', payload: '1', transactionId: '6f0e8cf5-6ac4-4b0e-8a70-0d5f6b1b6a01' };
    const first = await client.sendMessage(body);
    expect(await client.sendMessage({ ...body, payload: '2' })).toEqual(first);
    const read = await client.readMessages({ fqcn, clientId: 'reader-2' });
    expect(read.filter(({ id }) => id === first.id)).toHaveLength(1);
  });

  it('are read from a moment on, at most as many as asked for', async () => {
    await client.sendMessage({ fqcn, topic: 'free', payload: '3' });
    expect(await client.readMessages({ fqcn, from: '2020-01-01T00:00:00Z', amount: 2 })).toHaveLength(2);
    expect(await client.readMessages({ fqcn, from: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  it('that do not fit the topic are refused with the broker’s reason', async () => {
    const failure = await mapProblem(client.sendMessage({ fqcn, topic: 'strict', payload: '{"n":"one"}' }));
    expect(failure).toMatchObject({
      status: 422,
      code: 'BUS::MESSAGE_REJECTED',
      reason: expect.stringContaining('strict'),
      additionalInformation: { status: 422, code: 'BUS::SCHEMA_MISMATCH' },
    });
  });

  it('lists the channels with rights', async () => {
    expect(await client.channels()).toContainEqual(expect.objectContaining({ fqcn }));
  });

  it('knows no channel or topic that is not there', async () => {
    const none = `none.channels.messagebus.apps.bridge.iam.local`;
    for (const call of [
      () => client.sendMessage({ fqcn: none, payload: '1' }),
      () => client.readMessages({ fqcn: none }),
      () => client.sendMessage({ fqcn, topic: 'none', payload: '1' }),
    ]) {
      expect(await mapProblem(call())).toMatchObject({ status: 404, code: 'BUS::CHANNEL_NOT_FOUND' });
    }
  });

  it('need rights on the channel', async () => {
    const stranger = 'did:ethr:0x0000000000000000000000000000000000000001';
    const closed = await broker.createChannel({ publishers: [stranger], subscribers: [stranger] });
    for (const call of [
      () => client.sendMessage({ fqcn: closed, topic: 'free', payload: '1' }),
      () => client.readMessages({ fqcn: closed }),
    ]) {
      expect(await mapProblem(call())).toMatchObject({ status: 401, code: 'BUS::CHANNEL_UNAUTHORIZED' });
    }
  });

  it('go on when the broker has forgotten the session', async () => {
    await broker.kill();
    expect(await mapProblem(client.sendMessage({ fqcn, topic: 'free', payload: '1' }))).toMatchObject({
      status: 502,
      code: 'BUS::REQUEST_FAILED',
    });
    expect(await mapProblem(client.health())).toMatchObject({ status: 502, code: 'BUS::REQUEST_FAILED' });
    expect(await mapProblem(client.channels())).toMatchObject({ status: 502, code: 'BUS::REQUEST_FAILED' });
    await broker.start();
    await expect(client.sendMessage({ fqcn, topic: 'free', payload: '1' })).resolves.toHaveProperty('id');
  });

  it('need an enrolled sender', async () => {
    await client.setIdentity(generatePrivateKey().toHex());
    const expected = { status: 403, code: 'BUS::FORBIDDEN_RESOURCE' };
    expect(await mapProblem(client.sendMessage({ fqcn, topic: 'free', payload: '1' }))).toMatchObject(
      expected,
    );
    expect(await mapProblem(client.readMessages({ fqcn }))).toMatchObject(expected);
    expect(await mapProblem(client.channels())).toMatchObject({ status: 403, code: 'BUS::FORBIDDEN' });
  });
});

describe('a broker that refuses the login', () => {
  it('makes messages 401 and the channel list 403', async () => {
    const other = await startGateway(broker.url, { BROKER_AUDIENCE: 'another' });
    try {
      await other.client.setIdentity(generatePrivateKey().toHex());
      const expected = { status: 401, code: 'BUS::LOGIN_FAILED' };
      expect(await mapProblem(other.client.sendMessage({ fqcn: 'a', payload: 'b' }))).toMatchObject(expected);
      expect(await mapProblem(other.client.channels())).toMatchObject({ status: 403, code: 'BUS::FORBIDDEN' });
      expect(await mapProblem(other.client.enrol())).toMatchObject({
        status: 500,
        code: 'ID::FETCH_CLAIMS_FAILED',
      });
    } finally {
      await other.stop();
    }
  });
});

describe('a gateway', () => {
  it('does not start with a password for the server it dials that belongs to no user name', async () => {
    const started = startGateway(broker.url, { EVENTS_CLIENT_PASSWORD: 'pass' });
    await expect(started).rejects.toThrow('EVENTS_CLIENT_PASSWORD goes with EVENTS_CLIENT_USERNAME');
  });
});

describe('a broker that was never there', () => {
  it('leaves the identity usable, and stopping quick', async () => {
    const alone = await startGateway(`http://127.0.0.1:${await freePort()}`);
    try {
      await expect(alone.client.setIdentity(generatePrivateKey().toHex())).resolves.toMatchObject({
        balance: 'OK',
      });
      expect(await mapProblem(alone.client.health())).toMatchObject({ status: 502 });
    } finally {
      await alone.stop();
    }
  });
});

describe('the log', () => {
  it('holds neither keys nor payloads nor the password', async () => {
    const { key } = await gateway.enrolNew(broker);
    const fqcn = await broker.createChannel();
    await client.sendMessage({ fqcn, topic: 'free', payload: '"a very secret payload"' });
    const logged = gateway.logged();
    expect(logged).toContain('identity set');
    for (const secret of [key.toHex(), 'a very secret payload', 'pass:word'])
      expect(logged).not.toContain(secret);
  });
});
