import { createLogger, Metrics, readSettings } from '@ssb/platform';
import { startScriptedServer, type Reply, type ScriptedServer } from '@ssb/testing/in-process';
import { setTimeout as delay } from 'node:timers/promises';
import { createSigningIdentity } from '../../test/support/signing-identity.js';
import { definition } from '../settings.js';
import { BrokerTls } from '../tls/client-tls.js';
import { ClientCertificates } from '../tls/client-certificates.js';
import { publishMessages } from './publish-messages.js';
import { BrokerClient } from '../broker/broker-client.js';
import { BrokerHttp } from '../broker/broker-http.js';
import { BrokerSession } from '../broker/broker-session.js';

const IDENTITY = createSigningIdentity();
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
function answerBatch(reply: Reply): void {
  broker.answer = ({ url }) => {
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
      answerBatch({ status, body: '<html>' });
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
  ])('that is answered %s fails for each of them, and none is sent again', async (_name, reply) => {
    answerBatch(reply);
    const outcomes = await publish();
    expect(outcomes).toEqual(
      MESSAGES.map(() => ({ status: 'rejected', reason: expect.objectContaining({ name: 'BrokerError' }) })),
    );
    expect(countRequests('/message')).toBe(0);
  });
});

it('one deadline bounds the attempts and logins of a message together', async () => {
  answerBatch({});
  await publish(MESSAGES.slice(0, 1));
  broker.answer = async ({ url }) => {
    await delay(400);
    return url === '/auth/login' ? LOGIN : { status: 401 };
  };
  // With a deadline for each request the second login would end in 401.
  expect(await publish(MESSAGES.slice(0, 1), 600)).toMatchObject([
    { reason: { problem: { reason: expect.stringMatching(/it waited too long|no response within/) } } },
  ]);
});
