import { STREAM_PATH, STREAM_PROTOCOL } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { Actor } from '../support/actor.js';
import { Client, creator, makeChannel, user } from '../support/client.js';
import { startBroker, type TestBroker, USER_ROLE } from '../support/test-broker.js';
import { useStreams } from '../support/test-stream.js';
import { broker, other, redis } from './shared-brokers.js';

describe('access to streams', () => {
  const open = useStreams();

  describe('permissions on a stream', () => {
    it.each<[string, (client: Client, fqcn: string) => Promise<unknown>, string]>([
      [
        'the user role is revoked at another broker',
        (client) => new Client(other.url, client.actor).decide(USER_ROLE, 'revoke'),
        'BUS::FORBIDDEN_RESOURCE',
      ],
      [
        'the permission is removed',
        async (_, fqcn) =>
          (await creator(other.url)).call('PATCH', '/channel', { fqcn, subscribers: [new Actor().did] }),
        'BUS::CHANNEL_UNAUTHORIZED',
      ],
      [
        'the channel is removed',
        async (_, fqcn) => (await creator(other.url)).call('DELETE', `/channel/${fqcn}`),
        'BUS::CHANNEL_NOT_FOUND',
      ],
    ])('end it within seconds when %s', async (_, revoke, code) => {
      const sender = await user(other.url, new Actor());
      const client = await user(broker.url, new Actor());
      const members = [client.actor.did];
      const fqcn = await makeChannel(broker.url, {
        subscribers: members,
        publishers: [sender.actor.did, ...members],
      });
      const stream = await open(client);
      await stream.subscribe([fqcn]);
      await revoke(client, fqcn);
      expect((await stream.next('closed')).err.code).toBe(code);
      await sender.post(fqcn, 'secret');
      expect(stream.payloads).toEqual([]);
    });

    it.each<[string, boolean, (fqcn: string) => string[] | undefined, string]>([
      ['an identity that is not enrolled', false, (fqcn) => [fqcn], 'BUS::FORBIDDEN_RESOURCE'],
      ['all channels, of one not enrolled', false, () => undefined, 'BUS::FORBIDDEN_RESOURCE'],
      ['a channel of others', true, (fqcn) => [fqcn], 'BUS::CHANNEL_UNAUTHORIZED'],
      ['an unknown channel', true, (fqcn) => [`x.${fqcn}`], 'BUS::CHANNEL_NOT_FOUND'],
    ])('refuse a subscription to %s', async (_, enrolled, channels, code) => {
      const fqcn = await makeChannel(broker.url, { subscribers: [new Actor().did] });
      const client = new Client(broker.url, new Actor());
      await client.login();
      if (enrolled) await client.decide(USER_ROLE, 'approve');
      const stream = await open(client);
      const named = channels(fqcn);
      stream.send({
        type: 'subscribe',
        subscription: 's',
        clientId: 'c',
        ...(named && { fqcn: named }),
        window: 1,
      });
      expect(await stream.next('error')).toMatchObject({ subscription: 's', err: { code } });
    });
  });

  describe('opening a stream', () => {
    it('is refused to an identity with too many streams', async () => {
      const strict = await startBroker(redis.url, { MAX_STREAMS_PER_IDENTITY: '1' });
      const client = await user(strict.url, new Actor());
      const stream = await open(client);
      expect(await upgradeStatus(client, STREAM_PATH, STREAM_PROTOCOL, client.token)).toBe(429);
      await stream.close();
      await waitFor('the stream to be closed', async () =>
        (await metrics(strict)).includes('settlement_bus_broker_streams 0'),
      );
      await open(client);
      await strict.close();
    });

    it('ends when the client does not respond to pings', async () => {
      const strict = await startBroker(redis.url, { STREAM_PING_INTERVAL_MS: '1000' });
      const stream = await open(await user(strict.url, new Actor()));
      expect(await metrics(strict)).toContain('settlement_bus_broker_streams 1');
      stream.socket.pause();
      await waitFor('the stream to be closed', async () =>
        (await metrics(strict)).includes('settlement_bus_broker_streams 0'),
      );
      stream.socket.terminate();
      await strict.close();
    });

    it.each([
      ['without a token', STREAM_PATH, STREAM_PROTOCOL, undefined, 401],
      ['with a forged token', STREAM_PATH, STREAM_PROTOCOL, 'a.b.c', 401],
      ['at another path', '/other', STREAM_PROTOCOL, undefined, 404],
      ['with another sub-protocol', STREAM_PATH, 'other', undefined, 400],
    ])('is refused %s', async (_, path, protocol, token, status) => {
      const client = new Client(broker.url, new Actor());
      expect(await upgradeStatus(client, path, protocol, token)).toBe(status);
    });

    const subscribe = { type: 'subscribe', subscription: 's', clientId: 'c', window: 1 };
    it('and sending an invalid frame gets an error, and the stream continues', async () => {
      const stream = await open(await user(broker.url, new Actor()));
      const frames: readonly (string | Buffer)[] = [
        '{',
        'null',
        '{"type":"dance"}',
        Buffer.from(JSON.stringify(subscribe)),
        JSON.stringify({ ...subscribe, window: 0 }),
        JSON.stringify({ ...subscribe, clientId: 'c'.repeat(256) }),
        JSON.stringify({ ...subscribe, fqcn: new Array(501).fill('x') }),
      ];
      for (const [index, frame] of frames.entries()) {
        stream.socket.send(frame);
        expect((await stream.next('error', index + 1)).err.code).toBe('BUS::INVALID_REQUEST');
      }
      await stream.subscribe([await makeChannel(broker.url)]);
      expect(stream.of('error')).toHaveLength(frames.length);
    });

    it('and sending a frame of more than a megabyte ends it', async () => {
      const stream = await open(await user(broker.url, new Actor()));
      stream.socket.send('x'.repeat(1_048_577));
      const [code] = (await once(stream.socket, 'close')) as [number];
      expect(code).toBe(1009);
    });
  });

  async function upgradeStatus(
    { url }: Client,
    path: string,
    protocol: string,
    token: string | undefined,
  ): Promise<number> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const socket = new WebSocket(url.replace('http', 'ws') + path, protocol, { headers });
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    response.destroy();
    return response.statusCode ?? 0;
  }

  async function metrics({ managementUrl }: TestBroker): Promise<string> {
    return (await fetch(`${managementUrl}/metrics`)).text();
  }
});
