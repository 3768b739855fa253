import { waitForClosedPort, startTestNats, type TestNats, waitFor } from '@ssb/testing';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { natsSettings as settings, quiet } from '../../../test/support/nats-settings.js';
import { definition } from '../../settings.js';
import { connectNats, findDangers, NatsSettingError, UnsafeNatsError } from './connect-nats.js';

describe('a connection to a server with users', () => {
  let nats: TestNats;
  let url: string;

  beforeAll(async () => {
    const configuration = 'authorization { user: "bro ker", password: "p@ss:word" }';
    nats = await startTestNats({ configuration });
    url = nats.url.replace('//', '//bro%20ker:p%40ss%3Aword@');
  });

  afterAll(() => nats.stop());

  it('uses the user and the password of the address', async () => {
    const connection = await connectNats(settings(url), quiet);
    await connection.flush();
    await connection.close();
  });

  it.each(['broker:wrong@', 'wrong@', ''])('fails at once with %j in the address', async (named) => {
    const error: unknown = await connectNats(settings(nats.url.replace('//', `//${named}`)), quiet).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(NatsSettingError);
    expect(error).toMatchObject({ setting: 'NATS_URL' });
  });

  it('waits while the server resets every connection', async () => {
    await nats.kill();
    let broken = 0;
    const breaker = createServer((socket) => {
      broken += 1;
      socket.resetAndDestroy();
    });
    breaker.listen(nats.port, '127.0.0.1');
    await once(breaker, 'listening');
    const waiting = connectNats(settings(url), quiet);
    await waitFor('three broken connections', () => broken >= 3);
    breaker.close();
    await waitForClosedPort(nats.port);
    await nats.start();
    await (await waiting).close();
  });
});

it('uses a token in the address', async () => {
  const nats = await startTestNats({ configuration: 'authorization { token: "s3cret" }' });
  try {
    const connection = await connectNats(settings(nats.url.replace('//', '//s3cret@')), quiet);
    await connection.flush();
    await connection.close();
  } finally {
    await nats.stop();
  }
});

describe('a server that refuses large messages', () => {
  let nats: TestNats;

  beforeAll(async () => {
    nats = await startTestNats({ maxPayload: 1_048_576 });
  });

  afterAll(() => nats.stop());

  it('is refused in production', async () => {
    await expect(connectNats(settings(nats.url), quiet)).rejects.toThrow(UnsafeNatsError);
  });
});

describe('the information of a server', () => {
  it.each([
    [{ jetstream: true, max_payload: 9_000_000 }, []],
    [{ jetstream: true, max_payload: 8_388_608 }, [expect.stringContaining('max_payload is 8388608')]],
    [{ max_payload: 9_000_000 }, [expect.stringContaining('no JetStream')]],
  ])('%j has the dangers %j', (facts, dangers) => {
    expect(findDangers(facts, 8_388_608)).toEqual(dangers);
  });
});

it.each<[string, boolean]>([
  ['nats://127.0.0.1:4222', true],
  ['tls://user:password@a:4222, tls://b:4222/', true],
  ['nats://token@a,nats://token@b', true],
  ['nats://token@a,nats://other@b', false],
  ['nats://:password@a', false],
  ['nats://a/path', false],
  ['nats://a?query', false],
  ['http://a', false],
])('NATS_URL takes %s: %s', (text, expected) => {
  expect(definition.NATS_URL.schema.safeParse(text).success).toBe(expected);
});
