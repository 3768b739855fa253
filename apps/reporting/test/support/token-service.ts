import { createServer } from 'node:http';
import { freePort } from '@ssb/dev/free-ports';
import { waitForClosedPort } from '@ssb/testing';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface TokenOptions {
  issuer?: string;
  audience?: string;
  type?: string;
  lifetimeSeconds?: number;
  claims?: Record<string, unknown>;
}

/** Signs tokens with its own key and serves the public key over HTTP on loopback. */
export interface TestTokenService {
  issuer: string;
  jwksUrl: string;
  sign(scope: string, options?: TokenOptions): Promise<string>;
  /** Stops serving `jwksUrl` until `reopen`. */
  close(): Promise<void>;
  reopen(): Promise<void>;
}

export const AUDIENCE = 'urn:settlement-bus-bridge:data-exchange';

export async function startTokenService(): Promise<TestTokenService> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256' }] });
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(jwks);
  });
  const port = await freePort();
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  await listen();
  const issuer = `http://127.0.0.1:${port}`;
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    sign: (scope, options = {}) =>
      new SignJWT({ scope, ...options.claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: options.type ?? 'at+jwt' })
        .setIssuer(options.issuer ?? issuer)
        .setAudience(options.audience ?? AUDIENCE)
        .setSubject('account')
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1000) + (options.lifetimeSeconds ?? 300))
        .sign(privateKey),
    reopen: listen,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await waitForClosedPort(port);
    },
  };
}
