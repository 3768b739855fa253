import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, createAuthority, type Credential } from '@ssb/dev/certificates';
import { createPkcs12 } from '@ssb/testing/in-process';
import { createLogger, clientTlsFiles, Metrics, OutgoingConnections, readSettings } from '@ssb/platform';
import { loadOperatorConfig } from '@ssb/config';
import {
  type ConnectProxy,
  type ScriptedServer,
  startConnectProxy,
  startScriptedServer,
  waitFor,
} from '@ssb/testing';
import { sinkTargets } from '../src/deliveries/sinks/sink-factory.js';
import { definition } from '../src/settings.js';
import { FakeGateway } from './support/fake-gateway.js';
import {
  createTestEnvironment,
  startSubscriber,
  type RunningSubscriber,
  type TestEnvironment,
} from './support/running-subscriber.js';
import { signedMessage } from '@ssb/testing/signed-messages';
import { openSubscriberDatabase, type SubscriberDatabase } from './support/subscriber-database.js';

/** Only the proxy resolves it. */
const HOST = 'service.test';
let storage: SubscriberDatabase;
let authority: Authority;
let client: Credential;
let gateway: FakeGateway;
let sink: ScriptedServer;
let proxy: ConnectProxy;
let environment: TestEnvironment;
let connections: OutgoingConnections;
let subscriber: RunningSubscriber | undefined;

beforeAll(async () => {
  authority = await createAuthority({ name: 'Private authority', now: new Date() });
  client = await authority.issue({ commonName: 'subscriber', usage: 'client' });
  proxy = await startConnectProxy();
  storage = await openSubscriberDatabase();
});
beforeEach(async () => {
  const own = await authority.issue({ commonName: HOST, hosts: [HOST] });
  const tls = { ...own, ca: authority.cert, requestCert: true };
  await storage.clear();
  gateway = new FakeGateway({ tls });
  sink = await startScriptedServer(tls);
  sink.respond = () => ({ status: 204 });
  environment = createTestEnvironment(named(await gateway.start()), named(sink.url));
});
afterEach(async () => {
  await subscriber?.stop();
  await connections.onApplicationShutdown();
  await gateway.stop();
  await sink.stop();
  environment.remove();
});
afterAll(async () => {
  await proxy.stop();
  await storage.close();
});

const named = (url: string): string => url.replace('127.0.0.1', HOST);

function file(name: string, content: string | Buffer): string {
  const path = join(environment.folder, name);
  writeFileSync(path, content);
  return path;
}

/** Starts a subscriber whose connections follow the settings. */
async function start(variables: Record<string, string>): Promise<RunningSubscriber> {
  const all = { ...environment.variables, ...variables };
  const settings = readSettings(definition, all);
  const log = createLogger({ name: 'subscriber', level: 'silent', format: 'json' });
  connections = new OutgoingConnections({ app: 'subscriber', settings, metrics: new Metrics(), log });
  const config = loadOperatorConfig(settings.CONFIG_FILE, {});
  subscriber = await startSubscriber({ ...environment, variables: all }, storage.url, {
    gatewayConnection: await connections.open('gateway', clientTlsFiles(settings, 'GATEWAY')),
    webhookConnection: await connections.openWebhooks(sinkTargets(config)),
  });
  return subscriber;
}

it('gateway and webhook are reached through the proxy, with private authority and client certificate', async () => {
  const ca = file('ca.pem', authority.cert);
  const running = await start({
    HTTPS_PROXY: proxy.url,
    GATEWAY_CA_FILE: ca,
    GATEWAY_PFX_FILE: file('client.p12', createPkcs12(client, 'hunter2')),
    GATEWAY_PFX_PASSWORD_FILE: file('password', 'hunter2'),
    WEBHOOK_CA_FILE: ca,
    WEBHOOK_CERT_FILE: file('client.crt', client.cert),
    WEBHOOK_KEY_FILE: file('client.key', client.key),
  });
  gateway.deliver(await signedMessage());
  await waitFor('the alert', () => sink.received.length > 0);
  expect(sink.received[0]?.caller).toBe('subscriber');
  // The stream and the check of the access.
  await waitFor('the access', async () => (await running.ready()).status === 'ok');
  const targets = [environment.variables['GATEWAY_URL'] ?? '', named(sink.url)].map(
    (url) => new URL(url).host,
  );
  expect(new Set(proxy.tunnels)).toEqual(new Set(targets));
});

it('a webhook outside of the allowed networks gets nothing, and the log says why', async () => {
  await gateway.stop();
  await sink.stop();
  environment.remove();
  gateway = new FakeGateway();
  sink = await startScriptedServer();
  const url = sink.url.replace('127.0.0.1', 'localhost');
  environment = createTestEnvironment(await gateway.start(), url);
  const running = await start({ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' });
  gateway.deliver(await signedMessage());
  const failed = await waitFor('the failure', () =>
    running.lines.find(({ msg }) => msg === 'delivery failed'),
  );
  expect(failed).toMatchObject({
    sink: 'treasury',
    outcome: 'not sent: its address is not in WEBHOOK_ALLOWED_NETWORKS',
  });
  expect(await running.metrics()).toContain(
    'settlement_bridge_subscriber_delivery_attempts_total{sink="treasury",outcome="network-not-allowed"}',
  );
  expect(sink.received).toEqual([]);
});
