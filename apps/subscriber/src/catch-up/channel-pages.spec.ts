import {
  GatewayError,
  GatewayResponseTooLargeError,
  GatewayUnreachableError,
  MalformedMessageError,
  type Message,
  type ReadMessagesQuery,
} from '@ssb/bus';
import { ChannelPages, type ReceivedPage } from './channel-pages.js';

const READ = { fromMs: 0, amount: 8 };
const CONSUMER = { clientId: 'bridge-1', fromMs: 0 };

function message(id: string): Message {
  return { id, fqcn: 'c', payload: 'p', signature: 's', sender: 'd', timestampNanos: BigInt(id) };
}

/** Pages of a gateway that responds to each query like this. */
function open(respond: (query: ReadMessagesQuery) => Message[]) {
  const queries: ReadMessagesQuery[] = [];
  const readMessages = async (query: ReadMessagesQuery): Promise<Message[]> => {
    queries.push(query);
    return respond(query);
  };
  const limits = { initialAmount: 8, maxAmount: 32 };
  return {
    queries,
    pages: new ChannelPages({ client: { readMessages }, channel: 'c', limits }),
  };
}

async function readOnce(pages: ChannelPages): Promise<ReceivedPage> {
  pages.begin();
  const page = await pages.readFrom(READ, CONSUMER);
  pages.remember(page);
  return page;
}

describe('ChannelPages', () => {
  it('requests the next consumer for each attempt, and reports each failure', async () => {
    const error = new GatewayResponseTooLargeError(200);
    const { queries, pages } = open(({ amount = 0 }) => {
      if (amount > 3) throw error;
      return [];
    });
    const failures: unknown[] = [];
    let opened = 0;
    const next = async () => ({ clientId: `bridge-${(opened += 1)}`, fromMs: opened });
    const { page, consumer } = await pages.readNext(next, (failure) => failures.push(failure));
    expect(page).toMatchObject({ amount: 2, count: 0 });
    expect(consumer).toEqual({ clientId: 'bridge-2', fromMs: 2 });
    expect(failures).toEqual([error]);
    expect(queries.map(({ clientId, from }) => [clientId, from])).toEqual([
      ['bridge-1', '1970-01-01T00:00:00.001Z'],
      ['bridge-2', '1970-01-01T00:00:00.002Z'],
    ]);
  });

  it('leaves the client id out where the gateway refuses it', async () => {
    const { queries, pages } = open(({ clientId }) => {
      if (clientId !== undefined) throw new GatewayError(400, { code: 'BAD_REQUEST', reason: 'clientId' });
      return [];
    });
    await readOnce(pages);
    await readOnce(pages);
    expect(queries.map(({ amount, clientId }) => [amount, clientId])).toEqual([
      [8, CONSUMER.clientId],
      [8, undefined],
      [8, undefined],
    ]);
  });

  it.each([
    ['refuses larger amounts', new GatewayError(400, { code: 'X', reason: 'amount' }), [8, 8, 4, 2]],
    ['sends too much', new GatewayResponseTooLargeError(200), [8, 2]],
  ])('requests less of a gateway that %s', async (_, error, amounts) => {
    const { queries, pages } = open(({ amount = 0 }) => {
      if (amount > 3) throw error;
      return [message('1'), message('2')];
    });
    expect(await readOnce(pages)).toMatchObject({ amount: 2, count: 2 });
    expect(pages.limits).toEqual({ initialAmount: 2, maxAmount: 2 });
    expect(queries.map(({ amount }) => amount)).toEqual(amounts);
    await readOnce(pages);
    expect(queries.at(-1)).toMatchObject({ amount: 2, clientId: CONSUMER.clientId });
  });

  it.each([
    ['an unreachable gateway', new GatewayUnreachableError('no response')],
    ['a refused channel', new GatewayError(404, { code: 'DSB::CHANNEL_NOT_FOUND', reason: 'no' })],
    ['a gateway that refuses every amount', new GatewayError(400, { code: 'X', reason: 'no' })],
  ])('fails for %s', async (_, error) => {
    const { pages } = open(() => {
      throw error;
    });
    await expect(readOnce(pages)).rejects.toBe(error);
  });

  it('returns each message and each malformed one once', async () => {
    const malformed = new MalformedMessageError('no payload', { id: '9', timestampNanos: 9n });
    const { pages } = open(({ onMalformed }) => {
      onMalformed?.(malformed);
      return [message('1'), message('2')];
    });
    expect(await readOnce(pages)).toMatchObject({ count: 3, newCount: 3, lastNanos: 2n });
    expect(await pages.readFrom(READ, CONSUMER)).toMatchObject({ count: 3, newCount: 0 });
    expect(await readOnce(pages)).toMatchObject({
      count: 3,
      newCount: 3,
      messages: [],
      malformed: [],
    });
  });

  it('regards an id with another time as another message, because a new bus begins again with 1', async () => {
    const responses = [[message('1')], [{ ...message('1'), timestampNanos: 5n }]];
    const { pages } = open(() => responses.shift() ?? []);
    await readOnce(pages);
    expect(await readOnce(pages)).toMatchObject({ messages: [{ timestampNanos: 5n }] });
  });

  it('continues at the last time that is not in the future', async () => {
    const now = BigInt(Date.now()) * 1_000_000n;
    const ahead = { ...message('2'), timestampNanos: now + 60_000_000_000n };
    const far = { ...message('3'), timestampNanos: now + 100n * 3_600_000_000_000n };
    const responses = [[message('1'), far, ahead], [ahead], [far]];
    const { pages } = open(() => responses.shift() ?? []);
    const times = [];
    for (let read = 0; read < 3; read += 1) times.push((await pages.readFrom(READ, CONSUMER)).lastNanos);
    expect(times).toEqual([1n, ahead.timestampNanos, undefined]);
  });

  it('returns the messages of a page in order of time', async () => {
    const { pages } = open(() => [message('3'), message('1'), message('2')]);
    const { messages, firstNanos, lastNanos } = await pages.readFrom(READ, CONSUMER);
    expect([messages.map(({ id }) => id), firstNanos, lastNanos]).toEqual([['1', '2', '3'], 1n, 3n]);
  });

  it('keeps the amount where every amount is refused, and where the error has another cause', async () => {
    let error: Error | undefined = new GatewayError(422, { code: 'ID::NO_BALANCE', reason: 'no' });
    const { queries, pages } = open(() => {
      if (error !== undefined) throw error;
      return [];
    });
    await expect(readOnce(pages)).rejects.toBe(error);
    expect(queries).toHaveLength(1);
    error = new GatewayError(400, { code: 'X', reason: 'no' });
    await expect(readOnce(pages)).rejects.toBe(error);
    expect(queries.slice(1).map(({ amount }) => amount)).toEqual([8, 8, 4, 2]);
    error = undefined;
    expect(await readOnce(pages)).toMatchObject({ amount: 8 });
    expect(pages.limits).toEqual({ initialAmount: 8, maxAmount: 32 });
  });

  it('takes the time of a malformed message where no other has one', async () => {
    const { pages } = open(({ onMalformed }) => {
      onMalformed?.(new MalformedMessageError('no payload', { timestampNanos: 9n }));
      return [];
    });
    expect(await readOnce(pages)).toMatchObject({ count: 1, lastNanos: 9n });
  });
});
