import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, createAuthority } from '@ssb/dev/certificates';
import { createPkcs12 } from '@ssb/testing/in-process';
import { type ConnectProxy, startConnectProxy, waitFor } from '@ssb/testing';
import { FakeMarket } from './support/fake-market.js';
import { folder, setUpPollerTests, start } from './support/running-poller.js';

setUpPollerTests();

/** Only the proxy resolves it. */
const HOST = 'market.test';
let authority: Authority;
let strict: FakeMarket;
let proxy: ConnectProxy;
let variables: Record<string, string>;

beforeAll(async () => {
  authority = await createAuthority({ name: 'Private authority', now: new Date() });
});
beforeEach(async () => {
  const own = await authority.issue({ commonName: HOST, hosts: [HOST] });
  // Requests without a certificate of this authority are refused, those to the token service too.
  strict = await FakeMarket.start({ ...own, ca: authority.cert });
  proxy = await startConnectProxy();
  const client = await authority.issue({ commonName: 'PART1', usage: 'client' });
  const files = {
    'market-ca.crt': authority.cert,
    'market.crt': client.cert,
    'market.key': client.key,
    'market.p12': createPkcs12(client, 'hunter2'),
    'market.password': 'hunter2\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const url = strict.url.replace('127.0.0.1', HOST);
  variables = {
    HTTPS_PROXY: proxy.url,
    TOKEN_URL: url,
    TOKEN_CA_FILE: join(folder, 'market-ca.crt'),
    TOKEN_CERT_FILE: join(folder, 'market.crt'),
    TOKEN_KEY_FILE: join(folder, 'market.key'),
    PRUDENTIAL_URL: url,
    SETTLEMENT_URL: url,
    REPORTING_CA_FILE: join(folder, 'market-ca.crt'),
    CLIENT_CERT_FILE: join(folder, 'market.crt'),
    CLIENT_KEY_FILE: join(folder, 'market.key'),
    SETTLEMENT_PFX_FILE: join(folder, 'market.p12'),
    SETTLEMENT_PFX_PASSWORD_FILE: join(folder, 'market.password'),
  };
});
afterEach(async () => {
  await strict.stop();
  await proxy.stop();
});

it('token service and both interfaces are reached through the proxy, with private authority and certificates', async () => {
  await start(variables);
  await waitFor('requests to both interfaces', () =>
    ['prudential', 'settlements'].every((name) => strict.requests.some((path) => path.includes(name))),
  );
  expect(new Set(strict.callers)).toEqual(new Set(['PART1']));
  // The token service, and each interface with its own connections.
  expect(proxy.tunnels.length).toBeGreaterThanOrEqual(3);
  expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(variables['TOKEN_URL'] ?? '').host]));
});
