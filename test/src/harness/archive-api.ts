import { readFileSync } from 'node:fs';
import type { System } from '@ssb/tools';

/** The settings of `busbridge` for the archive API of the system, with a token that may do everything. */
export const apiOf = ({ plan: { ports, secrets } }: System) => ({
  BUSBRIDGE_URL: `http://127.0.0.1:${ports.api}`,
  BUSBRIDGE_TOKEN_FILE: secrets.apiAccess.tokenFile,
});

/**
 * A request to the archive API of the system.
 * @param body of a POST; without it, a GET
 * @param token by default one that may do everything
 */
export async function requestApi<T>(
  { plan: { ports, secrets } }: System,
  path: string,
  body?: object,
  token = readFileSync(secrets.apiAccess.tokenFile, 'utf8').trim(),
): Promise<{ readonly status: number; readonly body: T }> {
  const response = await fetch(`http://127.0.0.1:${ports.api}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}
