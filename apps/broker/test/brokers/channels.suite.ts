import { randomUUID } from 'node:crypto';
import type { Channel } from '../../src/channels/channel.js';
import { Actor } from '../support/actor.js';
import { Client, creator, makeChannel, user } from '../support/client.js';
import { ISSUER } from '../support/test-broker.js';
import { broker, other } from './shared-brokers.js';

/** Each `$ref` doubles the work at each level of the payload. */
const DOUBLING = {
  anyOf: [
    { items: { $ref: '#' }, minItems: 1 },
    { items: { $ref: '#' }, minItems: 1 },
  ],
};

describe('channels', () => {
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

  it('are refused with the path of each wrong field, without its value', async () => {
    const topics = [
      { namespace: 't', schema: '{}' },
      { namespace: 'hunter2 ', schema: 1 },
    ];
    const response = await (await creator(broker.url)).call('POST', '/channel', { fqcn: 'hunter2', topics });
    expect(response).toMatchObject({
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
    expect(JSON.stringify(response.body)).not.toContain('hunter2');
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

  it('with a slow schema do not block the broker', async () => {
    const sender = await user(broker.url, new Actor());
    const topics = [{ namespace: 'default', schema: JSON.stringify(DOUBLING) }];
    const [fqcn, quick] = [await makeChannel(broker.url, { topics }), await makeChannel(broker.url)];
    expect((await sender.post(fqcn, '[[1]]')).status).toBe(201);
    const slow = sender.post(fqcn, `${'['.repeat(60)}${']'.repeat(60)}`);
    const [refused, accepted] = await Promise.all([slow, sender.post(quick, '{}')]);
    const problems = [{ path: '', message: 'takes too long to be checked against this schema' }];
    expect(refused).toMatchObject({
      status: 422,
      body: { err: { code: 'BUS::SCHEMA_MISMATCH', additionalInformation: { problems } } },
    });
    expect(accepted.status).toBe(201);
    // The schema refuses every payload, and other schemas are not affected.
    expect((await sender.post(fqcn, '[[1]]')).status).toBe(422);
    expect((await sender.post(quick, '{}')).status).toBe(201);
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
