import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebhookSinkConfig } from '@ssb/config';
import { type Authority, createAuthority } from '@ssb/dev/certificates';
import { IpNetworks, type ClientConnection } from '@ssb/net';
import { createLogger, Metrics, OutgoingConnections } from '@ssb/platform';
import { type ScriptedServer, startScriptedServer, waitFor } from '@ssb/testing';
import type { ConfiguredSink } from '../../src/deliveries/sinks/configured-sink.js';
import { SinkFactory } from '../../src/deliveries/sinks/sink-factory.js';
import { pendingDelivery } from '../support/pending-delivery.js';

const keyOf = (number: number): Buffer => Buffer.alloc(32, number);
const secretOf = (number: number): string => `whsec_${keyOf(number).toString('base64')}`;

let folder: string;
let receiver: ScriptedServer;
let connections: OutgoingConnections;
let sink: ConfiguredSink | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-'));
  receiver = await startScriptedServer();
  receiver.respond = () => ({ status: 204 });
});
afterEach(async () => {
  await sink?.close();
  await connections.onApplicationShutdown();
  await receiver.stop();
  rmSync(folder, { recursive: true });
});

const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);

function open(change: Partial<WebhookSinkConfig>, connection: ClientConnection = {}): void {
  const settings = {
    ALERT_CONCURRENCY: 4,
    ALERT_RESPONSE_LIMIT_BYTES: 65_536,
    ALERT_RETRY_BASE_MS: 500,
    ALERT_RETRY_CAP_MS: 60_000,
    ALERT_TIMEOUT_MS: 20_000,
    OPERATIONS_WEBHOOK_URL: undefined,
    OPERATIONS_WEBHOOK_SECRET: undefined,
    CONFIG_FILE: join(folder, 'bridge.yaml'),
    TLS_RELOAD_INTERVAL_MS: 10,
  };
  const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
  connections = new OutgoingConnections({ app: 'subscriber', settings, metrics: new Metrics(), log });
  const config: WebhookSinkConfig = { name: 'treasury', kind: 'webhook', url: receiver.url, ...change };
  sink = new SinkFactory(settings, connection, connections, log).open(config);
}

const deliver = () => sink!.deliver(pendingDelivery(), new AbortController().signal);

/** Whether one signature of the request is that of the key. */
function isSignedWith(number: number, { headers, body }: ScriptedServer['received'][number]): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', keyOf(number)).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

it('a secret is replaced under load, and the receiver refuses no delivery', async () => {
  write('new', secretOf(1));
  write('old', secretOf(1));
  open({ secretFiles: ['new', 'old'] });
  let accepted = 1;
  receiver.respond = (request) => ({ status: isSignedWith(accepted, request) ? 204 : 400 });
  let isOver = false;
  const outcomes: string[] = [];
  const load = (async () => {
    while (!isOver) outcomes.push((await deliver()).kind);
  })();
  write('new', secretOf(2));
  const knowsNew = () => receiver.received.some((request) => isSignedWith(2, request));
  await waitFor('both signatures', knowsNew);
  accepted = 2;
  write('old', secretOf(2));
  const last = () => receiver.received.at(-1);
  await waitFor('the end of the old secret', () => last() !== undefined && !isSignedWith(1, last()!));
  isOver = true;
  await load;
  expect(new Set(outcomes)).toEqual(new Set(['delivered']));
});

describe('OAuth', () => {
  let tokens: ScriptedServer;
  const oauth = () => ({
    tokenUrl: `${tokens.url}/token?tenant=1`,
    clientId: 'bridge',
    clientSecretFile: 'client',
    scope: 'alerts.write',
    audience: 'https://alerts.example.com',
  });

  beforeEach(async () => {
    tokens = await startScriptedServer();
    tokens.respond = (_, count) => ({ body: `{"access_token":"token-${count}","expires_in":3600}` });
    write('client', 'first secret\n');
  });
  afterEach(() => tokens.stop());

  it('uses one token for many deliveries, and another one after a 401', async () => {
    open({ secret: secretOf(1), oauth: oauth() });
    receiver.respond = ({ headers }) => ({ status: headers.authorization === 'Bearer token-2' ? 204 : 401 });
    expect(await deliver()).toMatchObject({ kind: 'delivered' });
    expect(await deliver()).toMatchObject({ kind: 'delivered' });
    expect(receiver.received).toHaveLength(3);
    expect(
      tokens.received.map(({ url, body }) => [url, Object.fromEntries(new URLSearchParams(body))]),
    ).toEqual(
      Array.from({ length: 2 }, () => [
        '/token?tenant=1',
        {
          grant_type: 'client_credentials',
          client_id: 'bridge',
          client_secret: 'first secret',
          scope: 'alerts.write',
          audience: 'https://alerts.example.com',
        },
      ]),
    );
  });

  it('does not ask for tokens without end when the receiver refuses each of them', async () => {
    open({ secret: secretOf(1), oauth: oauth() });
    receiver.respond = () => ({ status: 401 });
    for (let attempt = 1; attempt <= 3; attempt += 1)
      expect(await deliver()).toMatchObject({ kind: 'rejected', status: 401 });
    expect(tokens.received).toHaveLength(2);
  });

  it('fails without a token, and uses a changed secret at once', async () => {
    open({ secret: secretOf(1), oauth: oauth() });
    tokens.respond = ({ body }) =>
      body.includes('second') ? { body: '{"access_token":"t"}' } : { status: 401, body: '{"error":"no"}' };
    expect(await deliver()).toEqual({
      kind: 'unreachable',
      detail: 'no token, the token service refuses with status 401',
    });
    expect(receiver.received).toEqual([]);
    write('client', 'second secret');
    await waitFor('the delivery', async () => (await deliver()).kind === 'delivered');
  });

  it('requests no token outside of the allowed networks', async () => {
    open({ secret: secretOf(1), oauth: oauth() }, { allowedNetworks: IpNetworks.parse(['10.0.0.0/8']) });
    expect(await deliver()).toEqual({ kind: 'network-not-allowed' });
    expect(tokens.received).toEqual([]);
  });
});

describe('a client certificate', () => {
  let authority: Authority;
  let secure: ScriptedServer;

  beforeEach(async () => {
    authority = await createAuthority({ name: 'Private authority', now: new Date() });
    const own = await authority.issue({ commonName: 'receiver', hosts: ['127.0.0.1'] });
    const tls = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
    secure = await startScriptedServer(tls);
    secure.respond = () => ({ status: 204 });
    write('ca.pem', authority.cert);
  });
  afterEach(() => secure.stop());

  async function issue(commonName: string): Promise<void> {
    const { cert, key } = await authority.issue({ commonName, usage: 'client' });
    write('client.pem', cert);
    write('client.key', key);
  }

  it('is that of the sink, waits for its files, and changes with them', async () => {
    const files = { certFile: 'client.pem', keyFile: 'client.key', caFile: 'ca.pem' };
    open({ url: secure.url, secret: secretOf(1), ...files });
    expect(await deliver()).toEqual({ kind: 'unreachable', detail: 'a file of the sink cannot be used' });
    await issue('first');
    await waitFor('the first certificate', async () => (await deliver()).kind === 'delivered');
    await issue('second');
    await waitFor('the second certificate', async () => {
      await deliver();
      return secure.received.at(-1)?.caller === 'second';
    });
    expect(new Set(secure.received.map(({ caller }) => caller))).toEqual(new Set(['first', 'second']));
  });
});
