import { type MessageOutcome, MAX_MESSAGES_PER_REQUEST } from '@ssb/bus';
import { Actor } from '../support/actor.js';
import { Client, makeChannel, user } from '../support/client.js';
import { broker } from './shared-brokers.js';

/** `POST /messages`: several messages in one request, each checked by itself. */
describe('POST /messages', () => {
  const postBatch = (client: Client, messages: unknown) =>
    client.call<MessageOutcome[]>('POST', '/messages', messages);

  const signed = ({ actor }: Client, fqcn: string, payload: string, more = {}) => ({
    fqcn,
    payload,
    signature: actor.sign(payload),
    ...more,
  });

  /** Status and code of a refusal. */
  const summarize = (outcome: MessageOutcome) =>
    'id' in outcome ? 'accepted' : `${outcome.status} ${outcome.err.code.replace('BUS::', '')}`;

  const stored = async (client: Client, fqcn: string) =>
    (await client.read(fqcn, { from: '2026-01-01T00:00:00Z', amount: '1000' })).body;

  it('each message is accepted, or refused with the error of a single one, with outcomes in their order', async () => {
    const sender = await user(broker.url, new Actor());
    const schema = '{"type":"object","required":["a"]}';
    const fqcn = await makeChannel(broker.url, {
      topics: [{ namespace: 'default', schema }],
      maxMsgSize: 60,
    });
    const closed = await makeChannel(broker.url, { publishers: [new Actor().did] });
    const good = (number: number) => signed(sender, fqcn, `{"a":${number}}`);
    const cases: readonly (readonly [message: unknown, outcome: string])[] = [
      [good(1), 'accepted'],
      [signed(sender, `x.${fqcn}`, '{"a":1}'), '404 CHANNEL_NOT_FOUND'],
      [signed(sender, fqcn, '{"a":1}', { topic: 'u' }), '404 CHANNEL_NOT_FOUND'],
      [signed(sender, fqcn, `{"a":"${'x'.repeat(100)}"}`), '413 MESSAGE_TOO_LARGE'],
      [good(2), 'accepted'],
      [signed(sender, fqcn, '{}'), '422 SCHEMA_MISMATCH'],
      [signed(sender, fqcn, '{"a":3}', { signature: new Actor().sign('{"a":3}') }), '422 INVALID_SIGNATURE'],
      [signed(sender, fqcn, '{"a":3}', { signature: '0x00' }), '422 INVALID_SIGNATURE'],
      [{ fqcn, payload: 7, signature: 'x' }, '400 INVALID_REQUEST'],
      [{ fqcn }, '400 INVALID_REQUEST'],
      [signed(sender, fqcn, '{"a":3}', { correlationId: '\ud83d' }), '400 INVALID_REQUEST'],
      [signed(sender, closed, '{"a":3}'), '401 CHANNEL_UNAUTHORIZED'],
      [good(3), 'accepted'],
    ];
    const { status, body } = await postBatch(
      sender,
      cases.map(([message]) => message),
    );
    expect(status).toBe(200);
    expect(body.map(summarize)).toEqual(cases.map(([, outcome]) => outcome));
    const messages = await stored(sender, fqcn);
    expect(messages.map(({ payload }) => payload)).toEqual(['{"a":1}', '{"a":2}', '{"a":3}']);
    expect(messages.map(({ id }) => ({ id }))).toEqual(body.filter((outcome) => 'id' in outcome));
    for (const [index, outcome] of body.entries()) {
      if ('id' in outcome) continue;
      const alone = await sender.call('POST', '/message', cases[index]?.[0]);
      expect({ status: alone.status, err: alone.body.err }).toEqual(outcome);
    }
  });

  it('messages of a sender that is not enrolled are refused one by one', async () => {
    const notEnrolled = new Client(broker.url, new Actor());
    await notEnrolled.login();
    const fqcn = await makeChannel(broker.url);
    const messages = ['a', 'b'].map((payload) => signed(notEnrolled, fqcn, payload));
    const { body } = await postBatch(notEnrolled, messages);
    expect(body.map(summarize)).toEqual(['403 FORBIDDEN_RESOURCE', '403 FORBIDDEN_RESOURCE']);
  });

  it('messages get the first id when they repeat each other or an earlier message', async () => {
    const sender = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const before = await sender.post(fqcn, 'before', { correlationId: 'k' });
    const { body } = await postBatch(sender, [
      signed(sender, fqcn, 'a', { correlationId: 'x' }),
      signed(sender, fqcn, 'a', { correlationId: 'x' }),
      signed(sender, fqcn, 'before', { correlationId: 'k' }),
      signed(sender, fqcn, 'b', { correlationId: 'y' }),
    ]);
    const [one, again, repeated, last] = body;
    expect([again, repeated]).toEqual([one, { id: before.body.id }]);
    const messages = await stored(sender, fqcn);
    expect(messages.map(({ payload }) => payload)).toEqual(['before', 'a', 'b']);
    expect(messages.map(({ id }) => ({ id }))).toEqual([before.body, one, last]);
  });

  it.each([
    ['none', []],
    ['one too many', Array.from({ length: MAX_MESSAGES_PER_REQUEST + 1 }, () => ({}))],
    ['a single message', { fqcn: 'a' }],
    ['nothing', undefined],
  ])('a batch with %s is refused as a whole', async (_, messages) => {
    const client = await user(broker.url, new Actor());
    const { status, body } = await postBatch(client, messages);
    expect([status, body.err.code]).toEqual([400, 'BUS::INVALID_REQUEST']);
  });
});
