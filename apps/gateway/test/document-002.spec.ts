import { didOfKey, generatePrivateKey, type PrivateKey } from '@ssb/identity';
import { SigningKey, Wallet } from 'ethers';
import { request } from 'undici';
import { parse } from 'yaml';
import { waitFor } from '@ssb/testing';
import { call, type Answer } from './support/http-call.js';
import { startRealBroker, USER_ROLE, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/**
 * Document 002 to the letter: its operations and resources with every field, then its error table, row by row in its order. Each
 * condition is brought about for real; nothing but HTTP is used to look. Keys and signatures are checked with ethers.
 */
const NO_CHANNEL = 'none.channels.messagebus.apps.bridge.iam.local';
const SOMEBODY = 'did:ethr:0x0000000000000000000000000000000000000001';

/** The key 1: its public key is the curve's generator point. */
const OTHER = new Wallet(`0x${'1'.padStart(64, '0')}`);
const OTHERS_PUBLIC_KEY = SigningKey.computePublicKey(OTHER.signingKey.publicKey, false);

let broker: RealBroker;
/** Enrolled; and gateways whose identity is missing, not enrolled, or cannot log in. */
let gateway: RunningGateway;
let empty: RunningGateway;
let stranger: RunningGateway;
let barred: RunningGateway;
let key: PrivateKey;
let did: string;
let channel: string;
let closed: string;

beforeAll(async () => {
  broker = await startRealBroker({ REDIS_PATIENCE_MS: '2500' });
  gateway = await startGateway(broker.url);
  empty = await startGateway(broker.url);
  stranger = await startGateway(broker.url);
  barred = await startGateway(broker.url, { BROKER_AUDIENCE: 'urn:another' });
  ({ key, did } = await gateway.enrolNew(broker));
  for (const each of [stranger, barred]) await each.client.setIdentity(generatePrivateKey().toHex());
  channel = await broker.createChannel();
  closed = await broker.createChannel({ publishers: [SOMEBODY], subscribers: [SOMEBODY] });
});

afterAll(async () => {
  for (const each of [gateway, empty, stranger, barred]) await each?.stop();
  await broker?.stop();
});

const setKey = (at: RunningGateway, privateKey: string) =>
  call(at, 'POST', '/api/v1/config/identity', { privateKey });
const enrol = (at: RunningGateway) => call(at, 'POST', '/api/v1/config/enrol');
const enrolment = (at: RunningGateway) => call(at, 'GET', '/api/v1/config/enrol');
const send = (at: RunningGateway, message: object = {}) =>
  call(at, 'POST', '/api/v1/message', { fqcn: channel, topic: 'free', payload: '{}', ...message });
const read = (at: RunningGateway, query = `fqcn=${channel}`) => call(at, 'GET', `/api/v1/message?${query}`);
const channels = (at: RunningGateway) => call(at, 'GET', '/api/v1/channels');
const health = (at: RunningGateway) => call(at, 'GET', '/api/health');
const verify = (sent: object) => call(gateway, 'POST', '/api/v1/verifysignature', sent);

describe('resources and operations', () => {
  it('Identity: POST and GET show address, publicKey and balance, and nothing else', async () => {
    const wallet = Wallet.createRandom();
    const expected = {
      address: wallet.address,
      publicKey: SigningKey.computePublicKey(wallet.signingKey.publicKey, false),
      balance: 'OK',
    };
    expect(await setKey(stranger, wallet.privateKey)).toMatchObject({ status: 200, body: expected });
    const shown = await call(stranger, 'GET', '/api/v1/config/identity');
    expect(shown.status).toBe(200);
    expect(shown.body).toEqual(expected);
  });

  it('Enrolment: POST asks for the role, GET shows did, ready, waiting and both roles', async () => {
    const next = generatePrivateKey();
    const state = (user: string) => ({
      did: didOfKey(next),
      state: {
        ready: user === 'APPROVED',
        waiting: user === 'AWAITING_APPROVAL',
        roles: { user, messagebroker: 'NOT_WANTED' },
      },
    });
    await setKey(stranger, next.toHex());
    expect(await enrolment(stranger)).toMatchObject({ status: 200, body: state('NO_CLAIM') });
    const asked = await enrol(stranger);
    expect(asked.status).toBe(200);
    expect(asked.body).toEqual(state('AWAITING_APPROVAL'));
    await broker.decide(didOfKey(next), 'approve');
    expect((await enrolment(stranger)).body).toEqual(state('APPROVED'));
    await broker.decide(didOfKey(next), 'revoke');
    expect((await enrolment(stranger)).body).toMatchObject({ state: { ready: false, waiting: false } });
  });

  it('SendMessage and Message: every field comes back, the nanoseconds to the digit', async () => {
    const payload = '{"amount":"1.10","text":"grün"}';
    const transactionId = '0c9cbb38-55b5-4a4e-a3d5-1f2b4ac9a001';
    const sent = await send(gateway, { payload, transactionId });
    expect(sent).toMatchObject({ status: 200, body: { id: expect.any(String) } });
    expect(Object.keys(sent.body as object)).toEqual(['id']);
    const answer = await read(gateway, `fqcn=${channel}&clientId=fields&amount=1`);
    expect(answer).toMatchObject({ status: 200, type: expect.stringMatching(/^application\/json/) });
    const [message] = answer.body as Record<string, unknown>[];
    expect(message).toEqual({
      ...(sent.body as { id: string }),
      fqcn: channel,
      topic: 'free',
      payload,
      transactionId,
      sender: did,
      signature: await new Wallet(key.toHex()).signMessage(payload),
      timestampNanos: expect.any(Number),
    });
    // A JSON number of nineteen digits, which a double would round.
    expect(answer.text).toMatch(/"timestampNanos":\d{19}[,}]/);
  });

  it('a message without topic goes to the topic default, and one without transactionId has none', async () => {
    expect(await send(gateway, { topic: undefined })).toMatchObject({ status: 404 });
    await send(gateway, { payload: '"bare"' });
    const { body } = await read(gateway, `fqcn=${channel}&from=2020-01-01T00:00:00Z`);
    expect((body as object[]).at(-1)).not.toHaveProperty('transactionId');
    const withDefault = await broker.createChannel();
    await broker.changeChannel(withDefault, { topics: [{ namespace: 'default', schema: '{}' }] });
    expect(await send(gateway, { fqcn: withDefault, topic: undefined })).toMatchObject({ status: 200 });
    expect((await read(gateway, `fqcn=${withDefault}`)).body).toMatchObject([{ topic: 'default' }]);
  });

  it('a transactionId is kept up to 255 characters, and a longer one refused by its name', async () => {
    const longest = 't'.repeat(255);
    expect(await send(gateway, { transactionId: longest })).toMatchObject({ status: 200 });
    const { status, text } = await send(gateway, { transactionId: `${longest}t` });
    expect({ status, text }).toEqual({ status: 400, text: expect.stringMatching(/transactionId.*255/) });
  });

  it('a field of VerifySignature that is null is one that is left out', async () => {
    const { body } = await verify({ signature: '0x1234', payload: '' });
    expect((await verify({ signature: '0x1234', did: null, payload: '' })).body).toEqual(body);
  });

  it('an amount that is left out is 100', async () => {
    const busy = await broker.createChannel();
    await Promise.all(Array.from({ length: 101 }, () => send(gateway, { fqcn: busy })));
    expect((await read(gateway, `fqcn=${busy}`)).body).toHaveLength(100);
    expect((await read(gateway, `fqcn=${busy}`)).body).toHaveLength(1);
  });

  it('Channel: lists those with rights, with every field of the resource', async () => {
    const rights = { publishers: [did, USER_ROLE], subscribers: [USER_ROLE] };
    const full = await broker.createChannel(rights);
    await broker.changeChannel(full, { admins: [did], maxMsgAge: 3_600_000_000_000, maxMsgSize: 2_048 });
    const { status, body } = await channels(gateway);
    expect(status).toBe(200);
    const listed = body as { fqcn: string }[];
    expect(listed.map(({ fqcn }) => fqcn)).not.toContain(closed);
    expect(listed.find(({ fqcn }) => fqcn === full)).toEqual({
      fqcn: full,
      ...rights,
      admins: [did],
      maxMsgAge: 3_600_000_000_000,
      maxMsgSize: 2_048,
      topics: [
        { namespace: 'free', schema: '{}' },
        { namespace: 'strict', schema: expect.stringContaining('"type":"object"') },
      ],
      createdBy: expect.stringMatching(/^did:ethr:0x/),
      createdDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      modifiedBy: expect.stringMatching(/^did:ethr:0x/),
      modifiedByDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it('VerifySignature: a match is ok', async () => {
    const signer = Wallet.createRandom();
    const signature = await signer.signMessage('a payload');
    const answer = await verify({ signature, did: `did:ethr:${signer.address}`, payload: 'a payload' });
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  });

  it('health: 200 without a body, and without credentials', async () => {
    expect(await call(gateway, 'GET', '/api/health', undefined, '')).toMatchObject({ status: 200, text: '' });
  });

  it.each(['rest.yaml', 'ws.yaml'])('docs/%s: the schema as YAML, without credentials', async (name) => {
    const answer = await request(`${gateway.url}/api/v1/docs/${name}`);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, expect.stringMatching(/yaml/)]);
    expect(parse(await answer.body.text())).toMatchObject({ info: { version: '0.5.4' } });
  });
});

/** Runs something while the broker's process, or the store of the running broker, is away. */
async function without<T>(part: { kill(): Promise<void>; start(): Promise<void> }, run: () => Promise<T>) {
  await part.kill();
  try {
    return await run();
  } finally {
    await part.start();
    // The broker finds its store again in its own time.
    await waitFor('the broker takes messages', async () => (await send(gateway)).status === 200);
  }
}

/** From a gateway with the same identity and another scheme: its signature is of somebody else, as far as the broker can tell. */
async function sendSignedOtherwise(): Promise<Answer> {
  const other = await startGateway(broker.url, { SIGNATURE_SCHEME: 'keccak256' });
  try {
    await setKey(other, key.toHex());
    return await send(other);
  } finally {
    await other.stop();
  }
}

type Conditions = readonly [
  operation: string,
  cause: () => Promise<Answer | Answer[]>,
  information?: unknown,
][];

describe.each<[status: number, code: string, condition: string, Conditions]>([
  [
    400,
    'ID::INVALID_PRIVATE_KEY',
    'private key rejected',
    [
      ['POST config/identity, 63 digits', () => setKey(gateway, '1'.repeat(63))],
      ['POST config/identity, zero', () => setKey(gateway, '0'.repeat(64))],
    ],
  ],
  [
    400,
    'ID::NO_PRIVATE_KEY',
    'no private key configured, enrolment cannot start',
    [['POST config/enrol', () => enrol(empty)]],
  ],
  [
    500,
    'ID::FETCH_CLAIMS_FAILED',
    'claims cannot be requested from the remote node',
    [
      ['POST config/enrol, broker stopped', () => without(broker, () => enrol(gateway))],
      ['POST config/enrol, store stopped', () => without(broker.store, () => enrol(gateway))],
      ['POST config/enrol, login refused', () => enrol(barred)],
    ],
  ],
  [
    401,
    'BUS::CHANNEL_UNAUTHORIZED',
    'user cannot access the channel',
    [
      ['POST message', () => send(gateway, { fqcn: closed }), { fqcn: expect.any(String), right: 'publish' }],
      ['GET message', () => read(gateway, `fqcn=${closed}`), { right: 'subscribe' }],
    ],
  ],
  [
    401,
    'BUS::LOGIN_FAILED',
    'login to the broker failed',
    [
      ['POST message', () => send(barred)],
      ['GET message', () => read(barred)],
    ],
  ],
  [
    403,
    'BUS::FORBIDDEN_RESOURCE',
    'caller not enrolled as a bus user',
    [
      ['POST message', () => send(stranger), { role: USER_ROLE }],
      ['GET message', () => read(stranger), { role: USER_ROLE }],
    ],
  ],
  [
    403,
    'BUS::FORBIDDEN',
    'caller not enrolled as a bus user',
    [['GET channels', () => channels(stranger), { role: USER_ROLE }]],
  ],
  [
    404,
    'BUS::CHANNEL_NOT_FOUND',
    'channel or topic does not exist',
    [
      ['POST message, no such channel', () => send(gateway, { fqcn: NO_CHANNEL }), { fqcn: NO_CHANNEL }],
      ['POST message, no such topic', () => send(gateway, { topic: 'none' }), { topic: 'none' }],
      ['POST message, no topic default', () => send(gateway, { topic: undefined }), { topic: 'default' }],
      ['GET message, no such channel', () => read(gateway, `fqcn=${NO_CHANNEL}`), { fqcn: NO_CHANNEL }],
      // A name that no channel or topic can have, neither too long a message nor a wrong question.
      ['POST message, too long a channel', () => send(gateway, { fqcn: 'c'.repeat(256) }), { longest: 255 }],
      ['POST message, too long a topic', () => send(gateway, { topic: 't'.repeat(256) }), { longest: 255 }],
      ['GET message, too long a channel', () => read(gateway, `fqcn=${'c'.repeat(256)}`), { longest: 255 }],
    ],
  ],
  [
    422,
    'BUS::MESSAGE_REJECTED',
    'message rejected by the broker',
    [
      [
        'POST message, schema mismatch',
        () => send(gateway, { topic: 'strict', payload: '{"n":"one"}' }),
        { status: 422, code: 'BUS::SCHEMA_MISMATCH', details: { topic: 'strict' } },
      ],
      [
        'POST message, larger than maxMsgSize',
        () => send(gateway, { payload: `"${'x'.repeat(1_048_576)}"` }),
        { code: 'BUS::MESSAGE_TOO_LARGE', details: { size: 1_048_578, limit: 1_048_576 } },
      ],
      [
        'POST message, signed by a scheme that the broker does not take',
        () => sendSignedOtherwise(),
        {
          code: 'BUS::INVALID_SIGNATURE',
          details: { reason: expect.any(String), sender: expect.stringMatching(/^did:ethr:0x/) },
        },
      ],
    ],
  ],
  [
    502,
    'BUS::REQUEST_FAILED',
    'broker unreachable or connection down',
    [
      [
        'POST message, GET message, GET channels, GET health',
        () => without(broker, () => Promise.all([send, read, channels, health].map((ask) => ask(gateway)))),
      ],
      [
        'POST message, store stopped',
        () => without(broker.store, () => send(gateway)),
        { status: 503, code: 'BUS::UNHEALTHY', details: { message: expect.any(String) } },
      ],
    ],
  ],
  [
    503,
    'BUS::UNHEALTHY',
    'broker running with issues',
    [
      [
        'GET health',
        () => without(broker.store, () => health(gateway)),
        { status: 'error', message: expect.any(String) },
      ],
    ],
  ],
  [
    400,
    'SIG::CHECK_FAILED',
    'public key cannot be verified',
    [
      [
        'POST verifysignature, no signature at all',
        () => verify({ signature: '0x1234', did: SOMEBODY, payload: '' }),
      ],
      [
        'POST verifysignature, no point of the curve',
        () => verify({ signature: `0x${'f'.repeat(128)}1b`, did: SOMEBODY, payload: '' }),
      ],
      ['POST verifysignature, no did', () => verify({ signature: '0x1234', payload: '' })],
    ],
  ],
  [
    200,
    'SIG::NO_MATCH',
    'recovered and expected public keys differ',
    [
      [
        'POST verifysignature, another key',
        () => verify({ did, payload: 'p', signature: OTHER.signMessageSync('p') }),
        { expected: expect.stringMatching(/^0x04[0-9a-f]{128}$/), actual: OTHERS_PUBLIC_KEY },
      ],
      [
        'POST verifysignature, another payload',
        () => verify({ did, payload: 'q', signature: new Wallet(key.toHex()).signMessageSync('p') }),
        { expected: expect.stringMatching(/^0x04/), actual: expect.stringMatching(/^0x04/) },
      ],
    ],
  ],
])('%i %s: %s', (status, code, _condition, conditions) => {
  it.each(conditions)('%s', async (_operation, cause, information?: unknown) => {
    for (const answer of [await cause()].flat()) {
      expect(answer).toMatchObject({
        status,
        type: expect.stringMatching(/^application\/json/),
        body: { err: { code, reason: expect.stringMatching(/\w/) } },
      });
      if (information !== undefined) {
        expect(answer.body).toMatchObject({ err: { additionalInformation: information } });
      }
      expect(Object.keys(answer.body as object)).toEqual(['err']);
    }
  });
});
