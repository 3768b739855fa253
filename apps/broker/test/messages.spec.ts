import { startTestRedis, type TestRedis } from '@ssb/testing';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { ISSUER, startBroker, type TestBroker, USER_ROLE } from './support/test-broker.js';

let redis: TestRedis;
let broker: TestBroker;
let other: TestBroker;

beforeAll(async () => {
  redis = await startTestRedis();
  [broker, other] = await Promise.all([startBroker(redis.url), startBroker(redis.url)]);
});

afterAll(async () => {
  try {
    await Promise.all([broker.close(), other.close()]);
  } finally {
    await redis.stop();
  }
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

  it('are read once by each client, and again by instant', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    for (const payload of ['a', 'b', 'c']) await client.post(fqcn, payload);
    const read = async (query = {}) => (await client.read(fqcn, query)).body.map(({ payload }) => payload);
    expect(await read({ amount: '2' })).toEqual(['a', 'b']);
    expect(await read()).toEqual(['c']);
    expect(await read()).toEqual([]);
    expect(await read({ clientId: 'second' })).toEqual(['a', 'b', 'c']);
    expect(await read({ from: '2026-01-01T00:00:00Z' })).toEqual(['a', 'b', 'c']);
    expect(await read({ from: '2026-01-01T00:00:00' })).toEqual(['a', 'b', 'c']);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await read({ from: later })).toEqual([]);
    expect(await read({ from: later.replace('Z', ' 00:00') })).toEqual([]);
    expect(await read({ from: later.replace('Z', '') })).toEqual([]);
    expect(await read()).toEqual([]);
  });

  it('get the first id when they are repeated, also at two brokers at the same instant', async () => {
    const actor = new Actor();
    const clients = await Promise.all([user(broker.url, actor), user(other.url, actor)]);
    const fqcn = await makeChannel(broker.url);
    const answers = await Promise.all(
      [0, 1, 0, 1, 0, 1].map((index) => (clients[index] as Client).post(fqcn, 'a', { correlationId: 'x' })),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect((await clients[0].read(fqcn)).body).toHaveLength(1);
  });

  it('have unique ids across channels', async () => {
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
      413,
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
      'with a text that has no UTF-8 form',
      (sender, fqcn) => sender.post(fqcn, '{"a":1}', { correlationId: '\ud83d' }),
      400,
      'INVALID_REQUEST',
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

  it('require enrolment (403), then the permission on the channel (401), to publish and to read', async () => {
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
  it('are refused by the size limit of their path', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url, { maxMsgSize: 8_388_608 });
    const login = await client.call('POST', '/auth/login', { identityToken: 'x'.repeat(70_000) });
    expect([login.status, login.body.err.code]).toEqual([413, 'BUS::TOO_LARGE']);
    const size = JSON.stringify({ identityToken: 'x'.repeat(70_000) }).length;
    expect(login.body.err.additionalInformation).toEqual({ size, limit: 65_536 });
    // Every byte of this payload takes two in JSON. The size is checked before the signature.
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
    ['GET', '/message?fqcn=x&from=2026-11-20', undefined, 400],
    ['GET', '/message?fqcn=x&from=2026-02-30T00:00:00Z', undefined, 400],
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
    ['/nowhere', 404, 'BUS::NOT_FOUND'],
    ['/%zz', 400, 'BUS::INVALID_REQUEST'],
  ])('for %s get %s %s', async (path, status, code) => {
    const answer = await new Client(broker.url, ISSUER).call('GET', path);
    expect([answer.status, answer.body.err.code]).toEqual([status, code]);
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
