import { waitFor } from '@ssb/testing';
import { Wallet } from 'ethers';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { PublicGatewayClient, type SendOptions, unwrap } from './support/public-gateway-client.js';
import { ISSUER, startBroker, useBroker, USER_ROLE } from './support/test-broker.js';

/** The public gateway 0.5 and 0.6 at a broker with the two settings for it. */
const SETTINGS = { BROKER_COMPATIBILITY: 'dsb', DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS: 'true' };
const TOPICS = [{ namespace: 'figures', schema: '{"type":"object","required":["amount"]}' }];
const { redis, broker } = useBroker(SETTINGS);

/** A gateway whose DID has the role of a bus user. */
async function enrolled(toDid = (address: string) => `did:ethr:${address}`): Promise<PublicGatewayClient> {
  const { wallet } = new Actor();
  const gateway = new PublicGatewayClient(broker.url, wallet, toDid(wallet.address));
  const { status } = await new Client(broker.url, ISSUER).decide(USER_ROLE, 'approve', gateway.did);
  expect(status).toBe(200);
  return gateway;
}

it.each<[string, (address: string) => string]>([
  ['', (address) => `did:ethr:${address}`],
  [' with a network', (address) => `did:ethr:volta:${address}`],
  [' in lower case', (address) => `did:ethr:${address.toLowerCase()}`],
])('a gateway with a DID%s logs in, publishes, and reads what names its DID', async (_, toDid) => {
  const [publisher, subscriber] = await Promise.all([enrolled(toDid), enrolled(toDid)]);
  const members = { publishers: [publisher.did], subscribers: [subscriber.did] };
  const fqcn = await makeChannel(broker.url, members);
  const { id } = unwrap(await publisher.send(fqcn, 'a', { transactionId: 't-1' }));
  const repeated = unwrap(await publisher.send(fqcn, 'a', { transactionId: 't-1' }));
  expect(repeated.id).toBe(id);
  const expected = { id, fqcn, payload: 'a', sender: publisher.did, transactionId: 't-1' };
  const [message, ...more] = await subscriber.poll();
  expect([message, more]).toMatchObject([expected, []]);
  // It passes a number on; the digits beyond a double are lost in its own process.
  expect(Math.abs(Number(message?.timestampNanos) / 1e6 - Date.now())).toBeLessThan(60_000);
  expect(typeof message?.timestampNanos).toBe('number');
  expect(await subscriber.poll()).toEqual([]);
  expect([publisher.logins, subscriber.logins]).toEqual([1, 1]);
});

describe('a refused login', () => {
  it('is one without the setting for old tokens', async () => {
    const strict = await startBroker(redis.url, { BROKER_COMPATIBILITY: 'dsb' });
    const gateway = new PublicGatewayClient(strict.url, new Actor().wallet);
    const response = await gateway.send('x', 'a');
    await strict.close();
    expect(response).toMatchObject({ err: { code: 'DSB::LOGIN_FAILED', reason: 401 } });
    expect(gateway.logins).toBe(1);
  });

  it('is one in the name of another identity', async () => {
    const gateway = new PublicGatewayClient(broker.url, new Actor().wallet, new Actor().did);
    expect(await gateway.send('x', 'a')).toMatchObject({ err: { code: 'DSB::LOGIN_FAILED' } });
  });
});

it('logs in again when its token has expired', async () => {
  const shortLived = await startBroker(redis.url, { ...SETTINGS, TOKEN_LIFETIME_MS: '3000' });
  const { wallet } = new Actor();
  const gateway = new PublicGatewayClient(shortLived.url, wallet);
  await new Client(broker.url, ISSUER).decide(USER_ROLE, 'approve', gateway.did);
  const fqcn = await makeChannel(broker.url);
  unwrap(await gateway.send(fqcn, 'a'));
  const headers = { authorization: `Bearer ${gateway.token}` };
  await waitFor('the end of the token', async () => {
    const { status } = await fetch(`${shortLived.url}/channel/pubsub`, { headers });
    return status === 401;
  });
  const messages = unwrap(await gateway.read(fqcn));
  await shortLived.close();
  expect(messages.map(({ payload }) => payload)).toEqual(['a']);
  expect(gateway.logins).toBeGreaterThanOrEqual(2);
});

