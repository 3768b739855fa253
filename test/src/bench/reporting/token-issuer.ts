import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const AUDIENCE = 'urn:settlement-bus-bridge:data-exchange';

/** Signs access tokens (RFC 9068) and publishes the key, in place of the token service. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Signs a token that is valid for one day. @param scope scopes, separated by spaces */
  sign(scope: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256' }] });
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(jwks);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    jwksUrl: `${issuer}/jwks.json`,
    sign: (scope) =>
      new SignJWT({ client_id: 'bench', scope })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
        .setIssuer(issuer)
        .setSubject('bench')
        .setAudience(AUDIENCE)
        .setIssuedAt()
        .setExpirationTime('1d')
        .setJti('bench')
        .sign(privateKey),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
