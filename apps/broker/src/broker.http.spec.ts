import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestRedis, type TestRedis } from '@ssb/redis';
import { verifyMessage } from 'ethers';
import type { Channel } from './domain/channel.js';
import { Actor } from './testing/actor.js';
import { Client, creator, makeChannel, user } from './testing/client.js';
import { AUDIENCE, ISSUER, startBroker, USER_ROLE, type TestBroker } from './testing/test-broker.js';

const OTHER_ROLE = 'feed.roles.messagebus.apps.bridge.iam.local';

let redis: TestRedis;
let broker: TestBroker;
let other: TestBroker;

beforeAll(async () => {
  redis = await startTestRedis();
  [broker, other] = await Promise.all([startBroker(redis.url), startBroker(redis.url)]);
});

afterAll(async () => {
  await Promise.all([broker.close(), other.close()]);
  await redis.stop();
});

describe('login', () => {
  it('exchanges an identity token for a bearer token, signed by the broker', async () => {
    const actor = new Actor();
    const client = new Client(broker.url, actor);
    const { status, body } = await client.call<Awaited<ReturnType<Client['login']>>>('POST', '/auth/login', {
      identityToken: actor.identityToken(AUDIENCE),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ did: actor.did, address: actor.wallet.address });
    expect(verifyMessage(body.token, body.signature)).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });

  it('takes an identity token once, whichever broker is asked', async () => {
    const identityToken = new Actor().identityToken(AUDIENCE);
    const anybody = new Client(broker.url, ISSUER);
    const elsewhere = new Client(other.url, ISSUER);
    const answers = await Promise.all(
      [anybody, elsewhere, anybody].map((each) => each.call('POST', '/auth/login', { identityToken })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(answers.find(({ status }) => status === 401)?.body.err.code).toBe('BUS::LOGIN_FAILED');
  });

  const seconds = Math.floor(Date.now() / 1000);
  it.each([
    ['for another audience', { aud: 'urn:other' }],
    ['that has expired', { iat: seconds - 100, exp: seconds - 50 }],
    ['that lives too long', { exp: seconds + 3_600 }],
    ['without a nonce', { jti: undefined }],
    ['without an expiry', { exp: undefined }],
    ['of somebody else', { iss: new Actor().did }],
  ])('refuses a token %s', async (_, claims) => {
    const identityToken = new Actor().identityToken(AUDIENCE, claims);
    const { status, body } = await new Client(broker.url, ISSUER).call('POST', '/auth/login', {
      identityToken,
    });
    expect([status, body.err.code]).toEqual([401, 'BUS::LOGIN_FAILED']);
  });

  it('takes a token of the old form only where that is allowed, and never an expired one', async () => {
    const lenient = await startBroker(redis.url, { DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS: 'true' });
    const actor = new Actor();
    const old = actor.jws({ iss: actor.did, claimData: {} });
    const expired = actor.identityToken(AUDIENCE, { iat: 1, exp: 2 });
    const status = async (url: string, identityToken: string) =>
      (await new Client(url, actor).call('POST', '/auth/login', { identityToken })).status;
    expect([await status(broker.url, old), await status(lenient.url, old)]).toEqual([401, 200]);
    expect(await status(lenient.url, expired)).toBe(401);
    await lenient.close();
  });

  it('answers 429 to an address that tries too often', async () => {
    const busy = await startBroker(redis.url, { ATTEMPTS_PER_MINUTE: '2' });
    const client = new Client(busy.url, ISSUER);
    const statuses = [];
    for (let index = 0; index < 3; index += 1) {
      statuses.push((await client.call('POST', '/auth/login', { identityToken: 'x' })).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
    await busy.close();
  });
});

describe('roles', () => {
  it('are claimed, decided by the issuer, and taken away again', async () => {
    const client = new Client(broker.url, new Actor());
    await client.login();
    const claim = () => client.call('POST', '/role/claim', { role: USER_ROLE });
    const states = async () =>
      (await client.call<{ role: string; state: string }[]>('GET', '/role/claim')).body;
    expect((await claim()).body).toEqual({ role: USER_ROLE, state: 'AWAITING_APPROVAL' });
    expect(await states()).toEqual([{ role: USER_ROLE, state: 'AWAITING_APPROVAL' }]);
    expect((await client.decide(USER_ROLE, 'approve')).body).toEqual({
      did: client.actor.did,
      role: USER_ROLE,
      state: 'APPROVED',
    });
    expect((await claim()).body).toEqual({ role: USER_ROLE, state: 'APPROVED' });
    await client.decide(USER_ROLE, 'revoke');
    expect(await states()).toEqual([{ role: USER_ROLE, state: 'NO_CLAIM' }]);
  });

  it('are listed for the issuer alone', async () => {
    const client = new Client(broker.url, new Actor());
    await client.login();
    await client.call('POST', '/role/claim', { role: OTHER_ROLE });
    const refused = await client.call('GET', '/role/claims');
    expect([refused.status, refused.body.err.code]).toEqual([403, 'BUS::FORBIDDEN']);
    const issuer = await creator(broker.url);
    const { body } = await issuer.call<{ did: string; role: string }[]>(
      'GET',
      '/role/claims?state=AWAITING_APPROVAL',
    );
    expect(body).toContainEqual(expect.objectContaining({ did: client.actor.did, role: OTHER_ROLE }));
  });

  const did = new Actor().did;
  const good = { did, role: USER_ROLE, decision: 'approve' };
  const stranger = new Actor();
  it.each([
    ['by somebody else', stranger.identityToken(AUDIENCE, good), 403],
    ["in the issuer's name", stranger.identityToken(AUDIENCE, { ...good, iss: ISSUER.did }), 400],
    ['for another audience', ISSUER.identityToken('urn:other', good), 403],
    ['that has expired', ISSUER.identityToken(AUDIENCE, { ...good, iat: 1, exp: 2 }), 403],
    ['that lives too long', ISSUER.identityToken(AUDIENCE, { ...good, exp: 9_999_999_999 }), 403],
    ['of another word', ISSUER.identityToken(AUDIENCE, { ...good, decision: 'maybe' }), 400],
    ['about nobody', ISSUER.identityToken(AUDIENCE, { ...good, did: 'x' }), 400],
    ['that is no token', 'x', 400],
  ])('are not given by a decision %s', async (_, token, expected) => {
    const issuer = await creator(broker.url);
    expect((await issuer.call('POST', '/role/decision', { token })).status).toBe(expected);
    const { body } = await issuer.call<{ did: string }[]>('GET', '/role/claims');
    expect(body.filter((record) => record.did === did)).toEqual([]);
  });

  it('are decided once by each decision, and never by one older than the last', async () => {
    const client = new Client(broker.url, new Actor());
    const claims = { did: client.actor.did, role: USER_ROLE };
    const iat = Math.floor(Date.now() / 1000);
    const approve = ISSUER.identityToken(AUDIENCE, { ...claims, decision: 'approve', iat: iat - 10 });
    const late = ISSUER.identityToken(AUDIENCE, { ...claims, decision: 'approve', iat: iat - 5 });
    const revoke = ISSUER.identityToken(AUDIENCE, { ...claims, decision: 'revoke', iat });
    const statuses = [];
    for (const token of [approve, approve, revoke, late]) {
      statuses.push((await client.call('POST', '/role/decision', { token })).status);
    }
    expect(statuses).toEqual([200, 403, 200, 409]);
  });
});

describe('channels', () => {
  const schema = JSON.stringify({ type: 'object', required: ['a'] });

  it('are made, shown, changed and removed', async () => {
    const admin = await creator(broker.url);
    const fqcn = await makeChannel(broker.url, { topics: [{ namespace: 't', schema }], maxMsgSize: 100 });
    const shown = await admin.call<Channel>('GET', `/channel/${fqcn}`);
    expect(shown.body).toMatchObject({
      fqcn,
      topics: [{ namespace: 't', schema }],
      maxMsgAge: 604_800_000_000_000,
      maxMsgSize: 100,
      createdBy: ISSUER.did,
    });
    const changed = await admin.call<Channel>('PATCH', '/channel', { fqcn, topics: [] });
    expect([changed.status, changed.body.topics, changed.body.modifiedBy]).toEqual([200, [], ISSUER.did]);
    const elsewhere = await creator(other.url);
    expect((await elsewhere.call<Channel>('GET', `/channel/${fqcn}`)).body.topics).toEqual([]);
    expect((await admin.call('DELETE', `/channel/${fqcn}`)).status).toBe(204);
    expect((await elsewhere.call('GET', `/channel/${fqcn}`)).body.err.code).toBe('BUS::CHANNEL_NOT_FOUND');
  });

  it('are made once', async () => {
    const fqcn = await makeChannel(broker.url);
    const again = await (await creator(broker.url)).call('POST', '/channel', { fqcn });
    expect([again.status, again.body.err.code]).toEqual([409, 'BUS::CHANNEL_EXISTS']);
  });

  it.each([
    ['a name of another form', { fqcn: 'x' }, 400, 'BUS::INVALID_REQUEST'],
    ['no name', {}, 400, 'BUS::INVALID_REQUEST'],
    ['an empty list of publishers', { publishers: [] }, 400, 'BUS::INVALID_REQUEST'],
    ['a publisher that is neither DID nor role', { publishers: ['me'] }, 400, 'BUS::INVALID_REQUEST'],
    [
      'a topic twice',
      {
        topics: [
          { namespace: 't', schema },
          { namespace: 't', schema },
        ],
      },
      400,
      'BUS::INVALID_REQUEST',
    ],
    ['more than the largest message', { maxMsgSize: 8_388_609 }, 400, 'BUS::INVALID_REQUEST'],
    ['a bad schema', { topics: [{ namespace: 't', schema: '{"type":"text"}' }] }, 422, 'BUS::INVALID_SCHEMA'],
  ])('are refused with %s', async (_, more, status, code) => {
    const fqcn = `bad-${randomUUID()}.channels.messagebus.apps.bridge.iam.local`;
    const answer = await (
      await creator(broker.url)
    ).call('POST', '/channel', 'fqcn' in more || Object.keys(more).length === 0 ? more : { fqcn, ...more });
    expect([answer.status, answer.body.err.code]).toEqual([status, code]);
  });

  it('are made by creators and managed by their admins alone', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const attempts = () =>
      Promise.all([
        client.call('POST', '/channel', { fqcn: `a.${fqcn}` }),
        client.call('PATCH', '/channel', { fqcn, topics: [] }),
      ]);
    expect((await attempts()).map(({ body }) => body.err.code)).toEqual(['BUS::FORBIDDEN', 'BUS::FORBIDDEN']);
    await (await creator(broker.url)).call('PATCH', '/channel', { fqcn, admins: [client.actor.did] });
    expect((await attempts()).map(({ status }) => status)).toEqual([403, 200]);
  });

  it('are listed for those who may use them', async () => {
    const [mine, roles, all] = [new Actor(), new Actor(), new Actor()];
    const own = await makeChannel(broker.url, { subscribers: [mine.did], publishers: [mine.did] });
    const shared = await makeChannel(broker.url, { publishers: [OTHER_ROLE], subscribers: [mine.did] });
    const names = async (actor: Actor, role?: string) => {
      const client = await user(broker.url, actor);
      if (role) await client.decide(role, 'approve');
      const { body } = await client.call<Channel[]>('GET', '/channel/pubsub');
      return body.map(({ fqcn }) => fqcn).filter((fqcn) => fqcn === own || fqcn === shared);
    };
    expect((await names(mine)).sort()).toEqual([own, shared].sort());
    expect(await names(roles, OTHER_ROLE)).toEqual([shared]);
    expect(await names(all)).toEqual([]);
    const stranger = new Client(broker.url, new Actor());
    await stranger.login();
    expect((await stranger.call('GET', '/channel/pubsub')).body.err.code).toBe('BUS::FORBIDDEN');
  });
});

describe('messages', () => {
  it('are stored and read back with their sender, exact time and correlation id', async () => {
    const [sender, reader] = await Promise.all([user(broker.url, new Actor()), user(other.url, new Actor())]);
    const fqcn = await makeChannel(broker.url);
    const posted = await sender.post(fqcn, '{"ü":1}', { correlationId: 'c-1' });
    expect(posted.status).toBe(201);
    const { body } = await reader.read(fqcn);
    expect(body).toEqual([
      {
        id: posted.body.id,
        fqcn,
        topic: 'default',
        payload: '{"ü":1}',
        signature: sender.actor.sign('{"ü":1}'),
        sender: sender.actor.did,
        timestampNanos: expect.stringMatching(/^\d{19}$/),
        correlationId: 'c-1',
      },
    ]);
  });

  it('are given to a client once, to another client again, and again to anybody from a moment on', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    for (const payload of ['a', 'b', 'c']) await client.post(fqcn, payload);
    const read = async (query = {}) => (await client.read(fqcn, query)).body.map(({ payload }) => payload);
    expect(await read({ amount: '2' })).toEqual(['a', 'b']);
    expect(await read()).toEqual(['c']);
    expect(await read()).toEqual([]);
    expect(await read({ clientId: 'second' })).toEqual(['a', 'b', 'c']);
    expect(await read({ from: '2026-01-01T00:00:00Z' })).toEqual(['a', 'b', 'c']);
    expect(await read({ from: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
    expect(await read()).toEqual([]);
  });

  it('get the first id when they are repeated, even at the same instant at two brokers', async () => {
    const actor = new Actor();
    const clients = await Promise.all([user(broker.url, actor), user(other.url, actor)]);
    const fqcn = await makeChannel(broker.url);
    const answers = await Promise.all(
      [0, 1, 0, 1, 0, 1].map((index) => (clients[index] as Client).post(fqcn, 'a', { correlationId: 'x' })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect((await clients[0].read(fqcn)).body).toHaveLength(1);
  });

  it('have ids of their own across channels', async () => {
    const client = await user(broker.url, new Actor());
    const channels = await Promise.all(Array.from({ length: 10 }, () => makeChannel(broker.url)));
    const answers = await Promise.all(channels.map((fqcn) => client.post(fqcn, 'a')));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(10);
  });

  const schema = '{"type":"object","required":["a"]}';
  it.each<[string, (sender: Client, fqcn: string) => ReturnType<Client['post']>, number, string]>([
    [
      'on an unknown channel',
      (sender, fqcn) => sender.post(`x.${fqcn}`, '{"a":1}'),
      404,
      'CHANNEL_NOT_FOUND',
    ],
    [
      'on an unknown topic',
      (sender, fqcn) => sender.post(fqcn, '{"a":1}', { topic: 'u' }),
      404,
      'CHANNEL_NOT_FOUND',
    ],
    [
      'too large',
      (sender, fqcn) => sender.post(fqcn, `{"a":"${'x'.repeat(100)}"}`),
      422,
      'MESSAGE_TOO_LARGE',
    ],
    ['against the schema', (sender, fqcn) => sender.post(fqcn, '{}'), 422, 'SCHEMA_MISMATCH'],
    [
      'signed by another',
      (sender, fqcn) => sender.post(fqcn, '{"a":1}', { signature: new Actor().sign('{"a":1}') }),
      422,
      'INVALID_SIGNATURE',
    ],
    [
      'changed after signing',
      (sender, fqcn) => sender.post(fqcn, '{"a":2}', { signature: sender.actor.sign('{"a":1}') }),
      422,
      'INVALID_SIGNATURE',
    ],
    [
      'with half a signature',
      (sender, fqcn) => sender.post(fqcn, '{"a":1}', { signature: '0x00' }),
      422,
      'INVALID_SIGNATURE',
    ],
    [
      'without a signature',
      (sender, fqcn) => sender.post(fqcn, '{"a":1}', { signature: undefined }),
      400,
      'INVALID_REQUEST',
    ],
  ])('are refused %s, and nothing is stored', async (_, attempt, status, code) => {
    const sender = await user(broker.url, new Actor());
    const topics = [{ namespace: 'default', schema }];
    const fqcn = await makeChannel(broker.url, { topics, maxMsgSize: 64 });
    const answer = await attempt(sender, fqcn);
    expect([answer.status, answer.body.err.code]).toEqual([status, `BUS::${code}`]);
    expect((await sender.read(fqcn)).body).toEqual([]);
  });

  it('need enrolment (403), then a right on the channel (401), each way', async () => {
    const owner = await user(broker.url, new Actor());
    const members = [owner.actor.did];
    const fqcn = await makeChannel(broker.url, { publishers: members, subscribers: members });
    const client = new Client(broker.url, new Actor());
    await client.login();
    const attempt = async () =>
      (await Promise.all([client.post(fqcn, 'a'), client.read(fqcn)])).map(
        ({ status, body }) => `${status} ${body.err.code}`,
      );
    expect(await attempt()).toEqual(['403 BUS::FORBIDDEN_RESOURCE', '403 BUS::FORBIDDEN_RESOURCE']);
    await client.decide(USER_ROLE, 'approve');
    expect(await attempt()).toEqual(['401 BUS::CHANNEL_UNAUTHORIZED', '401 BUS::CHANNEL_UNAUTHORIZED']);
    expect((await owner.post(fqcn, 'a')).status).toBe(201);
    await owner.decide(USER_ROLE, 'revoke');
    expect((await owner.post(fqcn, 'b')).status).toBe(403);
  });
});

describe('malformed requests', () => {
  it('are refused by their size, by what the address needs', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url, { maxMsgSize: 8_388_608 });
    const login = await client.call('POST', '/auth/login', { identityToken: 'x'.repeat(70_000) });
    expect([login.status, login.body.err.code]).toEqual([413, 'BUS::TOO_LARGE']);
    // Every byte of this payload takes two in JSON. The size is looked at before the signature.
    const post = async (payload: string) =>
      (await client.call('POST', '/message', { fqcn, payload, signature: '0x00' })).body.err.code;
    expect(await post('"'.repeat(8_388_608))).toBe('BUS::INVALID_SIGNATURE');
    expect(await post('"'.repeat(8_388_609))).toBe('BUS::MESSAGE_TOO_LARGE');
    expect(await post('x'.repeat(17_000_000))).toBe('BUS::TOO_LARGE');
  });

  it.each([
    ['GET', '/message?fqcn=x&amount=0', undefined, 400],
    ['GET', '/message?fqcn=x&amount=many', undefined, 400],
    ['GET', '/message?fqcn=x&from=yesterday', undefined, 400],
    ['GET', '/message', undefined, 400],
    ['POST', '/message', '{', 400],
    ['POST', '/message', {}, 400],
    ['POST', '/role/claim', { role: 'user' }, 400],
    ['GET', '/role/claims?state=SOME', undefined, 400],
  ])('%s %s with %j gets %s', async (method, path, body, status) => {
    const answer = await (await creator(broker.url)).call(method, path, body);
    expect([answer.status, answer.body.err.code]).toEqual([status, 'BUS::INVALID_REQUEST']);
  });

  it.each([
    ['POST', '/message'],
    ['GET', '/message?fqcn=x'],
    ['GET', '/channel/pubsub'],
    ['POST', '/channel'],
    ['DELETE', '/channel/x'],
    ['POST', '/role/claim'],
    ['GET', '/role/claims'],
  ])('%s %s without a token gets 401', async (method, path) => {
    const { status, body } = await new Client(broker.url, ISSUER).call(method, path);
    expect([status, body.err.code]).toEqual([401, 'BUS::UNAUTHENTICATED']);
  });
});

it('is healthy, in the form of the bus and in that of the house', async () => {
  const client = new Client(broker.url, ISSUER);
  for (const path of ['/health', '/health/ready', '/health/live']) {
    const { status, body } = await client.call<{ status: string }>('GET', path);
    expect([status, body.status]).toEqual([200, 'ok']);
  }
});
