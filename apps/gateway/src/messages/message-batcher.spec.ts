import { setTimeout as delay } from 'node:timers/promises';
import type { BatchMessage } from '@ssb/bus';
import { signMessage } from '@ssb/identity';
import { createLogger, Metrics, readSettings } from '@ssb/platform';
import { startScriptedServer, waitFor, type Reply, type ScriptedServer } from '@ssb/testing/in-process';
import { createSigningIdentity } from '../../test/support/signing-identity.js';
import { BrokerClient } from '../broker/broker-client.js';
import { BrokerHttp } from '../broker/broker-http.js';
import { BrokerSession } from '../broker/broker-session.js';
import { definition } from '../settings.js';
import { ClientCertificates } from '../tls/client-certificates.js';
import { BrokerTls } from '../tls/client-tls.js';
import { MessageBatcher, publishMessages, type UnsignedMessage } from './message-batcher.js';

const IDENTITY = createSigningIdentity();
const SETTINGS = { SIGNATURE_SCHEME: 'eip191', BROKER_TIMEOUT_MS: 60_000 } as const;
const NO_METRICS = {
  waiting: { inc: () => undefined, dec: () => undefined },
  postSeconds: { observe: () => undefined },
};

/** A batcher whose broker records the batches and responds after `respond` is called. */
function createBatcher(settings: ConstructorParameters<typeof MessageBatcher>[2] = SETTINGS) {
  const batches: (readonly BatchMessage[])[] = [];
  let respond = (): void => undefined;
  const gate = new Promise<void>((resolve) => (respond = resolve));
  const call: BrokerClient['call'] = async (_identity, { body }, schema) => {
    const isBatch = Array.isArray(body);
    const messages = (isBatch ? body : [body]) as BatchMessage[];
    batches.push(messages);
    await gate;
    const outcomes = messages.map(({ payload }) => ({ id: payload }));
    return schema.parse(isBatch ? outcomes : outcomes[0]);
  };
  const batcher = new MessageBatcher({ call }, IDENTITY, settings, NO_METRICS);
  return { batcher, batches, respond: () => respond() };
}

const message = (payload: string): UnsignedMessage => ({ fqcn: 'a', payload });

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('waiting messages', () => {
  it('are 10,000 at most: one more is refused at once, and accepted when others are sent', async () => {
    const { batcher, respond } = createBatcher();
    // Text that cannot be signed costs no signature when its turn comes.
    const all = Array.from({ length: 10_000 }, () => batcher.send(message('\ud800')));
    await expect(batcher.send(message('one more'))).rejects.toMatchObject({
      problem: { kind: 'not-sent', reason: 'too many messages are waiting' },
    });
    respond();
    await Promise.allSettled(all);
    expect(await batcher.send(message('later'))).toBe('later');
  });

  it('fill a batch by their bytes in UTF-8', async () => {
    const { batcher, batches, respond } = createBatcher();
    // 100,000 letters of three bytes each are more bytes than a batch may have.
    const all = ['1', '2', '3', '4'].map((end) => batcher.send(message('語'.repeat(100_000) + end)));
    await nextTurn();
    respond();
    await Promise.all(all);
    expect(batches.map((batch) => batch.length)).toEqual([1, 1, 1, 1]);
  });

  it('are signed when they are sent, one batch in a turn of the event loop', async () => {
    const { batcher, batches, respond } = createBatcher();
    const countSigned = () => batches.flat().length;
    const all = Array.from({ length: 100 }, (_, number) => batcher.send(message(String(number))));
    const signedPerTurn: number[] = [];
    while (countSigned() < 48) {
      const before = countSigned();
      await nextTurn();
      signedPerTurn.push(countSigned() - before);
    }
    expect(Math.max(...signedPerTurn)).toBe(16);
    await nextTurn();
    // At most three batches of a channel are in flight.
    expect(countSigned()).toBe(48);
    respond();
    await Promise.all(all);
    expect(batches.flat().map(({ signature }) => signature)).toEqual(
      Array.from({ length: 100 }, (_, number) => signMessage(String(number), IDENTITY.key)),
    );
  });

  it('for more than half of the timeout are refused and not sent', async () => {
    const { batcher, batches, respond } = createBatcher({ ...SETTINGS, BROKER_TIMEOUT_MS: 100 });
    const all = Array.from({ length: 60 }, (_, number) => batcher.send(message(String(number))));
    // The last message waits since here.
    const sentAt = performance.now();
    await waitFor('half of the timeout', () => performance.now() - sentAt > 51);
    const sent = batches.flat().length;
    respond();
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(sent);
    expect(batches.flat()).toHaveLength(sent);
    expect(outcomes.at(-1)).toMatchObject({ reason: { problem: { reason: 'it waited too long' } } });
  });

  it('that cannot be signed are refused, and the others of the batch are sent', async () => {
    const { batcher, batches, respond } = createBatcher();
    const loneSurrogate = '\ud800';
    respond();
    const all = ['a', loneSurrogate, 'c'].map((payload) => batcher.send(message(payload)));
    expect(await Promise.allSettled(all)).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: expect.objectContaining({ name: 'IllFormedTextError' }) },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(batches.flat().map(({ payload }) => payload)).toEqual(['a', 'c']);
  });
});

