import { checkServerIdentity, readBody } from '@ssb/net';
import { readCaFile } from '@ssb/platform';
import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from 'jose';
import { Agent, fetch } from 'undici';

/** The signing keys cannot be fetched, so no token can be verified at the moment. */
export class KeysUnreachableError extends Error {
  override readonly name = 'KeysUnreachableError';

  constructor(
    readonly url: string,
    cause: unknown,
  ) {
    super(
      `The signing keys at ${url} cannot be fetched: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}

const KEYS_TIMEOUT_MS = 3_000;
/** Enough for hundreds of keys with their certificates. */
const MAX_KEYS_BYTES = 256 * 1024;

/**
 * The signing keys of the token service. They are cached, and fetched again for an unknown key id.
 * @param caFile PEM file of the private authority that signed the server's certificate; public authorities when omitted
 * @throws KeysUnreachableError from the returned function
 */
export function remoteKeys(url: string, caFile: string | undefined): JWTVerifyGetKey {
  const dispatcher = new Agent({
    connect: { checkServerIdentity, ...(caFile !== undefined && { ca: readCaFile(caFile) }) },
  });
  const fetchKeys: FetchImplementation = async (address, { headers, signal }) => {
    try {
      const response = await fetch(address, {
        dispatcher,
        headers: Object.fromEntries(headers),
        signal,
        redirect: 'error',
      });
      if (!response.ok) throw new Error(`the response was ${response.status}`);
      const body = (response.body ?? []) as AsyncIterable<Uint8Array>;
      return new Response(await readBody(body, MAX_KEYS_BYTES), { status: 200 });
    } catch (error) {
      throw new KeysUnreachableError(url, error);
    }
  };
  return createRemoteJWKSet(new URL(url), { timeoutDuration: KEYS_TIMEOUT_MS, [customFetch]: fetchKeys });
}
