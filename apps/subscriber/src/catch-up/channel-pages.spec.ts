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

function message(id: string): Message {
  return { id, fqcn: 'c', payload: 'p', signature: 's', sender: 'd', timestampNanos: BigInt(id) };
}

/** Pages of a gateway that answers each query like this. */
function open(answer: (query: ReadMessagesQuery) => Message[], clientIdDeclared = true) {
  const queries: ReadMessagesQuery[] = [];
  const readMessages = async (query: ReadMessagesQuery): Promise<Message[]> => {
    queries.push(query);
    return answer(query);
  };
  const limits = { initialAmount: 8, maxAmount: 32 };
  return {
    queries,
    pages: new ChannelPages({ client: { readMessages }, channel: 'c', limits, clientIdDeclared }),
  };
}

async function readOnce(pages: ChannelPages, continues: boolean): Promise<ReceivedPage> {
  pages.begin(continues);
  const page = await pages.read(READ);
  pages.remember(page);
  return page;
}

describe('ChannelPages', () => {
  it('uses a new client id for each catch-up, and for all of its pages', async () => {
    const { queries, pages } = open(() => []);
    await readOnce(pages, false);
    await pages.read(READ);
    await readOnce(pages, false);
    const [first, second, third] = queries.map(({ clientId }) => clientId);
    expect(first).toMatch(/^bridge-[\da-f-]{36}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('continues with the client id, but not after a failure, whose answer may have been lost', async () => {
    const { queries, pages } = open(() => []);
    await readOnce(pages, true);
    await readOnce(pages, true);
    pages.fail();
    await readOnce(pages, true);
    const [first, second, third] = queries.map(({ clientId }) => clientId);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('names no client where none is declared', async () => {
    const { queries, pages } = open(() => [], false);
    await readOnce(pages, false);
    expect(queries[0]).toMatchObject({ fqcn: 'c', amount: 8, from: '1970-01-01T00:00:00.000Z' });
    expect(queries[0]).not.toHaveProperty('clientId');
  });

  it.each([
    ['refuses larger amounts', new GatewayError(400, { code: 'X', reason: 'amount' })],
    ['sends too much', new GatewayResponseTooLargeError(200)],
  ])('requests less of a gateway that %s', async (_, error) => {
    const { queries, pages } = open(({ amount = 0 }) => {
      if (amount > 3) throw error;
      return [message('1'), message('2')];
    });
    expect(await readOnce(pages, false)).toMatchObject({ amount: 2, count: 2 });
    expect(pages.limits).toEqual({ initialAmount: 2, maxAmount: 2 });
    expect(queries.map(({ amount }) => amount)).toEqual([8, 4, 2]);
    expect(new Set(queries.map(({ clientId }) => clientId)).size).toBe(3);
  });

  it.each([
    ['an unreachable gateway', new GatewayUnreachableError('no response')],
    ['a refused channel', new GatewayError(404, { code: 'DSB::CHANNEL_NOT_FOUND', reason: 'no' })],
    ['a gateway that refuses every amount', new GatewayError(400, { code: 'X', reason: 'no' })],
  ])('fails for %s', async (_, error) => {
    const { pages } = open(() => {
      throw error;
    });
    await expect(readOnce(pages, false)).rejects.toBe(error);
  });

  it('returns each message and each malformed one once', async () => {
    const malformed = new MalformedMessageError('no payload', { id: '9', timestampNanos: 9n });
    const { pages } = open(({ onMalformed }) => {
      onMalformed?.(malformed);
      return [message('1'), message('2')];
    });
    expect(await readOnce(pages, false)).toMatchObject({ count: 3, newCount: 3, lastNanos: 2n });
    expect(await pages.read(READ)).toMatchObject({ count: 3, newCount: 0 });
    expect(await readOnce(pages, false)).toMatchObject({
      count: 3,
      newCount: 3,
      messages: [],
      malformed: [],
    });
  });

  it('regards an id with another time as another message, because a new bus begins again with 1', async () => {
    const answers = [[message('1')], [{ ...message('1'), timestampNanos: 5n }]];
    const { pages } = open(() => answers.shift() ?? []);
    await readOnce(pages, false);
    expect(await readOnce(pages, false)).toMatchObject({ messages: [{ timestampNanos: 5n }] });
  });

  it('continues at the last time that is not in the future', async () => {
    const now = BigInt(Date.now()) * 1_000_000n;
    const ahead = { ...message('2'), timestampNanos: now + 60_000_000_000n };
    const far = { ...message('3'), timestampNanos: now + 100n * 3_600_000_000_000n };
    const answers = [[message('1'), far, ahead], [ahead], [far]];
    const { pages } = open(() => answers.shift() ?? []);
    const times = [];
    for (let read = 0; read < 3; read += 1) times.push((await pages.read(READ)).lastNanos);
    expect(times).toEqual([1n, ahead.timestampNanos, undefined]);
  });

  it('returns the messages of a page in order of time', async () => {
    const { pages } = open(() => [message('3'), message('1'), message('2')]);
    const { messages, firstNanos, lastNanos } = await pages.read(READ);
    expect([messages.map(({ id }) => id), firstNanos, lastNanos]).toEqual([['1', '2', '3'], 1n, 3n]);
  });

  it('keeps the amount where every amount is refused, and where the error has another cause', async () => {
    let error: Error | undefined = new GatewayError(422, { code: 'ID::NO_BALANCE', reason: 'no' });
    const { queries, pages } = open(() => {
      if (error !== undefined) throw error;
      return [];
    });
    await expect(readOnce(pages, false)).rejects.toBe(error);
    expect(queries).toHaveLength(1);
    error = new GatewayError(400, { code: 'X', reason: 'no' });
    await expect(readOnce(pages, false)).rejects.toBe(error);
    expect(queries.slice(1).map(({ amount }) => amount)).toEqual([8, 4, 2]);
    error = undefined;
    expect(await readOnce(pages, false)).toMatchObject({ amount: 8 });
    expect(pages.limits).toEqual({ initialAmount: 8, maxAmount: 32 });
  });

  it('takes the time of a malformed message where no other has one', async () => {
    const { pages } = open(({ onMalformed }) => {
      onMalformed?.(new MalformedMessageError('no payload', { timestampNanos: 9n }));
      return [];
    });
    expect(await readOnce(pages, false)).toMatchObject({ count: 1, lastNanos: 9n });
  });
});
