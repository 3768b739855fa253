import {
  startTestProxy,
  startTestRedis,
  type TestProxy,
  type TestRedis,
  waitFor,
  withPort,
} from '@ssb/testing';
import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE_LIMITS,
  payloads,
} from '../../../test/support/log-samples.js';
import { openRedis } from '../../../test/support/open-logs.js';
import { EngineUnavailableError } from '../message-log.js';

/** The connection to Redis breaks between an append and its reply. The client library repeats the command. */
describe('an append whose reply is lost', () => {
  let redis: TestRedis;
  let line: TestProxy;
  let broker: Awaited<ReturnType<typeof openRedis>>;
  let other: Awaited<ReturnType<typeof openRedis>>;

  beforeAll(async () => {
    redis = await startTestRedis();
    other = await openRedis(redis.url);
  });

  afterAll(async () => {
    await other.close();
    await redis.stop();
  });

  beforeEach(async () => {
    line = await startTestProxy(redis.port);
    broker = await openRedis(withPort(redis.url, line.port), {
      timeoutMs: 500,
      duplicateWindowMs: 60_000,
    });
    // Redis knows the scripts from here on, so that one command is one append.
    await appendWithRetry(createTestChannel(), 'first');
  });

  afterEach(async () => {
    await broker.close();
    await line.stop();
  });

  const stored = async (channel: ReturnType<typeof createTestChannel>): Promise<string[]> =>
    payloads((await other.log.readAfter(channel, undefined, PAGE_LIMITS)).entries);

  /** Repeats a refused append until the connection is back. */
  const appendWithRetry = (
    channel: ReturnType<typeof createTestChannel>,
    ...message: Parameters<typeof createTestMessage>
  ) =>
    waitFor('the append', async () => {
      const appended = await append(broker.log, channel, createTestMessage(...message)).catch(
        () => undefined,
      );
      return appended !== undefined && appended;
    });

  it.each([undefined, 'id'])('is one message, with the correlation id %s', async (correlationId) => {
    const channel = createTestChannel();
    const more = correlationId === undefined ? {} : { correlationId };
    line.holdResponses();
    const refused = append(broker.log, channel, createTestMessage('a', more));
    await expect(refused).rejects.toThrow(EngineUnavailableError);
    await waitFor('the stored message', async () => (await stored(channel)).length > 0);
    line.cut();
    // The client library may store this one after a refusal, too.
    await appendWithRetry(channel, 'b', { correlationId: 'b' });
    expect(await stored(channel)).toEqual(['a', 'b']);
  });

  it('that did not arrive may be stored after its refusal; a repeat of the correlation id stores no second message', async () => {
    const channel = createTestChannel();
    line.dropTraffic();
    await expect(
      append(broker.log, channel, createTestMessage('a', { correlationId: 'id' })),
    ).rejects.toThrow(EngineUnavailableError);
    expect(await stored(channel)).toEqual([]);
    line.cut();
    const again = await appendWithRetry(channel, 'a', { correlationId: 'id' });
    expect(again).toMatchObject({ repeated: true });
    expect(await stored(channel)).toEqual(['a']);
  });
});
