import { basicAuthorization } from '@ssb/bus';
import { request } from 'undici';
import { PASSWORD, USERNAME } from './running-gateway.js';

export interface CallResponse {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
}

/** One plain HTTP request; returns the response as it was sent. */
export async function call(
  server: { readonly url: string },
  method: 'GET' | 'POST',
  path: string,
  requestBody?: object,
  authorization = basicAuthorization(USERNAME, PASSWORD),
): Promise<CallResponse> {
  const { statusCode, headers, body } = await request(server.url + path, {
    method,
    headers: { authorization, ...(requestBody && { 'content-type': 'application/json' }) },
    ...(requestBody && { body: JSON.stringify(requestBody) }),
  });
  const text = await body.text();
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: statusCode, type: String(headers['content-type']), headers, text, body: parsed };
}
