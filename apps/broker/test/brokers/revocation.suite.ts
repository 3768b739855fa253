import { connectRedis } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { Actor } from '../support/actor.js';
import { Client, creator, makeChannel, user } from '../support/client.js';
import { USER_ROLE } from '../support/test-broker.js';
import { TestStream } from '../support/test-stream.js';
import { broker, other, redis } from './shared-brokers.js';

describe('revocation', () => {
  let commands: ReturnType<typeof connectRedis>;

  beforeAll(async () => {
    commands = connectRedis(redis.url, { name: 'test' });
  });

  afterAll(async () => {
    commands.disconnect();
  });

  /** A sender whose permissions the broker has cached, and the same identity at the other broker. */
  async function sender(limits: Parameters<typeof makeChannel>[1] = {}) {
    const client = await user(broker.url, new Actor());
    const elsewhere = new Client(other.url, client.actor);
    await elsewhere.login();
    const fqcn = await makeChannel(broker.url, limits);
    expect((await client.post(fqcn, 'a')).status).toBe(201);
    return { client, elsewhere, fqcn };
  }

  const untilStatus = (client: Client, fqcn: string, status: number) =>
    waitFor('this status of a post', async () => {
      const each = (await client.post(fqcn, 'a')).status;
      return each === status && each;
    });

  /** How often Redis has executed these commands. */
  async function countCalls(...names: string[]): Promise<number> {
    const info = await commands.info('commandstats');
    const calls = names.map((name) =>
      Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(info)?.[1] ?? 0),
    );
    return calls.reduce((sum, each) => sum + each, 0);
  }

  const secondsSince = (started: number): number => (performance.now() - started) / 1_000;

  describe('the permission to publish', () => {
    it.each<[string, (all: Awaited<ReturnType<typeof sender>>) => Promise<unknown>, number]>([
      ['the user role is revoked', ({ elsewhere }) => elsewhere.decide(USER_ROLE, 'revoke'), 403],
      [
        'the permission is removed',
        async ({ fqcn }) =>
          (await creator(other.url)).call('PATCH', '/channel', { fqcn, publishers: [new Actor().did] }),
        401,
      ],
      [
        'the channel is removed',
        async ({ fqcn }) => (await creator(other.url)).call('DELETE', `/channel/${fqcn}`),
        404,
      ],
      [
        'the schema is changed',
        async ({ fqcn }) => {
          const topics = [{ namespace: 'default', schema: '{"type":"object"}' }];
          return (await creator(other.url)).call('PATCH', '/channel', { fqcn, topics });
        },
        422,
      ],
    ])('ends within seconds when, at another broker, %s', async (_, revoke, status) => {
      const all = await sender();
      await revoke(all);
      await untilStatus(all.client, all.fqcn, status);
    });

    it('ends within seconds when the notification is lost', async () => {
      const { client, fqcn } = await sender();
      // Like a broker, but without a notification.
      await commands.hdel(`broker:{roles}:of:${client.actor.wallet.address.toLowerCase()}`, USER_ROLE);
      await untilStatus(client, fqcn, 403);
    });

    it('begins at once at every broker', async () => {
      const { client, elsewhere, fqcn } = await sender({ publishers: [USER_ROLE] });
      await elsewhere.decide(USER_ROLE, 'revoke');
      await untilStatus(client, fqcn, 403);
      await elsewhere.decide(USER_ROLE, 'approve');
      expect((await client.post(fqcn, 'b')).status).toBe(201);
      await (await creator(other.url)).call('PATCH', '/channel', { fqcn, maxMsgSize: 2 });
      await untilStatus(client, fqcn, 201);
      await waitFor('the smaller limit', async () => (await client.post(fqcn, 'abc')).status === 413);
      await (await creator(other.url)).call('PATCH', '/channel', { fqcn, maxMsgSize: 3 });
      expect((await client.post(fqcn, 'abc')).status).toBe(201);
    });

    it('costs one Redis command for each message, as permissions are cached', async () => {
      const { client, fqcn } = await sender();
      const signature = client.actor.sign('a');
      const before = {
        appends: await countCalls('evalsha', 'eval'),
        reads: await countCalls('hget', 'hgetall'),
      };
      const started = performance.now();
      for (let count = 0; count < 50; count += 1) {
        await client.call('POST', '/message', {
          fqcn,
          payload: 'a',
          signature,
          correlationId: String(count),
        });
      }
      expect((await countCalls('evalsha', 'eval')) - before.appends).toBe(50);
      // Two for each second; without the cache it would be two for each message.
      expect((await countCalls('hget', 'hgetall')) - before.reads).toBeLessThan(
        20 + 2 * secondsSince(started),
      );
    });
  });

  describe('the permission to subscribe', () => {
    /** A reader that has received a message. */
    async function reader() {
      const [author, client] = await Promise.all([
        user(other.url, new Actor()),
        user(broker.url, new Actor()),
      ]);
      const fqcn = await makeChannel(broker.url);
      const stream = await TestStream.open(client.url, client.token);
      await stream.subscribe([fqcn], { window: 10_000 });
      await author.post(fqcn, 'a');
      await stream.next('messages');
      return { author, client, fqcn, stream };
    }

    it('ends within seconds when the notification is lost', async () => {
      const { author, client, fqcn, stream } = await reader();
      try {
        await commands.hdel(`broker:{roles}:of:${client.actor.wallet.address.toLowerCase()}`, USER_ROLE);
        await waitFor('the end of the subscription', async () => {
          await author.post(fqcn, 'b');
          const found = stream.of('closed').map(({ err }) => err.code);
          return found[0] === 'BUS::FORBIDDEN_RESOURCE';
        });
        const sent = stream.messages.length;
        await author.post(fqcn, 'c');
        await author.read(fqcn);
        expect(stream.messages).toHaveLength(sent);
      } finally {
        await stream.close();
      }
    });
  });
});
