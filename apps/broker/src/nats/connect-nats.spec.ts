import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errors } from '@nats-io/transport-node';
import { createLogger } from '@ssb/platform';
import { startTestNats, type TestNats } from '@ssb/redis';
import { connectNats, type NatsSettings } from './connect-nats.js';
import { dangersOf, UnsafeNatsError } from './server-fitness.js';

const quiet = createLogger({ name: 'test', level: 'silent', format: 'json' });

const settings = (url: string, more: Partial<NatsSettings> = {}): NatsSettings => ({
  NODE_ENV: 'production',
  NATS_URL: [url],
  NATS_CREDENTIALS_FILE: undefined,
  NATS_CA_FILE: undefined,
  NATS_CERTIFICATE_FILE: undefined,
  NATS_KEY_FILE: undefined,
  ...more,
});

describe('a connection to a server that knows its users', () => {
  let nats: TestNats;

  beforeAll(async () => {
    const configuration = 'authorization { user: "bro ker", password: "p@ss:word" }';
    nats = await startTestNats({ configuration });
  });

  afterAll(() => nats.stop());

  it('uses the user and the password of the address', async () => {
    const url = nats.url.replace('//', '//bro%20ker:p%40ss%3Aword@');
    const connection = await connectNats(settings(url), quiet);
    await connection.flush();
    await connection.close();
  });

  it('fails at once when they are wrong: waiting would not help', async () => {
    const url = nats.url.replace('//', '//broker:wrong@');
    await expect(connectNats(settings(url), quiet)).rejects.toThrow(errors.AuthorizationError);
  });

  it('waits for a server that is away', async () => {
    await nats.kill();
    const url = nats.url.replace('//', '//bro%20ker:p%40ss%3Aword@');
    const waiting = connectNats(settings(url), quiet);
    await nats.start();
    await (await waiting).close();
  });
});

describe('a server that takes no large messages', () => {
  let nats: TestNats;

  beforeAll(async () => {
    nats = await startTestNats({ maxPayload: 1_048_576 });
  });

  afterAll(() => nats.stop());

  it('is refused in production', async () => {
    await expect(connectNats(settings(nats.url), quiet)).rejects.toThrow(UnsafeNatsError);
  });

  it('is taken elsewhere', async () => {
    await (await connectNats(settings(nats.url, { NODE_ENV: 'test' }), quiet)).close();
  });
});

describe('what a server says of itself', () => {
  it.each([
    [{ jetstream: true, max_payload: 9_000_000 }, []],
    [{ jetstream: true, max_payload: 8_388_608 }, [expect.stringContaining('max_payload is 8388608')]],
    [{ max_payload: 9_000_000 }, [expect.stringContaining('no JetStream')]],
  ])('%j has the dangers %j', (facts, dangers) => {
    expect(dangersOf(facts, 8_388_608)).toEqual(dangers);
  });
});
