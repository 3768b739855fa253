import { type BusMessage, busMessages, type LoginSuccess, parseMessageJson } from '@ssb/bus';
import { startTestRedis } from '@ssb/testing';
import { getAddress, verifyMessage } from 'ethers';
import { randomUUID } from 'node:crypto';
import type { Channel } from '../src/channels/channel.js';
import { Actor } from './support/actor.js';
import { type Answer, Client, creator, makeChannel, user } from './support/client.js';
import { CONTRACT_FORMS } from './support/contract-forms.js';
import { AUDIENCE, ISSUER, startBroker, useBroker, USER_ROLE } from './support/test-broker.js';

/** The contract of the brokers of this bus, so that existing clients work unchanged. */

describe.each(CONTRACT_FORMS)('with BROKER_COMPATIBILITY=$setting', (form) => {
  const { broker } = useBroker({ BROKER_COMPATIBILITY: form.setting });

  /** Status and code of a refusal, whose body must have the members of this form. */
  const code = ({ status, body }: Answer<unknown>) => {
    expect(Object.keys(body).sort()).toEqual(form.members);
    return `${status} ${body.err.code}`;
  };
  const refused = (expected: string) => `${form.statuses[expected]} ${expected}`;
  const idOf = ({ contentType, text }: Answer<unknown>) => {
    const id = /\d+-\d+-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
    expect([contentType, text]).toEqual([form.published.contentType, form.published.text(id)]);
    return id;
  };
  const newName = () => `n-${randomUUID()}.channels.messagebus.apps.bridge.iam.local`;

  it('refuses with these bodies', async () => {
    const { withoutToken, unknownChannel, tooLarge } = form.bodies;
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url, { maxMsgSize: 4 });
    expect((await new Client(broker.url, ISSUER).call('GET', '/channel/x')).body).toEqual(withoutToken);
    expect((await client.read('x')).body).toEqual(unknownChannel);
    expect((await client.post(fqcn, '12345')).body).toEqual(tooLarge);
  });

  describe('POST /auth/login {identityToken}', () => {
    it('answers 200 {token, did, address, signature}', async () => {
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

    it('returns a token that every other operation requires', async () => {
      const other = new Client(broker.url, ISSUER);
      const operations = [
        ['POST', '/message'],
        ['GET', '/message?fqcn=x'],
        ['POST', '/channel'],
        ['PATCH', '/channel'],
        ['GET', '/channel/x'],
        ['DELETE', '/channel/x'],
        ['GET', '/channel/pubsub'],
      ] as const;
      for (const [method, path] of operations) {
        expect([method, path, code(await other.call(method, path))]).toEqual([
          method,
          path,
          refused('BUS::UNAUTHENTICATED'),
        ]);
      }
    });

    it.each<[string, Record<string, unknown>]>([
      ['aud', { aud: undefined }],
      ['iat', { iat: undefined }],
      ['exp', { exp: undefined }],
      ['jti', { jti: undefined }],
      ['a lifetime of a minute at most', { exp: Math.floor(Date.now() / 1000) + 120 }],
    ])('requires %s', async (_, claims) => {
      const actor = new Actor();
      const answer = await new Client(broker.url, actor).call('POST', '/auth/login', {
        identityToken: actor.identityToken(AUDIENCE, claims),
      });
      expect(code(answer)).toBe(refused('BUS::LOGIN_FAILED'));
    });

    it('accepts a jti once, and refuses the old form by default', async () => {
      const actor = new Actor();
      const login = async (identityToken: string) =>
        (await new Client(broker.url, actor).call('POST', '/auth/login', { identityToken })).status;
      const token = actor.identityToken(AUDIENCE);
      expect([await login(token), await login(token)]).toEqual([200, 401]);
      expect(await login(actor.jws({ iss: actor.did, claimData: {} }))).toBe(401);
    });
  });

  describe('POST /message {fqcn, topic?, payload, signature, correlationId?}', () => {
    it('answers 201 with the id, for a repeated correlationId with the first one', async () => {
      const client = await user(broker.url, new Actor());
      const fqcn = await makeChannel(broker.url);
      const first = await client.post(fqcn, 'a', { correlationId: 'once' });
      const repeated = await client.post(fqcn, 'a', { correlationId: 'once' });
      expect([first.status, repeated.status]).toEqual([201, 201]);
      expect(idOf(repeated)).toBe(idOf(first));
      expect((await client.read(fqcn)).body.map(({ id }) => id)).toEqual([idOf(first)]);
    });

    it('is checked by enrolment, channel, permission, topic, size, schema and signature, in this order', async () => {
      const client = new Client(broker.url, new Actor());
      await client.login();
      const topics = [{ namespace: 't', schema: '{"type":"object"}' }];
      const limits = { topics, maxMsgSize: 8, publishers: [ISSUER.did] };
      const fqcn = await makeChannel(broker.url, limits);
      // Everything is wrong at first; each step fixes the fault of the last answer.
      const message = { fqcn: `no.${fqcn}`, topic: 'none', payload: '"far too long"', signature: '0x00' };
      const post = async () => client.call<{ id: string }>('POST', '/message', message);
      expect(code(await post())).toBe(refused('BUS::FORBIDDEN_RESOURCE'));
      await client.decide(USER_ROLE, 'approve');
      expect(code(await post())).toBe(refused('BUS::CHANNEL_NOT_FOUND'));
      message.fqcn = fqcn;
      expect(code(await post())).toBe(refused('BUS::CHANNEL_UNAUTHORIZED'));
      await (await creator(broker.url)).call('PATCH', '/channel', { fqcn, publishers: [client.actor.did] });
      expect(code(await post())).toBe(refused('BUS::CHANNEL_NOT_FOUND'));
      message.topic = 't';
      expect(code(await post())).toBe(refused('BUS::MESSAGE_TOO_LARGE'));
      message.payload = '"short"';
      expect(code(await post())).toBe(refused('BUS::SCHEMA_MISMATCH'));
      message.payload = '{}';
      const unsigned = await post();
      expect(code(unsigned)).toBe(refused('BUS::INVALID_SIGNATURE'));
      expect(unsigned.body).toMatchObject({ err: { additionalInformation: { sender: client.actor.did } } });
      expect((await client.read(fqcn)).body).toEqual([]);
      message.signature = client.actor.sign('{}');
      expect((await post()).status).toBe(201);
      expect((await client.read(fqcn)).body).toHaveLength(1);
    });
  });

  describe('a payload over maxMsgSize', () => {
    it('is refused with both sizes, in bytes of UTF-8', async () => {
      const client = await user(broker.url, new Actor());
      const fqcn = await makeChannel(broker.url, { maxMsgSize: 4 });
      const answer = await client.post(fqcn, 'üü!');
      expect(code(answer)).toBe(refused('BUS::MESSAGE_TOO_LARGE'));
      expect(answer.body.err.additionalInformation).toEqual({ size: 5, limit: 4 });
      expect((await client.post(fqcn, 'üü')).status).toBe(201);
    });
  });

  describe('GET /message?fqcn&amount?&from?&clientId?', () => {
    it('returns messages with correlationId', async () => {
      const client = await user(broker.url, new Actor());
      const fqcn = await makeChannel(broker.url);
      const posted = await client.post(fqcn, 'a', { correlationId: 'c' });
      const { text, contentType } = await client.read(fqcn);
      expect(contentType).toBe('application/json; charset=utf-8');
      expect(text).toMatch(form.time);
      const [message] = busMessages.parse(parseMessageJson(text));
      expect(message).toMatchObject({
        id: idOf(posted),
        fqcn,
        topic: 'default',
        payload: 'a',
        correlationId: 'c',
      });
      expect(verifyMessage('a', message?.signature ?? '')).toBe(client.actor.wallet.address);
    });

    it('returns 100 messages when amount is omitted, then the rest', async () => {
      const client = await user(broker.url, new Actor());
      const fqcn = await makeChannel(broker.url);
      const expected = Array.from({ length: 101 }, (_, index) => String(index));
      const signature = client.actor.sign('x');
      for (const correlationId of expected) {
        await client.call('POST', '/message', { fqcn, payload: 'x', signature, correlationId });
      }
      const read = async () => (await client.read(fqcn)).body.map(({ correlationId }) => correlationId);
      expect(await read()).toEqual(expected.slice(0, 100));
      expect(await read()).toEqual(['100']);
    });

    it('stores a position for each clientId, and moves none with from', async () => {
      const client = await user(broker.url, new Actor());
      const fqcn = await makeChannel(broker.url);
      await client.post(fqcn, 'a');
      const read = async (query: Record<string, string>) =>
        (await client.read(fqcn, query)).body.map(({ payload }: BusMessage) => payload);
      const from = '2026-01-01T00:00:00Z';
      expect([await read({ from }), await read({ from })]).toEqual([['a'], ['a']]);
      expect([await read({ clientId: 'one' }), await read({ clientId: 'one' })]).toEqual([['a'], []]);
      expect(await read({ clientId: 'two' })).toEqual(['a']);
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

      const admin = await user(broker.url, new Actor());
      await owner.call('PATCH', '/channel', { fqcn, admins: [admin.actor.did] });
      const changed = await admin.call<Channel>('PATCH', '/channel', { fqcn, maxMsgSize: 10 });
      expect(changed.body).toMatchObject({
        maxMsgSize: 10,
        createdBy: ISSUER.did,
        createdDateTime: made.body.createdDateTime,
        modifiedBy: admin.actor.did,
      });
      expect((changed.body.modifiedByDateTime ?? '') >= made.body.createdDateTime).toBe(true);
      expect((await owner.call<Channel>('GET', `/channel/${fqcn}`)).body).toEqual(changed.body);
      expect((await admin.call('DELETE', `/channel/${fqcn}`)).status).toBe(204);
      expect(code(await owner.call('GET', `/channel/${fqcn}`))).toBe(refused('BUS::CHANNEL_NOT_FOUND'));
    });

    it('take 1,048,576 bytes by default, and 8,388,608 at most', async () => {
      const owner = await creator(broker.url);
      const create = (maxMsgSize?: number) =>
        owner.call<Channel>('POST', '/channel', { fqcn: newName(), maxMsgSize });
      expect((await create()).body.maxMsgSize).toBe(1_048_576);
      expect((await create(8_388_608)).body.maxMsgSize).toBe(8_388_608);
      expect((await create(8_388_609)).status).toBe(400);
    });

    it('keep messages for a millisecond to ten years, in nanoseconds', async () => {
      const owner = await creator(broker.url);
      const create = async (maxMsgAge: number) =>
        (await owner.call<Channel>('POST', '/channel', { fqcn: newName(), maxMsgAge })).body.maxMsgAge;
      for (const age of [1_000_000, 315_360_000_000_000_000]) expect(await create(age)).toBe(age);
      for (const age of [999_999, 1_000_000.5, 315_360_000_000_001_000])
        expect(await create(age)).toBeUndefined();
    });

    it('are open to every holder of the user role without publishers or subscribers', async () => {
      const [reader, writer] = await Promise.all([
        user(broker.url, new Actor()),
        user(broker.url, new Actor()),
      ]);
      const open = await makeChannel(broker.url);
      const forReader = await makeChannel(broker.url, { subscribers: [reader.actor.did] });
      expect((await writer.post(open, 'a')).status).toBe(201);
      expect((await reader.read(open)).body).toHaveLength(1);
      expect((await writer.post(forReader, 'a')).status).toBe(201);
      expect((await reader.read(forReader)).body).toHaveLength(1);
      expect(code(await writer.read(forReader))).toBe(refused('BUS::CHANNEL_UNAUTHORIZED'));
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
      const post = async (payload: string) => code(await client.post(fqcn, payload, { topic: 't' }));
      expect(await post('{"at":"2026-02-30T00:00:00Z"}')).toBe(refused('BUS::SCHEMA_MISMATCH'));
      expect((await client.post(fqcn, '{"at":"2026-02-28T00:00:00Z"}', { topic: 't' })).status).toBe(201);
      const wrong = { fqcn, topics: [{ namespace: 't', schema: '{"required":"at"}' }] };
      expect(code(await owner.call('PATCH', '/channel', wrong))).toBe(refused('BUS::INVALID_SCHEMA'));
      // The refused change left the schema as it was.
      expect(await post('{}')).toBe(refused('BUS::SCHEMA_MISMATCH'));
    });

    it('are managed by creators and admins, not by other users', async () => {
      const [admin, member] = await Promise.all([
        user(broker.url, new Actor()),
        user(broker.url, new Actor()),
      ]);
      const fqcn = await makeChannel(broker.url, { admins: [admin.actor.did] });
      const change = { fqcn, maxMsgAge: 1_000_000_000 };
      expect(code(await member.call('PATCH', '/channel', change))).toBe(refused('BUS::FORBIDDEN'));
      expect(code(await member.call('DELETE', `/channel/${fqcn}`))).toBe(refused('BUS::FORBIDDEN'));
      expect((await admin.call('PATCH', '/channel', change)).status).toBe(200);
      expect((await admin.call('DELETE', `/channel/${fqcn}`)).status).toBe(204);
    });
  });

  describe('GET /health', () => {
    it('answers {status: "ok"}, and {status: "error"} with the reason while the engine is stopped', async () => {
      const engine = await startTestRedis();
      const withoutEngine = await startBroker(engine.url, {
        REDIS_TIMEOUT_MS: '4000',
        BROKER_COMPATIBILITY: form.setting,
      });
      const client = new Client(withoutEngine.url, ISSUER);
      try {
        expect(await client.call('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
        await engine.stop();
        const { status, body } = await client.call<{ status: string }>('GET', '/health');
        expect([status, body.status, body.err.code]).toEqual([503, 'error', 'BUS::UNHEALTHY']);
        const identityToken = ISSUER.identityToken(AUDIENCE);
        const unavailable = await client.call('POST', '/auth/login', { identityToken });
        expect(code(unavailable)).toBe(refused('BUS::UNHEALTHY'));
        expect(body.err.additionalInformation).toEqual({
          status: 'error',
          message: expect.stringContaining('redis'),
        });
      } finally {
        await withoutEngine.close();
      }
    });
  });
});
