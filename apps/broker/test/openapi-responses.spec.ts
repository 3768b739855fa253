import { gzipSync } from 'node:zlib';
import { startTestRedis } from '@ssb/testing';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { findOperation, listOutcomes, operations, send, type Sent } from './support/openapi.js';
import { AUDIENCE, ISSUER, startBroker, USER_ROLE, useBroker } from './support/test-broker.js';

/**
 * Every response that openapi.yaml describes comes from a running broker, and no other: `send` refuses a response with another status, code,
 * field or header.
 */
let sender: Client;
let owner: Client;
/** Logged in, but not enrolled. */
let guest: Client;
let fqcn: string;
/** A channel that `sender` may neither read nor write. */
let closed: string;
const seen = new Set<string>();
const { redis, broker } = useBroker({ MAX_OPEN_CLAIMS: '2', MAX_MESSAGE_SIZE: '1000' });

beforeAll(async () => {
  sender = await user(broker.url, new Actor());
  owner = await creator(broker.url);
  guest = new Client(broker.url, new Actor());
  await guest.login();
  const members = [new Actor().did];
  fqcn = await makeChannel(broker.url, { topics: [{ namespace: 'default', schema: '{"type":"object"}' }] });
  closed = await makeChannel(broker.url, { publishers: members, subscribers: members });
});

/** Sends a request and records its outcome. */
async function run(id: string, sent: Sent, url = broker.url): Promise<string> {
  const outcome = await send(url, id, sent);
  seen.add(outcome);
  return outcome.slice(id.length + 1);
}

const UNKNOWN = 'unknown.channels.messagebus.apps.bridge.iam.local';
const OTHER_ROLE = 'feed.roles.messagebus.apps.bridge.iam.local';
const message = (payload = '{}', channel = fqcn) => ({
  fqcn: channel,
  payload,
  signature: sender.actor.sign(payload),
});
const decision = (claims: Readonly<Record<string, unknown>>, issuer = ISSUER) => ({
  token: issuer.decision(AUDIENCE, {
    did: sender.actor.did,
    role: OTHER_ROLE,
    decision: 'approve',
    ...claims,
  }),
});
const query = (channel: string, more = '') => `/message?fqcn=${channel}${more}`;
const newName = (() => {
  let count = 0;
  return () => `new${(count += 1)}.channels.messagebus.apps.bridge.iam.local`;
})();

/** A request that would succeed, without its token. */
const GOOD: Readonly<Record<string, () => Sent>> = {
  login: () => ({ body: { identityToken: sender.actor.identityToken(AUDIENCE) } }),
  sendMessage: () => ({ body: message() }),
  readMessages: () => ({ path: query(fqcn, '&amount=1&from=2026-01-01T00:00:00') }),
  sendMessages: () => ({ body: [message(), {}] }),
  acknowledgeMessages: () => ({ body: { fqcn, upTo: '1-1-aaaaaaaaaaaa' } }),
  createChannel: () => ({ body: { fqcn: newName(), topics: [{ namespace: 't', schema: '{"x-unit":1}' }] } }),
  changeChannel: () => ({ body: { fqcn, maxMsgSize: 100 } }),
  listChannels: () => ({}),
  getChannel: () => ({ path: `/channel/${fqcn}` }),
  removeChannel: () => ({ path: `/channel/${UNKNOWN}` }),
  claimRole: () => ({ body: { role: OTHER_ROLE } }),
  listOwnClaims: () => ({}),
  listClaims: () => ({ path: '/role/claims?identities=1' }),
  decideRole: () => ({ body: decision({}) }),
  addRoleToDocument: () => ({ body: decision({}) }),
  getDidDocument: () => ({ path: `/did/${sender.actor.did}` }),
  getHealth: () => ({}),
};

it('covers every operation', () => {
  expect(Object.keys(GOOD)).toEqual(operations.map(({ operationId }) => operationId));
});

const secured = operations.filter(({ security }) => security === undefined);
const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
const isSecured = (id: string): boolean => secured.some(({ operationId }) => operationId === id);

