import {
  HttpClient,
  isHttpAddress,
  type ClientConnection,
  type HttpRequest,
  type HttpResponse,
} from '@ssb/net';

const REQUEST_TIMEOUT_MS = 3_000;
const MAX_DOCUMENT_BYTES = 256 * 1024;

/** Whether an address of the issuer's metadata may be used: https://, or http:// on loopback. */
export const isIssuerAddress = (url: string): boolean =>
  isHttpAddress(url, { query: true, credentials: false, tls: true });

/**
 * Sends one request to the issuer, bounded in time and size.
 * @throws NoResponseError
 */
export async function requestIssuer(
  { origin, pathname, search }: URL,
  connection: ClientConnection,
  request: Omit<HttpRequest, 'path'> = { method: 'GET' },
): Promise<HttpResponse> {
  const client = new HttpClient({
    baseUrl: origin,
    connection,
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxBodyBytes: MAX_DOCUMENT_BYTES,
  });
  try {
    return await client.send({ ...request, path: `${pathname}${search}` });
  } finally {
    await client.close();
  }
}
