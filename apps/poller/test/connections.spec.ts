import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '@ssb/dev/certificates';
import { createPkcs12 } from '@ssb/testing/in-process';
import { startConnectProxy, waitFor } from '@ssb/testing';
import { FakeMarket } from './support/fake-market.js';
import { folder, setUpPollerTests, start } from './support/running-poller.js';

setUpPollerTests();

it('token service and both interfaces are reached through the proxy, with private authority and certificates', async () => {
  // Only the proxy resolves it.
  const host = 'market.test';
  const authority = await createAuthority({ name: 'Private authority', now: new Date() });
  const own = await authority.issue({ commonName: host, hosts: [host] });
  // Requests without a certificate of this authority are refused, those to the token service too.
  const strict = await FakeMarket.start({ ...own, ca: authority.cert });
  const proxy = await startConnectProxy();
  const client = await authority.issue({ commonName: 'PART1', usage: 'client' });
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const url = strict.url.replace('127.0.0.1', host);
  const ca = file('market-ca.crt', authority.cert);
  const [cert, key] = [file('market.crt', client.cert), file('market.key', client.key)];
  try {
    await start({
      HTTPS_PROXY: proxy.url,
      TOKEN_URL: url,
      TOKEN_CA_FILE: ca,
      TOKEN_CERT_FILE: cert,
      TOKEN_KEY_FILE: key,
      PRUDENTIAL_URL: url,
      SETTLEMENT_URL: url,
      REPORTING_CA_FILE: ca,
      CLIENT_CERT_FILE: cert,
      CLIENT_KEY_FILE: key,
      SETTLEMENT_PFX_FILE: file('market.p12', createPkcs12(client, 'hunter2')),
      SETTLEMENT_PFX_PASSWORD_FILE: file('market.password', 'hunter2\n'),
    });
    await waitFor('requests to both interfaces', () =>
      ['prudential', 'settlements'].every((name) => strict.requests.some((path) => path.includes(name))),
    );
    expect(new Set(strict.callers)).toEqual(new Set(['PART1']));
    // The token service, and each interface with its own connections.
    expect(proxy.tunnels.length).toBeGreaterThanOrEqual(3);
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(url).host]));
  } finally {
    await strict.stop();
    await proxy.stop();
  }
});
