import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccessFile } from '../access/access-file.js';
import type { Settings } from '../settings.js';
import { IssuerClient } from './issuer-client.js';

it('requests the metadata of an issuer that fails once in five seconds', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(500).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { OPENID_CONNECT_CLIENT_ID: 'console', CONSOLE_URL: 'https://bridge.example' } as Settings;
  const file = { current: () => ({ openIdConnect: { issuer } }) } as unknown as AccessFile;
  const client = new IssuerClient(file, {}, settings);
  const start = async (): Promise<void> => {
    const url = client.authorizationUrl(client.clientSettings!, { state: '', nonce: '', codeVerifier: '' });
    await expect(url).rejects.toMatchObject({
      reason: 'unavailable',
      message: 'the issuer responds 500',
    });
  };
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  try {
    await start();
    now.mockReturnValue(5_900);
    await start();
    expect(requests).toBe(1);
    now.mockReturnValue(6_100);
    await start();
    expect(requests).toBe(2);
  } finally {
    now.mockRestore();
    server.close();
    server.closeAllConnections();
  }
});
