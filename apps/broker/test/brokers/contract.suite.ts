import { busMessages, type LoginSuccess, parseMessageJson } from '@ssb/bus';
import { getAddress, verifyMessage } from 'ethers';
import { randomUUID } from 'node:crypto';
import type { Channel } from '../../src/channels/channel.js';
import { Actor } from '../support/actor.js';
import { type CallResponse, Client, creator, makeChannel, user } from '../support/client.js';
import { AUDIENCE, ISSUER, USER_ROLE } from '../support/test-broker.js';
import { broker } from './shared-brokers.js';

/**
 * The contract of the brokers of this bus, so that existing clients work unchanged. openapi-responses.spec has each refusal, reading.suite
 * the reading and public-gateway.spec what BROKER_COMPATIBILITY changes.
 */

/** Status and code of a refusal. */
const code = ({ status, body }: CallResponse<unknown>) => `${status} ${body.err.code.replace('BUS::', '')}`;
const newName = () => `n-${randomUUID()}.channels.messagebus.apps.bridge.iam.local`;

it('refuses with these bodies', async () => {
  const client = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url, { maxMsgSize: 4 });
  const withoutToken = await new Client(broker.url, ISSUER).call('GET', '/channel/x');
  expect(withoutToken.body).toEqual({
    err: { code: 'BUS::UNAUTHENTICATED', reason: 'A bearer token is required.' },
  });
  const { body } = await client.read('x');
  expect(body.err).toEqual({
    code: 'BUS::CHANNEL_NOT_FOUND',
    reason: 'The channel x does not exist.',
    additionalInformation: { fqcn: 'x' },
  });
  // In bytes of UTF-8.
  const tooLarge = await client.post(fqcn, 'üü!');
  expect([tooLarge.status, tooLarge.body.err]).toEqual([
    413,
    {
      code: 'BUS::MESSAGE_TOO_LARGE',
      reason: 'The payload has 5 bytes; the channel takes 4.',
      additionalInformation: { size: 5, limit: 4 },
    },
  ]);
  expect((await client.post(fqcn, 'üü')).status).toBe(201);
});

describe('POST /auth/login {identityToken}', () => {
  it('returns 200 {token, did, address, signature}', async () => {
    const actor = new Actor();
    const { status, body } = await new Client(broker.url, actor).call<LoginSuccess>('POST', '/auth/login', {
      identityToken: actor.identityToken(AUDIENCE),
    });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['address', 'did', 'signature', 'token']);
    expect([body.did, body.address]).toEqual([actor.did, getAddress(actor.wallet.address)]);
    // The broker signs with the same key at each login.
    const again = await new Client(broker.url, actor).login();
    expect(verifyMessage(body.token, body.signature)).toBe(verifyMessage(again.token, again.signature));
  });

  it('accepts a jti once, and refuses a long lifetime and the old form', async () => {
    const actor = new Actor();
    const login = async (identityToken: string) =>
      (await new Client(broker.url, actor).call('POST', '/auth/login', { identityToken })).status;
    const token = actor.identityToken(AUDIENCE);
    expect([await login(token), await login(token)]).toEqual([200, 401]);
    const exp = Math.floor(Date.now() / 1000) + 120;
    expect(await login(actor.identityToken(AUDIENCE, { exp }))).toBe(401);
    expect(await login(actor.jws({ iss: actor.did, claimData: {} }))).toBe(401);
  });
});

describe('POST /message {fqcn, topic?, payload, signature, correlationId?}', () => {
  it('returns 201 with the id, for a repeated correlationId with the first one', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const first = await client.post(fqcn, 'a', { correlationId: 'c' });
    const repeated = await client.post(fqcn, 'a', { correlationId: 'c' });
    expect([first.status, repeated.status]).toEqual([201, 201]);
    expect(first.text).toMatch(/^\{"id":"\d+-\d+-[0-9a-f]{12}"\}$/);
    expect(repeated.text).toBe(first.text);
    const { text, contentType } = await client.read(fqcn);
    expect(contentType).toBe('application/json; charset=utf-8');
    expect(text).toMatch(/"timestampNanos":"\d{19}"/);
    const [message, ...others] = busMessages.parse(parseMessageJson(text));
    const expected = { ...first.body, fqcn, topic: 'default', payload: 'a', correlationId: 'c' };
    expect([message, others]).toMatchObject([expected, []]);
    expect(verifyMessage('a', message?.signature ?? '')).toBe(client.actor.wallet.address);
  });

  it('is checked by enrolment, channel, permission, topic, size, schema and signature, in this order', async () => {
    const client = new Client(broker.url, new Actor());
    await client.login();
    const topics = [{ namespace: 't', schema: '{"type":"object"}' }];
    const fqcn = await makeChannel(broker.url, { topics, maxMsgSize: 8, publishers: [ISSUER.did] });
    // Everything is wrong at first; each step fixes the fault of the last response.
    const message = { fqcn: `no.${fqcn}`, topic: 'none', payload: '"far too long"', signature: '0x00' };
    const post = async () => client.call<{ id: string }>('POST', '/message', message);
    expect(code(await post())).toBe('403 FORBIDDEN_RESOURCE');
    await client.decide(USER_ROLE, 'approve');
    expect(code(await post())).toBe('404 CHANNEL_NOT_FOUND');
    message.fqcn = fqcn;
    expect(code(await post())).toBe('401 CHANNEL_UNAUTHORIZED');
    await (await creator(broker.url)).call('PATCH', '/channel', { fqcn, publishers: [client.actor.did] });
    expect(code(await post())).toBe('404 CHANNEL_NOT_FOUND');
    message.topic = 't';
    expect(code(await post())).toBe('413 MESSAGE_TOO_LARGE');
    message.payload = '"short"';
    expect(code(await post())).toBe('422 SCHEMA_MISMATCH');
    message.payload = '{}';
    const unsigned = await post();
    expect(code(unsigned)).toBe('422 INVALID_SIGNATURE');
    expect(unsigned.body).toMatchObject({ err: { additionalInformation: { sender: client.actor.did } } });
    expect((await client.read(fqcn)).body).toEqual([]);
    message.signature = client.actor.sign('{}');
    expect((await post()).status).toBe(201);
    expect((await client.read(fqcn)).body).toHaveLength(1);
  });
});