it.each(secured.map(({ operationId }) => operationId))('%s needs a bearer token', async (id) => {
  const sent = GOOD[id]?.() ?? {};
  expect(await run(id, sent)).toBe('401 BUS::UNAUTHENTICATED');
  expect(await run(id, { ...sent, token: 'a.b.c' })).toBe('401 BUS::UNAUTHENTICATED');
});

describe.each(withBody.map(({ operationId }) => operationId))('the body of %s', (id) => {
  const sendAs = (client: Client | undefined, sent: Sent) =>
    run(id, { ...(client && isSecured(id) && { token: client.token }), ...sent });

  it('must be valid', async () => {
    for (const body of ['{', '"a"', '{"fqcn":1}'])
      expect(await sendAs(owner, { body })).toMatch(/^400 BUS::INVALID_REQUEST/);
  });

  it('must be application/json without a content coding', async () => {
    const xml = { 'content-type': 'application/xml' };
    expect(await sendAs(sender, { body: '<a/>', headers: xml })).toBe('415 BUS::UNSUPPORTED_MEDIA_TYPE');
    const headers = { 'content-encoding': 'gzip' };
    const body = gzipSync('{}').toString('latin1');
    expect(await sendAs(sender, { body, headers })).toBe('415 BUS::UNSUPPORTED_MEDIA_TYPE');
  });

  it('must not be too large', async () => {
    const headers = { 'content-length': '20000000' };
    expect(await sendAs(sender, { headers })).toBe('413 BUS::TOO_LARGE');
    const expected = isSecured(id) ? '403 BUS::FORBIDDEN_RESOURCE' : '413 BUS::TOO_LARGE';
    expect(await sendAs(guest, { headers })).toBe(expected);
  });
});

type Case = readonly [id: string, outcome: string, client: () => Client | undefined, sent: () => Sent];
const noClient = () => undefined;
const asSender = () => sender;
const asOwner = () => owner;
const asGuest = () => guest;

