import { withTimeout, type ClientConnection } from '@ssb/net';
import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isIssuerAddress, requestIssuer } from './issuer-request.js';

/** The signing keys of the issuer cannot be read, so no token can be verified at the moment. */
export class IssuerUnavailableError extends Error {
  override readonly name = 'IssuerUnavailableError';

  constructor(
    readonly issuer: string,
    cause: unknown,
  ) {
    super(`The signing keys of ${issuer} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

const KEYS_TIMEOUT_MS = 5_000;
/** An unknown key id makes the keys be read again, at most once in this time. */
const COOLDOWN_MS = 5_000;
const MAX_AGE_MS = 10 * 60_000;
/** How long known keys are used while the issuer does not respond. */
const MAX_STALE_MS = 60 * 60_000;

/**
 * The signing keys of an issuer, by its metadata (OpenID Connect Discovery, RFC 8414). They are kept, and read again for an unknown key id.
 * @throws IssuerUnavailableError from the returned function
 */
export function issuerKeys(issuer: string, connection: ClientConnection): JWTVerifyGetKey {
  let known: { readonly text: string; readonly readAt: number } | undefined;
  const fetchKeys: FetchImplementation = async () => {
    try {
      const text = await withTimeout(readKeys(issuer, connection), KEYS_TIMEOUT_MS);
      known = { text, readAt: performance.now() };
      return new Response(text);
    } catch (error) {
      if (known !== undefined && performance.now() - known.readAt < MAX_STALE_MS)
        return new Response(known.text);
      throw new IssuerUnavailableError(issuer, error);
    }
  };
  return createRemoteJWKSet(new URL(issuer), {
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: MAX_AGE_MS,
    timeoutDuration: 2 * KEYS_TIMEOUT_MS,
    [customFetch]: fetchKeys,
  });
}

const metadataSchema = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.string().refine(isIssuerAddress),
});

async function readKeys(issuer: string, connection: ClientConnection): Promise<string> {
  const metadata = metadataSchema.safeParse(JSON.parse(await readMetadata(issuer, connection)));
  if (!metadata.success) throw new Error('its metadata has no issuer or no jwks_uri with https://');
  // RFC 8414 §3.3: otherwise the keys could be those of another issuer.
  if (metadata.data.issuer !== issuer) throw new Error('its metadata names another issuer');
  const { status, body } = await requestIssuer(new URL(metadata.data.jwks_uri), connection);
  if (status !== 200) throw new Error(`the response with its keys was ${status}`);
  return body;
}

/** OpenID Connect appends the well-known path to the issuer, RFC 8414 puts it before the issuer's own path. */
async function readMetadata(issuer: string, connection: ClientConnection): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const first = await requestIssuer(new URL(`${origin}${path}/.well-known/openid-configuration`), connection);
  if (first.status === 200) return first.body;
  const second = await requestIssuer(
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    connection,
  );
  if (second.status === 200) return second.body;
  throw new Error(`the responses with its metadata were ${first.status} and ${second.status}`);
}