describe('channels', () => {
  it('are created by POST, changed by PATCH, shown by GET and removed by DELETE /channel/{fqcn}', async () => {
    const owner = await creator(broker.url);
    const fqcn = newName();
    const before = new Date().toISOString();
    const made = await owner.call<Channel>('POST', '/channel', { fqcn });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ fqcn, topics: [], admins: [], createdBy: ISSUER.did });
    expect(made.body.createdDateTime >= before && made.body.createdDateTime.endsWith('Z')).toBe(true);
    expect([made.body.modifiedBy, made.body.modifiedByDateTime]).toEqual([undefined, undefined]);

    const [admin, member] = [await user(broker.url, new Actor()), await user(broker.url, new Actor())];
    await owner.call('PATCH', '/channel', { fqcn, admins: [admin.actor.did] });
    const change = { fqcn, maxMsgSize: 10 };
    expect(code(await member.call('PATCH', '/channel', change))).toBe('403 FORBIDDEN');
    const changed = await admin.call<Channel>('PATCH', '/channel', change);
    expect(changed.body).toMatchObject({
      maxMsgSize: 10,
      createdBy: ISSUER.did,
      createdDateTime: made.body.createdDateTime,
      modifiedBy: admin.actor.did,
    });
    expect((changed.body.modifiedByDateTime ?? '') >= made.body.createdDateTime).toBe(true);
    expect((await owner.call<Channel>('GET', `/channel/${fqcn}`)).body).toEqual(changed.body);
    expect(code(await member.call('DELETE', `/channel/${fqcn}`))).toBe('403 FORBIDDEN');
    expect((await admin.call('DELETE', `/channel/${fqcn}`)).status).toBe(204);
    expect(code(await owner.call('GET', `/channel/${fqcn}`))).toBe('404 CHANNEL_NOT_FOUND');
  });

  it('have these limits of the size, in bytes, and of the age, in nanoseconds', async () => {
    const owner = await creator(broker.url);
    const create = async (more: object) =>
      (await owner.call<Channel>('POST', '/channel', { fqcn: newName(), ...more })).body;
    expect((await create({})).maxMsgSize).toBe(1_048_576);
    expect((await create({ maxMsgSize: 8_388_608 })).maxMsgSize).toBe(8_388_608);
    expect((await create({ maxMsgSize: 8_388_609 })).err.code).toBe('BUS::INVALID_REQUEST');
    for (const maxMsgAge of [1_000_000, 315_360_000_000_000_000])
      expect((await create({ maxMsgAge })).maxMsgAge).toBe(maxMsgAge);
    for (const maxMsgAge of [999_999, 1_000_000.5, 315_360_000_000_001_000])
      expect((await create({ maxMsgAge })).err.code).toBe('BUS::INVALID_REQUEST');
  });

  it('validate a topic by JSON Schema draft-07 with formats, and refuse a wrong schema', async () => {
    const client = await user(broker.url, new Actor());
    const owner = await creator(broker.url);
    const schema = JSON.stringify({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      required: ['at'],
      properties: { at: { type: 'string', format: 'date-time' } },
    });
    const fqcn = await makeChannel(broker.url, { topics: [{ namespace: 't', schema }] });
    const post = (payload: string) => client.post(fqcn, payload, { topic: 't' });
    expect(code(await post('{"at":"2026-02-30T00:00:00Z"}'))).toBe('422 SCHEMA_MISMATCH');
    expect((await post('{"at":"2026-02-28T00:00:00Z"}')).status).toBe(201);
    const wrong = { fqcn, topics: [{ namespace: 't', schema: '{"required":"at"}' }] };
    expect(code(await owner.call('PATCH', '/channel', wrong))).toBe('422 INVALID_SCHEMA');
    // The refused change left the schema as it was.
    expect(code(await post('{}'))).toBe('422 SCHEMA_MISMATCH');
  });
});
