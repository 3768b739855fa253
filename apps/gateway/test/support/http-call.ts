import { basicAuthorization } from '@ssb/bus';
import { request } from 'undici';
import { PASSWORD, USERNAME } from './running-gateway.js';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
}

/** One request by HTTP alone, so that an answer is seen as it stands on the wire. */
export async function call(
  at: { readonly url: string },
  method: 'GET' | 'POST',
  path: string,
  sent?: object,
  authorization = basicAuthorization(USERNAME, PASSWORD),
): Promise<Answer> {
  const { statusCode, headers, body } = await request(at.url + path, {
    method,
    headers: { authorization, ...(sent && { 'content-type': 'application/json' }) },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  const text = await body.text();
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: statusCode, type: String(headers['content-type']), headers, text, body: parsed };
}
