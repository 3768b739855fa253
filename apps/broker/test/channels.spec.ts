import { startTestRedis, type TestRedis } from '@ssb/testing';
import { randomUUID } from 'node:crypto';
import type { Channel } from '../src/channels/channel.js';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { ISSUER, startBroker, type TestBroker } from './support/test-broker.js';

const OTHER_ROLE = 'feed.roles.messagebus.apps.bridge.iam.local';

let redis: TestRedis;
let broker: TestBroker;
let other: TestBroker;

beforeAll(async () => {
  redis = await startTestRedis();
  [broker, other] = await Promise.all([
    startBroker(redis.url, { LOG_LEVEL: 'warn' }),
    startBroker(redis.url),
  ]);
});

afterAll(async () => {
  try {
    await Promise.all([broker.close(), other.close()]);
  } finally {
    await redis.stop();
  }
});

describe('channels', () => {
  const schema = JSON.stringify({ type: 'object', required: ['a'] });

  it('are created, shown, changed and removed', async () => {
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

  it('keep messages for a millisecond to ten years, in nanoseconds', async () => {
    const admin = await creator(broker.url);
    const fqcn = await makeChannel(broker.url);
    const change = (maxMsgAge: number) => admin.call<Channel>('PATCH', '/channel', { fqcn, maxMsgAge });
    for (const age of [1_000_000, 31_536_000_000_000_000, 315_360_000_000_000_000]) {
      expect(await change(age)).toMatchObject({ status: 200, body: { maxMsgAge: age } });
    }
    for (const age of [999_999, 1_000_000.5, 315_360_000_000_001_000]) {
      expect(await change(age)).toMatchObject({
        status: 400,
        body: { err: { code: 'BUS::INVALID_REQUEST' } },
      });
    }
  });

  it('keep both of two simultaneous changes at two brokers', async () => {
    const [here, there] = [await creator(broker.url), await creator(other.url)];
    const fqcn = await makeChannel(broker.url);
    for (let round = 1; round <= 5; round += 1) {
      const changes = { maxMsgSize: round, maxMsgAge: round * 1_000_000_000 };
      const { maxMsgSize, maxMsgAge } = changes;
      await Promise.all([
        here.call('PATCH', '/channel', { fqcn, maxMsgSize }),
        there.call('PATCH', '/channel', { fqcn, maxMsgAge }),
      ]);
      expect((await here.call<Channel>('GET', `/channel/${fqcn}`)).body).toMatchObject(changes);
    }
  });

  it('are created once', async () => {
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

  it('are refused with the path of each wrong field, without its value', async () => {
    const topics = [
      { namespace: 't', schema: '{}' },
      { namespace: 'hunter2 ', schema: 1 },
    ];
    const answer = await (await creator(broker.url)).call('POST', '/channel', { fqcn: 'hunter2', topics });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        err: {
          code: 'BUS::INVALID_REQUEST',
          reason: expect.stringContaining('; fqcn must be '),
          additionalInformation: {
            problems: [
              { path: 'topics.1.namespace', message: expect.stringMatching(/^topics.1.namespace must be /) },
              { path: 'topics.1.schema', message: 'topics.1.schema must be a string' },
              { path: 'fqcn', message: expect.stringMatching(/^fqcn must be /) },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain('hunter2');
  });

  it('report the parts of their schemas that are not evaluated, to the client that sets them', async () => {
    const admin = await creator(broker.url);
    const fqcn = `warn-${randomUUID()}.channels.messagebus.apps.bridge.iam.local`;
    const topics = [
      { namespace: 'a', schema: '{"dependentRequired":{"x":["y"]},"properties":{"t":{"format":"iri"}}}' },
      {
        namespace: 'b',
        schema: '{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{}]}',
      },
    ];
    const schemaWarnings = [
      {
        topic: 'a',
        path: '',
        message: expect.stringContaining('dependentRequired is not a keyword of draft-07'),
      },
      { topic: 'a', path: '/properties/t', message: 'iri is an unknown format and is not evaluated' },
    ];
    const created = await admin.call('POST', '/channel', { fqcn, topics });
    expect(created).toMatchObject({ status: 201, body: { fqcn, topics, schemaWarnings } });
    const changed = await admin.call('PATCH', '/channel', { fqcn, topics: topics.slice(0, 1) });
    expect(changed).toMatchObject({ status: 200, body: { schemaWarnings } });
    const line = broker
      .logged()
      .split('\n')
      .find((each) => each.includes('topic schemas not fully evaluated'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ channel: fqcn, count: 2 });
    expect(line).not.toContain('dependentRequired');
    // Not stored, and absent when there is nothing to report.
    expect((await admin.call('GET', `/channel/${fqcn}`)).body).not.toHaveProperty('schemaWarnings');
    const quiet = await admin.call('PATCH', '/channel', { fqcn, topics: topics.slice(1) });
    expect(quiet.body).not.toHaveProperty('schemaWarnings');
  });

  it('are refused with the known drafts, or the known keywords of the draft', async () => {
    const admin = await creator(broker.url);
    const create = (schema: object) => {
      const fqcn = `bad-${randomUUID()}.channels.messagebus.apps.bridge.iam.local`;
      return admin.call('POST', '/channel', {
        fqcn,
        topics: [{ namespace: 't', schema: JSON.stringify(schema) }],
      });
    };
    const other = await create({ $schema: 'https://example.org/schema' });
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const keyword = await create({ $schema, unevaluatedItems: false });
    for (const [{ status, body }, reason, known] of [
      [other, 'its $schema is https://example.org/schema, which is unknown', $schema],
      [keyword, 'unevaluatedItems at "" is a keyword that this broker does not evaluate', 'prefixItems'],
    ] as const) {
      expect([status, body.err.code]).toEqual([422, 'BUS::INVALID_SCHEMA']);
      expect(body.err).toMatchObject({
        reason: expect.stringContaining(reason),
        additionalInformation: { topic: 't', known: expect.arrayContaining([known]) },
      });
    }
  });

  it('are created by creators only, and managed by their admins', async () => {
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

  it('are listed for callers that may use them', async () => {
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
    const notEnrolled = new Client(broker.url, new Actor());
    await notEnrolled.login();
    expect((await notEnrolled.call('GET', '/channel/pubsub')).body.err.code).toBe('BUS::FORBIDDEN');
  });
});

it('serves the health check of the bus on its interface, and the report of the platform only on the management port', async () => {
  const client = new Client(broker.url, ISSUER);
  expect(await client.call('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  for (const path of ['/health/live', '/health/ready', '/metrics'])
    expect(await client.call('GET', path)).toMatchObject({
      status: 404,
      body: { err: { code: 'BUS::NOT_FOUND' } },
    });
  const report = await (await fetch(`${broker.managementUrl}/health`)).json();
  expect(report).toMatchObject({ status: 'ok', checks: { redis: { status: 'up' } }, faults: [] });
  for (const path of ['/health/live', '/health/ready', '/metrics'])
    expect((await fetch(`${broker.managementUrl}${path}`)).status).toBe(200);
});
