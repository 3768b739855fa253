import { type MessageOutcome, MAX_MESSAGES_PER_REQUEST } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { Actor } from './support/actor.js';
import { Client, makeChannel, user } from './support/client.js';
import { answerToHead } from './support/raw-request.js';
import { useBrokers } from './support/test-broker.js';

/** `POST /messages`: several messages in one request, each checked by itself. */

const postBatch = (client: Client, messages: unknown) =>
  client.call<MessageOutcome[]>('POST', '/messages', messages);

const signed = ({ actor }: Client, fqcn: string, payload: string, more = {}) => ({
  fqcn,
  payload,
  signature: actor.sign(payload),
  ...more,
});

const idOf = (outcome: MessageOutcome | undefined): string | undefined =>
  outcome && 'id' in outcome ? outcome.id : undefined;

/** Status and code of a refusal, as `POST /message` answers it. */
const summarize = (outcome: MessageOutcome) =>
  'id' in outcome ? 'accepted' : `${outcome.status} ${outcome.err.code.replace('BUS::', '')}`;

const stored = async (client: Client, fqcn: string): Promise<string[]> =>
  (await client.read(fqcn, { from: '2026-01-01T00:00:00Z', amount: '1000' })).body.map(
    ({ payload }) => payload,
  );
const { redis, broker } = useBrokers({ REDIS_TIMEOUT_MS: '4000' });

describe('messages of one batch', () => {
  it('are each accepted or refused, with outcomes in their order', async () => {
    const sender = await user(broker.url, new Actor());
    const schema = '{"type":"object","required":["a"]}';
    const fqcn = await makeChannel(broker.url, {
      topics: [{ namespace: 'default', schema }],
      maxMsgSize: 60,
    });
    const closed = await makeChannel(broker.url, { publishers: [new Actor().did] });
    const open = await makeChannel(broker.url);
    const good = (number: number) => signed(sender, fqcn, `{"a":${number}}`);
    const { status, body } = await postBatch(sender, [
      good(1),
      signed(sender, `x.${fqcn}`, '{"a":1}'),
      signed(sender, fqcn, '{"a":1}', { topic: 'u' }),
      signed(sender, fqcn, `{"a":"${'x'.repeat(100)}"}`),
      good(2),
      signed(sender, fqcn, '{}'),
      signed(sender, fqcn, '{"a":3}', { signature: new Actor().sign('{"a":3}') }),
      signed(sender, fqcn, '{"a":3}', { signature: '0x00' }),
      'no message',
      { fqcn },
      signed(sender, fqcn, '{"a":3}', { correlationId: '\ud83d' }),
      signed(sender, closed, '{"a":3}'),
      signed(sender, open, 'anything'),
      good(3),
    ]);
    expect(status).toBe(200);
    expect(body.map(summarize)).toEqual([
      'accepted',
      '404 CHANNEL_NOT_FOUND',
      '404 CHANNEL_NOT_FOUND',
      '413 MESSAGE_TOO_LARGE',
      'accepted',
      '422 SCHEMA_MISMATCH',
      '422 INVALID_SIGNATURE',
      '422 INVALID_SIGNATURE',
      '400 INVALID_REQUEST',
      '400 INVALID_REQUEST',
      '400 INVALID_REQUEST',
      '401 CHANNEL_UNAUTHORIZED',
      'accepted',
      'accepted',
    ]);
    expect(await stored(sender, fqcn)).toEqual(['{"a":1}', '{"a":2}', '{"a":3}']);
    const ids = (await sender.read(fqcn)).body.map(({ id }) => id);
    expect(ids).toEqual([idOf(body[0]), idOf(body[4]), idOf(body[13])]);
  });

  it('are refused with the same error as a single message', async () => {
    const sender = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url, { maxMsgSize: 5 });
    const messages = [
      signed(sender, fqcn, 'too large'),
      signed(sender, 'c.channels.a.apps.b.iam.c', 'a'),
      signed(sender, fqcn, 'a', { signature: '0x00' }),
      { fqcn, payload: 7, signature: 'x' },
    ];
    const alone = await Promise.all(messages.map((each) => sender.call('POST', '/message', each)));
    const { body } = await postBatch(sender, messages);
    expect(body).toEqual(alone.map(({ status, body: { err } }) => ({ status, err })));
  });

  it('of a sender that is not enrolled are refused one by one', async () => {
    const notEnrolled = new Client(broker.url, new Actor());
    await notEnrolled.login();
    const fqcn = await makeChannel(broker.url);
    const messages = ['a', 'b'].map((payload) => signed(notEnrolled, fqcn, payload));
    const { body } = await postBatch(notEnrolled, messages);
    expect(body.map(summarize)).toEqual(['403 FORBIDDEN_RESOURCE', '403 FORBIDDEN_RESOURCE']);
  });

  it('get the first id when they repeat each other or an earlier message', async () => {
    const sender = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const before = await sender.post(fqcn, 'before', { correlationId: 'k' });
    const { body } = await postBatch(sender, [
      signed(sender, fqcn, 'a', { correlationId: 'x' }),
      signed(sender, fqcn, 'a', { correlationId: 'x' }),
      signed(sender, fqcn, 'before', { correlationId: 'k' }),
      signed(sender, fqcn, 'b', { correlationId: 'y' }),
    ]);
    const ids = body.map(idOf);
    expect(ids.every((id) => id !== undefined)).toBe(true);
    expect([ids[1], ids[2], new Set(ids).size]).toEqual([ids[0], before.body.id, 3]);
    expect(await stored(sender, fqcn)).toEqual(['before', 'a', 'b']);
  });

  it('are each refused while the engine is stopped, and stored once when they are sent again', async () => {
    const sender = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const messages = ['a', 'b', 'c'].map((payload) =>
      signed(sender, fqcn, payload, { correlationId: payload }),
    );
    await redis.kill();
    const refused = await postBatch(sender, messages);
    await redis.start();
    expect([refused.status, refused.body.map(summarize)]).toEqual([
      200,
      ['503 UNHEALTHY', '503 UNHEALTHY', '503 UNHEALTHY'],
    ]);
    const accepted = await waitFor('all messages to be accepted', async () => {
      const found = await postBatch(sender, messages);
      return found.body.every((each) => 'id' in each) && found;
    });
    const again = await postBatch(sender, messages);
    expect(again.body).toEqual(accepted.body);
    expect((await stored(sender, fqcn)).sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('a batch', () => {
  it.each([
    ['none', []],
    ['one too many', Array.from({ length: MAX_MESSAGES_PER_REQUEST + 1 }, () => ({}))],
    ['a single message', { fqcn: 'a' }],
    ['nothing', undefined],
  ])('with %s is refused as a whole', async (_, messages) => {
    const client = await user(broker.url, new Actor());
    const { status, body } = await postBatch(client, messages);
    expect([status, body.err.code]).toEqual([400, 'BUS::INVALID_REQUEST']);
  });

  it('is read only from authenticated clients, and a large one only from bus users', async () => {
    const head = ['POST /messages HTTP/1.1', 'Content-Type: application/json'];
    expect(await answerToHead(broker.url, [...head, 'Content-Length: 10'])).toBe(401);
    const client = new Client(broker.url, new Actor());
    const { token } = await client.login();
    const large = [...head, 'Content-Length: 65537', `Authorization: Bearer ${token}`];
    expect(await answerToHead(broker.url, large)).toBe(403);
  });
});
