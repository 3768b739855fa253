import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, createAuthority } from '@ssb/dev/certificates';
import { createPkcs12 } from '@ssb/testing/in-process';
import {
  type ConnectProxy,
  type ScriptedServer,
  startConnectProxy,
  startScriptedServer,
  waitFor,
} from '@ssb/testing';
import { FakeGateway } from './support/fake-gateway.js';
import {
  breach,
  CHANNEL,
  folder,
  OPERATIONS_CHANNEL,
  queue,
  setUpPublisherTests,
  start,
} from './support/running-publisher.js';

setUpPublisherTests();

/** Only the proxy resolves it. */
const HOST = 'service.test';
let authority: Authority;
let secure: FakeGateway;
let webhook: ScriptedServer;
let proxy: ConnectProxy;
let variables: Record<string, string>;

const named = (url: string): string => url.replace('127.0.0.1', HOST);

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

beforeEach(async () => {
  authority = await createAuthority({ name: 'Private authority', now: new Date() });
  const tls = {
    ...(await authority.issue({ commonName: HOST, hosts: [HOST] })),
    ca: authority.cert,
    requestCert: true,
  };
  secure = new FakeGateway(CHANNEL, OPERATIONS_CHANNEL);
  secure.tls = tls;
  await secure.start();
  webhook = await startScriptedServer(tls);
  webhook.respond = () => ({ status: 204 });
  proxy = await startConnectProxy();
  const client = await authority.issue({ commonName: 'publisher', usage: 'client' });
  const ca = file('service-ca.crt', authority.cert);
  variables = {
    HTTPS_PROXY: proxy.url,
    GATEWAY_URL: named(secure.url),
    GATEWAY_CA_FILE: ca,
    GATEWAY_CERT_FILE: file('service.crt', client.cert),
    GATEWAY_KEY_FILE: file('service.key', client.key),
    OPERATIONS_WEBHOOK_URL: named(webhook.url),
    OPERATIONS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 5).toString('base64')}`,
    WEBHOOK_CA_FILE: ca,
    WEBHOOK_PFX_FILE: file('service.p12', createPkcs12(client, 'hunter2')),
    WEBHOOK_PFX_PASSWORD_FILE: file('service.password', 'hunter2'),
  };
});
afterEach(async () => {
  await secure.stop();
  await webhook.stop();
  await proxy.stop();
});

it('gateway and operations webhook are reached through the proxy, with private authority and client certificate', async () => {
  await start(variables);
  await queue.enqueue([breach(1)]);
  await waitFor('the message', () => secure.received.length > 0);
  secure.password = 'another';
  await waitFor('the operational alert', () => webhook.received.length > 0);
  expect(webhook.received[0]?.caller).toBe('publisher');
  expect(new Set(proxy.tunnels)).toEqual(
    new Set([secure.url, webhook.url].map((url) => new URL(named(url)).host)),
  );
});
