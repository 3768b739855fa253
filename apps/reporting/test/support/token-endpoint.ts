import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TokenSource } from '@ssb/market';
import type { TestTokenService } from './token-service.js';

/** A token source with an HTTP endpoint that gives every client the same scopes. */
export interface TestTokens {
  source: TokenSource;
  close(): Promise<void>;
}

export async function startTokenEndpoint(tokens: TestTokenService, scope: string): Promise<TestTokens> {
  const server = createServer((_request, response) => {
    void tokens.sign(scope).then((token) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 300, scope }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const source = new TokenSource({
    authUrl: `http://127.0.0.1:${port}`,
    clientId: 'account',
    clientSecret: 'secret',
  });
  return {
    source,
    close: async () => {
      await source.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