const MESSAGES = ['1', '2', '3'].map((payload) => ({ fqcn: 'a', payload, signature: '0x' }));
const LOGIN: Reply = { body: JSON.stringify({ token: 't', did: 'd', address: '0x', signature: '0x' }) };

let broker: ScriptedServer;
let http: BrokerHttp;
let client: BrokerClient;

beforeAll(async () => {
  broker = await startScriptedServer();
  const settings = readSettings(definition, { BROKER_URL: broker.url, BROKER_TIMEOUT_MS: '60000' });
  const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
  http = new BrokerHttp(settings, new BrokerTls(settings, log, new ClientCertificates(new Metrics())));
  client = new BrokerClient(http, new BrokerSession(settings, log, http));
});

beforeEach(() => {
  broker.received.length = 0;
});

afterAll(async () => {
  await http.onApplicationShutdown();
  await broker.stop();
});

/** Single messages are accepted. */
function respondToBatch(reply: Reply): void {
  broker.respond = ({ url }) => {
    if (url === '/auth/login') return LOGIN;
    return url === '/messages' ? reply : { status: 201, body: '{"id":"alone"}' };
  };
}

const publish = (messages = MESSAGES, timeoutMs = 60_000) =>
  publishMessages(client, IDENTITY, messages, performance.now() + timeoutMs);
const countRequests = (path: string) => broker.received.filter(({ url }) => url === path).length;

describe('a request with several messages', () => {
  it('that is refused is repeated with one message each', async () => {
    for (const status of [400, 404, 405, 409, 413, 422]) {
      broker.received.length = 0;
      respondToBatch({ status, body: '<html>' });
      const outcomes = await publish();
      expect([status, outcomes]).toEqual([
        status,
        MESSAGES.map(() => ({ status: 'fulfilled', value: 'alone' })),
      ]);
      expect([countRequests('/messages'), countRequests('/message')]).toEqual([1, 3]);
    }
  });

  it.each<[string, Reply]>([
    ['with an HTML page', { body: '<html>' }],
    ['with too few outcomes', { body: '[{"id":"a"}]' }],
    ['with too many outcomes', { body: JSON.stringify(Array(4).fill({ id: 'a' })) }],
    ['with a redirect', { status: 302, headers: { location: '/message' } }],
    ['with an error', { status: 503 }],
    ['with more bytes than a page has', { body: Buffer.alloc(64 * 1_048_576 + 1, ' ') }],
  ])('that gets the response %s fails for each of them, and none is sent again', async (_name, reply) => {
    respondToBatch(reply);
    const outcomes = await publish();
    expect(outcomes).toEqual(
      MESSAGES.map(() => ({ status: 'rejected', reason: expect.objectContaining({ name: 'BrokerError' }) })),
    );
    expect(countRequests('/message')).toBe(0);
  });
});

it('one deadline bounds the attempts and logins of a message together', async () => {
  respondToBatch({});
  await publish(MESSAGES.slice(0, 1));
  broker.respond = async ({ url }) => {
    await delay(400);
    return url === '/auth/login' ? LOGIN : { status: 401 };
  };
  // With a deadline for each request the second login would end in 401.
  expect(await publish(MESSAGES.slice(0, 1), 600)).toMatchObject([
    { reason: { problem: { reason: expect.stringMatching(/it waited too long|no response within/) } } },
  ]);
});