it('gets an id as text, a time as a number, and refusals in the form of its framework', async () => {
  const client = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url, { maxMsgSize: 4 });
  const { contentType, text: id } = await client.post(fqcn, 'a');
  expect([contentType, id]).toEqual([
    'text/plain; charset=utf-8',
    expect.stringMatching(/^\d+-\d+-[0-9a-f]{12}$/),
  ]);
  expect((await client.read(fqcn)).text).toMatch(/"timestampNanos":\d{19}[,}]/);
  const { status, body } = await client.post(fqcn, '12345');
  const [reason, sizes] = ['The payload has 5 bytes; the channel takes 4.', { size: 5, limit: 4 }];
  const err = { code: 'BUS::MESSAGE_TOO_LARGE', reason, additionalInformation: sizes };
  expect([status, body]).toEqual([400, { statusCode: 400, message: [reason, sizes], err }]);
  expect((await new Client(broker.url, ISSUER).call('GET', '/channel/x')).body).toEqual({
    statusCode: 401,
    message: 'Unauthorized',
    err: { code: 'BUS::UNAUTHENTICATED', reason: 'A bearer token is required.' },
  });
  const topics = [{ namespace: 't', schema: '{"required":"at"}' }];
  const refused = await (await creator(broker.url)).call('PATCH', '/channel', { fqcn, topics });
  expect([refused.status, refused.body.err.code]).toEqual([400, 'BUS::INVALID_SCHEMA']);
});

describe('a client of the public gateway sees', () => {
  it.each<[string, SendOptions & { fqcn?: string; payload?: string }, object, object]>([
    [
      'a channel that does not exist',
      { fqcn: 'x' },
      {},
      { status: 404, code: 'DSB::CHANNEL_NOT_FOUND', reason: 'The channel x does not exist.' },
    ],
    [
      'a topic that does not exist',
      { topic: 'x' },
      {},
      { status: 404, code: 'DSB::CHANNEL_NOT_FOUND', reason: expect.stringContaining('has no topic x') },
    ],
    [
      'a missing right',
      {},
      { publishers: [ISSUER.did] },
      { status: 401, code: 'DSB::CHANNEL_UNAUTHORIZED', reason: expect.stringContaining('may not publish') },
    ],
    [
      'a payload against the schema',
      { payload: '{}' },
      {},
      {
        status: 400,
        code: 'DSB::INVALID_PAYLOAD',
        reason: 'The payload does not match the schema of topic figures.',
        details: { topic: 'figures', problems: [{ path: '', message: expect.stringContaining('amount') }] },
      },
    ],
    [
      'a payload that is too large',
      {},
      { maxMsgSize: 4 },
      {
        status: 400,
        code: 'DSB::INVALID_PAYLOAD',
        reason: 'The payload has 12 bytes; the channel takes 4.',
        details: { size: 12, limit: 4 },
      },
    ],
    [
      'a signature that is not its own',
      { signature: Wallet.createRandom().signMessageSync('{"amount":1}') },
      {},
      { status: 400, code: 'DSB::INVALID_PAYLOAD', reason: expect.stringContaining('signature') },
    ],
    [
      'a field of the wrong form',
      { transactionId: '' },
      {},
      { status: 400, code: 'DSB::INVALID_PAYLOAD', reason: expect.stringMatching(/\w \w/) },
    ],
  ])('%s', async (_, { fqcn, payload = '{"amount":1}', ...options }, channel, expected) => {
    const gateway = await enrolled();
    const existing = await makeChannel(broker.url, { topics: TOPICS, ...channel });
    const response = await gateway.send(fqcn ?? existing, payload, { topic: 'figures', ...options });
    expect(response).toMatchObject({ err: expected });
    // No refusal but an invalid token makes it log in again.
    expect(gateway.logins).toBe(1);
  });
});
