import { didOfKey, generatePrivateKey, type PrivateKey } from '@ssb/identity';
import { SigningKey, Wallet } from 'ethers';
import { request } from 'undici';
import { parse } from 'yaml';
import { waitFor } from '@ssb/testing';
import { call, type CallResponse } from '../support/http-call.js';
import { USER_ROLE } from '../support/real-broker.js';
import { startGateway, type RunningGateway } from '../support/running-gateway.js';
import { broker } from './shared-broker.js';

/**
 * Document 002: its operations and resources with every field, then its error table, row by row. Every condition is real, and only HTTP is
 * used to observe it. ethers checks keys and signatures.
 */
const NO_CHANNEL = 'none.channels.messagebus.apps.bridge.iam.local';
const UNKNOWN_DID = 'did:ethr:0x0000000000000000000000000000000000000001';

/** The key 1, whose public key is the generator point of the curve. */
const OTHER = new Wallet(`0x${'1'.padStart(64, '0')}`);
const OTHERS_PUBLIC_KEY = SigningKey.computePublicKey(OTHER.signingKey.publicKey, false);

describe('document 002', () => {
  /** Enrolled. */
  let gateway: RunningGateway;
  /** Nothing listens at its broker's address. */
  let withoutBroker: RunningGateway;
  let withoutIdentity: RunningGateway;
  let notEnrolled: RunningGateway;
  let withoutLogin: RunningGateway;
  let key: PrivateKey;
  let did: string;
  let channel: string;
  let closed: string;

  beforeAll(async () => {
    gateway = await startGateway(broker.url);
    withoutBroker = await startGateway('http://127.0.0.1:9');
    withoutIdentity = await startGateway(broker.url);
    notEnrolled = await startGateway(broker.url);
    withoutLogin = await startGateway(broker.url, { BROKER_AUDIENCE: 'urn:another' });
    ({ key, did } = await gateway.enrolNewIdentity(broker));
    for (const each of [withoutBroker, notEnrolled, withoutLogin])
      await each.client.setIdentity(generatePrivateKey().toHex());
    channel = await broker.createChannel();
    closed = await broker.createChannel({ publishers: [UNKNOWN_DID], subscribers: [UNKNOWN_DID] });
  });

  afterAll(async () => {
    for (const each of [gateway, withoutBroker, withoutIdentity, notEnrolled, withoutLogin])
      await each?.stop();
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
      expect(await setKey(notEnrolled, wallet.privateKey)).toMatchObject({ status: 200, body: expected });
      const shown = await call(notEnrolled, 'GET', '/api/v1/config/identity');
      expect(shown.status).toBe(200);
      expect(shown.body).toEqual(expected);
    });

    it('Enrolment: POST requests the role, GET shows did, ready, waiting and both roles', async () => {
      const next = generatePrivateKey();
      const state = (user: string) => ({
        did: didOfKey(next),
        state: {
          ready: user === 'APPROVED',
          waiting: user === 'AWAITING_APPROVAL',
          roles: { user, messagebroker: 'NOT_WANTED' },
        },
      });
      await setKey(notEnrolled, next.toHex());
      expect(await enrolment(notEnrolled)).toMatchObject({ status: 200, body: state('NO_CLAIM') });
      const requested = await enrol(notEnrolled);
      expect(requested.status).toBe(200);
      expect(requested.body).toEqual(state('AWAITING_APPROVAL'));
      const repeated = await call(notEnrolled, 'POST', '/api/v1/config/enrol', {
        more: 'than the document has',
      });
      expect(repeated).toMatchObject({ status: 200, body: state('AWAITING_APPROVAL') });
      await broker.decide(didOfKey(next), 'approve');
      expect((await enrolment(notEnrolled)).body).toEqual(state('APPROVED'));
      await broker.decide(didOfKey(next), 'revoke');
      expect((await enrolment(notEnrolled)).body).toMatchObject({ state: { ready: false, waiting: false } });
    });

    it('SendMessage and Message: every field is returned, the nanoseconds to the digit', async () => {
      const payload = '{"amount":"1.10","text":"grün"}';
      const transactionId = '0c9cbb38-55b5-4a4e-a3d5-1f2b4ac9a001';
      const sent = await send(gateway, { payload, transactionId });
      expect(sent).toMatchObject({ status: 200, body: { id: expect.any(String) } });
      expect(Object.keys(sent.body as object)).toEqual(['id']);
      const response = await read(gateway, `fqcn=${channel}&clientId=fields&amount=1`);
      expect(response).toMatchObject({ status: 200, type: expect.stringMatching(/^application\/json/) });
      const [message] = response.body as Record<string, unknown>[];
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
      expect(response.text).toMatch(/"timestampNanos":\d{19}[,}]/);
    });

    it('a message without topic is sent to the topic default, and one without transactionId has none', async () => {
      expect(await send(gateway, { topic: undefined })).toMatchObject({ status: 404 });
      await send(gateway, { payload: '"bare"' });
      const { body } = await read(gateway, `fqcn=${channel}&from=2020-01-01T00:00:00Z`);
      expect((body as object[]).at(-1)).not.toHaveProperty('transactionId');
      const withDefault = await broker.createChannel();
      await broker.changeChannel(withDefault, { topics: [{ namespace: 'default', schema: '{}' }] });
      expect(await send(gateway, { fqcn: withDefault, topic: undefined })).toMatchObject({ status: 200 });
      expect((await read(gateway, `fqcn=${withDefault}`)).body).toMatchObject([{ topic: 'default' }]);
    });

    it('a transactionId has up to 255 characters, and a longer one is refused with the field’s name', async () => {
      const longestId = 't'.repeat(255);
      expect(await send(gateway, { transactionId: longestId })).toMatchObject({ status: 200 });
      const { status, text } = await send(gateway, { transactionId: `${longestId}t` });
      expect({ status, text }).toEqual({ status: 400, text: expect.stringMatching(/transactionId.*255/) });
    });

    it('a field of VerifySignature that is null counts as left out', async () => {
      const { body } = await verify({ signature: '0x1234', payload: '' });
      expect((await verify({ signature: '0x1234', did: null, payload: '' })).body).toEqual(body);
    });

    it('Channel: lists the channels with rights, with every field of the resource', async () => {
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
      const response = await verify({ signature, did: `did:ethr:${signer.address}`, payload: 'a payload' });
      expect(response).toMatchObject({ status: 200, body: { ok: true } });
    });

    it('health: 200 without a body, and without credentials', async () => {
      expect(await call(gateway, 'GET', '/api/health', undefined, '')).toMatchObject({
        status: 200,
        text: '',
      });
    });

    it.each(['rest.yaml', 'ws.yaml'])('docs/%s: the schema as YAML, without credentials', async (name) => {
      const response = await request(`${gateway.url}/api/v1/docs/${name}`);
      expect([response.statusCode, response.headers['content-type']]).toEqual([
        200,
        expect.stringMatching(/yaml/),
      ]);
      expect(parse(await response.body.text())).toMatchObject({ info: { version: '0.5.4' } });
    });
  });

  interface StoreOutage {
    readonly enrolled: CallResponse;
    readonly sent: CallResponse;
    readonly state: CallResponse;
  }

  let storeOutage: Promise<StoreOutage> | undefined;

  /** Responses while the Redis of the running broker is stopped. */
  const withoutStore = () => (storeOutage ??= callWithoutStore());

  async function callWithoutStore(): Promise<StoreOutage> {
    await broker.store.kill();
    try {
      const [enrolled, sent, state] = await Promise.all([enrol(gateway), send(gateway), health(gateway)]);
      return { enrolled, sent, state };
    } finally {
      await broker.store.start();
      // The broker reconnects to Redis after a delay.
      await waitFor('the broker accepts messages', async () => (await send(gateway)).status === 200);
    }
  }

  /** Sends from a gateway with the same identity and another scheme, whose signature the broker attributes to another key. */
  async function sendWithOtherScheme(): Promise<CallResponse> {
    const other = await startGateway(broker.url, { SIGNATURE_SCHEME: 'keccak256' });
    try {
      await setKey(other, key.toHex());
      return await send(other);
    } finally {
      await other.stop();
    }
  }

  type Rows = readonly [
    error: string,
    operation: string,
    cause: () => Promise<CallResponse>,
    information?: unknown,
  ][];

  const ERRORS: Rows = [
    // Private key rejected.
    ['400 ID::INVALID_PRIVATE_KEY', 'POST config/identity, 63 digits', () => setKey(gateway, '1'.repeat(63))],
    ['400 ID::INVALID_PRIVATE_KEY', 'POST config/identity, zero', () => setKey(gateway, '0'.repeat(64))],
    // No private key configured, enrolment cannot start.
    ['400 ID::NO_PRIVATE_KEY', 'POST config/enrol', () => enrol(withoutIdentity)],
    // Claims cannot be requested from the remote node.
    ['500 ID::FETCH_CLAIMS_FAILED', 'POST config/enrol, broker unreachable', () => enrol(withoutBroker)],
    [
      '500 ID::FETCH_CLAIMS_FAILED',
      'POST config/enrol, no store',
      async () => (await withoutStore()).enrolled,
    ],
    ['500 ID::FETCH_CLAIMS_FAILED', 'POST config/enrol, login refused', () => enrol(withoutLogin)],
    // User cannot access the channel.
    [
      '401 BUS::CHANNEL_UNAUTHORIZED',
      'POST message',
      () => send(gateway, { fqcn: closed }),
      { fqcn: expect.any(String), right: 'publish' },
    ],
    [
      '401 BUS::CHANNEL_UNAUTHORIZED',
      'GET message',
      () => read(gateway, `fqcn=${closed}`),
      { right: 'subscribe' },
    ],
    // Login to the broker failed.
    ['401 BUS::LOGIN_FAILED', 'POST message', () => send(withoutLogin)],
    ['401 BUS::LOGIN_FAILED', 'GET message', () => read(withoutLogin)],
    // Caller not enrolled as a bus user.
    ['403 BUS::FORBIDDEN_RESOURCE', 'POST message', () => send(notEnrolled), { role: USER_ROLE }],
    ['403 BUS::FORBIDDEN_RESOURCE', 'GET message', () => read(notEnrolled), { role: USER_ROLE }],
    ['403 BUS::FORBIDDEN', 'GET channels', () => channels(notEnrolled), { role: USER_ROLE }],
    // Channel or topic does not exist. A name that none can have is one that does not exist.
    [
      '404 BUS::CHANNEL_NOT_FOUND',
      'POST message, no such channel',
      () => send(gateway, { fqcn: NO_CHANNEL }),
      { fqcn: NO_CHANNEL },
    ],
    [
      '404 BUS::CHANNEL_NOT_FOUND',
      'POST message, no such topic',
      () => send(gateway, { topic: 'none' }),
      { topic: 'none' },
    ],
    [
      '404 BUS::CHANNEL_NOT_FOUND',
      'POST message, no topic default',
      () => send(gateway, { topic: undefined }),
      { topic: 'default' },
    ],
    [
      '404 BUS::CHANNEL_NOT_FOUND',
      'GET message, no such channel',
      () => read(gateway, `fqcn=${NO_CHANNEL}`),
      { fqcn: NO_CHANNEL },
    ],
    [
      '404 BUS::CHANNEL_NOT_FOUND',
      'POST message, too long a channel',
      () => send(gateway, { fqcn: 'c'.repeat(256) }),
      { maxLength: 255 },
    ],
    [
      '404 BUS::CHANNEL_NOT_FOUND',
      'POST message, too long a topic',
      () => send(gateway, { topic: 't'.repeat(256) }),
      { maxLength: 255 },
    ],
    [
      '404 BUS::CHANNEL_NOT_FOUND',
      'GET message, too long a channel',
      () => read(gateway, `fqcn=${'c'.repeat(256)}`),
      { maxLength: 255 },
    ],
    // Message rejected by the broker.
    [
      '422 BUS::MESSAGE_REJECTED',
      'POST message, schema mismatch',
      () => send(gateway, { topic: 'strict', payload: '{"n":"one"}' }),
      { status: 422, code: 'BUS::SCHEMA_MISMATCH', details: { topic: 'strict' } },
    ],
    [
      '422 BUS::MESSAGE_REJECTED',
      'POST message, larger than maxMsgSize',
      () => send(gateway, { payload: `"${'x'.repeat(1_048_576)}"` }),
      { code: 'BUS::MESSAGE_TOO_LARGE', details: { size: 1_048_578, limit: 1_048_576 } },
    ],
    [
      '422 BUS::MESSAGE_REJECTED',
      'POST message, signed with a scheme that the broker refuses',
      () => sendWithOtherScheme(),
      {
        code: 'BUS::INVALID_SIGNATURE',
        details: { reason: expect.any(String), sender: expect.stringMatching(/^did:ethr:0x/) },
      },
    ],
    // Broker unreachable or connection down.
    ['502 BUS::REQUEST_FAILED', 'POST message', () => send(withoutBroker)],
    ['502 BUS::REQUEST_FAILED', 'GET message', () => read(withoutBroker)],
    ['502 BUS::REQUEST_FAILED', 'GET channels', () => channels(withoutBroker)],
    ['502 BUS::REQUEST_FAILED', 'GET health', () => health(withoutBroker)],
    [
      '502 BUS::REQUEST_FAILED',
      'POST message, no store',
      async () => (await withoutStore()).sent,
      { status: 503, code: 'BUS::UNHEALTHY', details: { message: expect.any(String) } },
    ],
    // Broker running with issues.
    [
      '503 BUS::UNHEALTHY',
      'GET health, no store',
      async () => (await withoutStore()).state,
      { status: 'error', message: expect.any(String) },
    ],
    // Public key cannot be verified.
    [
      '400 SIG::CHECK_FAILED',
      'POST verifysignature, not a signature',
      () => verify({ signature: '0x1234', did: UNKNOWN_DID, payload: '' }),
    ],
    [
      '400 SIG::CHECK_FAILED',
      'POST verifysignature, not a point of the curve',
      () => verify({ signature: `0x${'f'.repeat(128)}1b`, did: UNKNOWN_DID, payload: '' }),
    ],
    [
      '400 SIG::CHECK_FAILED',
      'POST verifysignature, no did',
      () => verify({ signature: '0x12', payload: '' }),
    ],
    // Recovered and expected public keys differ.
    [
      '200 SIG::NO_MATCH',
      'POST verifysignature, another key',
      () => verify({ did, payload: 'p', signature: OTHER.signMessageSync('p') }),
      { expected: expect.stringMatching(/^0x04[0-9a-f]{128}$/), actual: OTHERS_PUBLIC_KEY },
    ],
    [
      '200 SIG::NO_MATCH',
      'POST verifysignature, another payload',
      () => verify({ did, payload: 'q', signature: new Wallet(key.toHex()).signMessageSync('p') }),
      { expected: expect.stringMatching(/^0x04/), actual: expect.stringMatching(/^0x04/) },
    ],
  ];

  it.each(ERRORS)('%s: %s', async (error, _operation, cause, information?: unknown) => {
    const [status, code] = error.split(' ');
    const response = await cause();
    expect(response).toMatchObject({
      status: Number(status),
      type: expect.stringMatching(/^application\/json/),
      body: { err: { code, reason: expect.stringMatching(/\w/) } },
    });
    expect(Object.keys(response.body as object)).toEqual(['err']);
    if (information !== undefined)
      expect(response.body).toMatchObject({ err: { additionalInformation: information } });
  });
});