describe('the response to', () => {
  it.each<Case>([
    ['login', '200', noClient, () => GOOD['login']?.() ?? {}],
    ['login', '401 BUS::LOGIN_FAILED', noClient, () => ({ body: { identityToken: 'a.b.c' } })],

    ['sendMessage', '201', asSender, () => ({ body: message() })],
    ['sendMessage', '401 BUS::CHANNEL_UNAUTHORIZED', asSender, () => ({ body: message('{}', closed) })],
    ['sendMessage', '403 BUS::FORBIDDEN_RESOURCE', asGuest, () => ({ body: message() })],
    ['sendMessage', '404 BUS::CHANNEL_NOT_FOUND', asSender, () => ({ body: message('{}', UNKNOWN) })],
    ['sendMessage', '413 BUS::MESSAGE_TOO_LARGE', asSender, () => ({ body: message('"'.repeat(1_001)) })],
    ['sendMessage', '422 BUS::SCHEMA_MISMATCH', asSender, () => ({ body: message('1') })],
    [
      'sendMessage',
      '422 BUS::INVALID_SIGNATURE',
      asSender,
      () => ({ body: { ...message(), signature: '0x00' } }),
    ],
    ['sendMessages', '200', asSender, () => ({ body: [message(), message('1'), {}] })],

    ['readMessages', '200', asSender, () => ({ path: query(fqcn, '&amount=1&move=false') })],
    ['readMessages', '400 BUS::INVALID_REQUEST', asSender, () => ({ path: query(fqcn, '&amount=0') })],
    ['readMessages', '401 BUS::CHANNEL_UNAUTHORIZED', asSender, () => ({ path: query(closed) })],
    ['readMessages', '403 BUS::FORBIDDEN_RESOURCE', asGuest, () => ({ path: query(fqcn) })],
    ['readMessages', '404 BUS::CHANNEL_NOT_FOUND', asSender, () => ({ path: query(UNKNOWN) })],

    [
      'acknowledgeMessages',
      '401 BUS::CHANNEL_UNAUTHORIZED',
      asSender,
      () => ({ body: { fqcn: closed, upTo: 'a' } }),
    ],
    [
      'acknowledgeMessages',
      '404 BUS::CHANNEL_NOT_FOUND',
      asSender,
      () => ({ body: { fqcn: UNKNOWN, upTo: 'a' } }),
    ],

    ['createChannel', '201', asOwner, () => GOOD['createChannel']?.() ?? {}],
    ['createChannel', '201', asOwner, () => ({ body: { fqcn: newName(), publishers: null } })],
    ['createChannel', '403 BUS::FORBIDDEN', asSender, () => ({ body: { fqcn: newName() } })],
    ['createChannel', '409 BUS::CHANNEL_EXISTS', asOwner, () => ({ body: { fqcn } })],
    [
      'createChannel',
      '422 BUS::INVALID_SCHEMA',
      asOwner,
      () => ({ body: { fqcn: newName(), topics: [{ namespace: 't', schema: '{"type":1}' }] } }),
    ],
    ['changeChannel', '200', asOwner, () => ({ body: { fqcn: closed, admins: [ISSUER.did] } })],
    ['changeChannel', '403 BUS::FORBIDDEN', asSender, () => ({ body: { fqcn } })],
    ['changeChannel', '404 BUS::CHANNEL_NOT_FOUND', asOwner, () => ({ body: { fqcn: UNKNOWN } })],
    [
      'changeChannel',
      '422 BUS::INVALID_SCHEMA',
      asOwner,
      () => ({ body: { fqcn, topics: [{ namespace: 't', schema: '{"$schema":"a"}' }] } }),
    ],

    ['listChannels', '200', asSender, () => ({})],
    ['listChannels', '403 BUS::FORBIDDEN', asGuest, () => ({})],
    ['getChannel', '200', asOwner, () => ({ path: `/channel/${closed}` })],
    ['getChannel', '400 BUS::INVALID_REQUEST', asSender, () => ({ path: '/channel/x' })],
    ['getChannel', '401 BUS::CHANNEL_UNAUTHORIZED', asSender, () => ({ path: `/channel/${closed}` })],
    ['getChannel', '403 BUS::FORBIDDEN_RESOURCE', asGuest, () => ({ path: `/channel/${fqcn}` })],
    ['getChannel', '404 BUS::CHANNEL_NOT_FOUND', asSender, () => ({ path: `/channel/${UNKNOWN}` })],
    ['removeChannel', '400 BUS::INVALID_REQUEST', asOwner, () => ({ path: '/channel/x' })],
    ['removeChannel', '403 BUS::FORBIDDEN', asSender, () => ({ path: `/channel/${fqcn}` })],
    ['removeChannel', '404 BUS::CHANNEL_NOT_FOUND', asOwner, () => ({ path: `/channel/${UNKNOWN}` })],

    ['claimRole', '200', asSender, () => ({ body: { role: OTHER_ROLE } })],
    ['claimRole', '200', asGuest, () => ({ body: { role: OTHER_ROLE } })],
    ['claimRole', '429 BUS::TOO_MANY_REQUESTS', asGuest, () => ({ body: { role: `a.${OTHER_ROLE}` } })],
    ['listOwnClaims', '200', asSender, () => ({})],
    ['listClaims', '200', asOwner, () => ({ path: '/role/claims?identities=1' })],
    ['listClaims', '400 BUS::INVALID_REQUEST', asOwner, () => ({ path: '/role/claims?identities=0' })],
    ['listClaims', '403 BUS::FORBIDDEN', asSender, () => ({})],

    ['decideRole', '403 BUS::FORBIDDEN', noClient, () => ({ body: decision({}, new Actor()) })],
    ['decideRole', '200', noClient, () => ({ body: decision({}) })],
    [
      'decideRole',
      '409 BUS::STALE_DECISION',
      noClient,
      () => ({ body: decision({ iat: now() - 20, exp: now() + 20 }) }),
    ],
    ['addRoleToDocument', '403 BUS::FORBIDDEN', asGuest, () => ({ body: decision({}) })],
    ['addRoleToDocument', '409 BUS::STALE_DECISION', asSender, () => ({ body: decision({}) })],
    ['getDidDocument', '200', asGuest, () => ({ path: `/did/${sender.actor.did}` })],
    ['getDidDocument', '400 BUS::INVALID_REQUEST', asGuest, () => ({ path: '/did/did:ethr:0x00' })],
    ['getDidDocument', '404 BUS::NOT_FOUND', asGuest, () => ({ path: `/did/${new Actor('web').did}` })],
    ['getHealth', '200', noClient, () => ({})],
  ])('%s is %s', async (id, outcome, client, sent) => {
    const token = client()?.token;
    expect(await run(id, { ...(token !== undefined && { token }), ...sent() })).toBe(outcome);
  });

  it('acknowledgeMessages is 204, and 403 for a guest', async () => {
    const { body } = await sender.read(fqcn, { move: 'false' });
    const acknowledgement = { fqcn, upTo: body[0]?.id };
    expect(await run('acknowledgeMessages', { token: sender.token, body: acknowledgement })).toBe('204');
    const refused = await run('acknowledgeMessages', { token: guest.token, body: acknowledgement });
    expect(refused).toBe('403 BUS::FORBIDDEN_RESOURCE');
  });

  it('addRoleToDocument is the document with the role', async () => {
    const { body } = await sender.call<{ role: string; token: string }[]>('GET', '/role/claim');
    const token = body.find(({ role }) => role === USER_ROLE)?.token;
    expect(await run('addRoleToDocument', { token: sender.token, body: { token } })).toBe('200');
    expect(await run('getDidDocument', { token: sender.token, path: `/did/${sender.actor.did}` })).toBe(
      '200',
    );
  });

  it('removeChannel is 204', async () => {
    const path = `/channel/${await makeChannel(broker.url)}`;
    expect(await run('removeChannel', { token: owner.token, path })).toBe('204');
  });

  it('a second signed token within a minute is 429', async () => {
    const strict = await startBroker(redis.url, { ATTEMPTS_PER_MINUTE: '1', REDIS_PREFIX: 'strict:' });
    try {
      await run('login', { body: { identityToken: 'a' } }, strict.url);
      for (const id of ['login', 'decideRole']) {
        expect(await run(id, GOOD[id]?.() ?? {}, strict.url)).toBe('429 BUS::TOO_MANY_REQUESTS');
      }
    } finally {
      await strict.close();
    }
  });

  it('every operation is 503 without the storage engine', async () => {
    const engine = await startTestRedis();
    const away = await startBroker(engine.url, { REDIS_TIMEOUT_MS: '100' });
    try {
      await engine.stop();
      for (const { operationId: id } of operations) {
        const { token: bearer } = id === 'addRoleToDocument' ? sender : owner;
        const token = isSecured(id) ? { token: bearer } : {};
        const outcome = await run(id, { ...token, ...GOOD[id]?.() }, away.url);
        if (id !== 'sendMessages') expect([id, outcome]).toEqual([id, '503 BUS::UNHEALTHY']);
      }
      // A large body is read for enrolled users only, which the engine knows.
      const headers = { 'content-length': '100000' };
      const large = { token: sender.token, headers };
      expect(await run('sendMessages', large, away.url)).toBe('503 BUS::UNHEALTHY');
    } finally {
      await away.close();
    }
  });
});

it('gives every outcome that the document describes', () => {
  const described = operations.flatMap(({ operationId }) => listOutcomes(findOperation(operationId)));
  // Only a fault of the broker itself gives it.
  const expected = described.filter((outcome) => !outcome.endsWith('BUS::INTERNAL'));
  expect([...seen].sort()).toEqual(expected.sort());
});

function now(): number {
  return Math.floor(Date.now() / 1000);
}
