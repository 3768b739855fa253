import { randomUUID } from 'node:crypto';
import { errorBody, loginSuccess, ROLE_DECISION_TYPE, type RoleDecision, type RoleState } from '@ssb/bus';
import {
  createIdentityToken,
  didOfKey,
  signJws,
  type Did,
  type DidForm,
  type PrivateKey,
} from '@ssb/identity';
import { z } from 'zod';
import type { ListedClaim } from '../role-state.js';

/** The broker did not answer, or refused. */
export class IssuerClientError extends Error {
  override readonly name = 'IssuerClientError';
}

const TIMEOUT_MS = 10_000;

/** Seconds that a decision may take to the broker. */
const DECISION_LIFETIME_S = 60;

const decided = z.object({ did: z.string(), role: z.string(), state: z.string() });
export type Decided = z.infer<typeof decided>;

/** The broker's own claims, so only the list is validated. */
const listedClaims = z.array(z.custom<ListedClaim>());

interface Answer<T> {
  readonly content: T;
  /** The `link` header. */
  readonly link: string | null;
}

export interface Issuer {
  /** The broker's address. */
  readonly url: string;
  readonly key: PrivateKey;
  /** What the broker calls itself. */
  readonly audience: string;
  /** How the issuer writes its DID. */
  readonly form: DidForm;
}

/** What an issuer does at a running broker, over its HTTP contract. Each method throws IssuerClientError. */
export class IssuerClient {
  constructor(private readonly issuer: Issuer) {}

  /** Every claim in a state, or in any, page after page. */
  async claims(state: RoleState | undefined): Promise<ListedClaim[]> {
    const identityToken = createIdentityToken({ ...this.issuer, now: new Date() });
    const login = await this.request('/auth/login', loginSuccess, { body: { identityToken } });
    const { token } = login.content;
    const claims: ListedClaim[] = [];
    let page: string | undefined = `/role/claims${state === undefined ? '' : `?state=${state}`}`;
    while (page !== undefined) {
      const { content, link }: Answer<ListedClaim[]> = await this.request(page, listedClaims, { token });
      claims.push(...content);
      // The broker's own form of a `Link` (RFC 8288): one, to the next page.
      page = /^<(\/[^>]*)>; rel="next"$/.exec(link ?? '')?.[1];
    }
    return claims;
  }

  /** Sends a decision, signed as a compact JWS (ES256K) that is good for a minute and one use. */
  async decide(decision: RoleDecision['decision'], did: Did, role: string): Promise<Decided> {
    const { key, audience, form } = this.issuer;
    const iat = Math.floor(Date.now() / 1000);
    const claims: RoleDecision = {
      iss: didOfKey(key, form),
      aud: audience,
      iat,
      exp: iat + DECISION_LIFETIME_S,
      jti: randomUUID(),
      did,
      role,
      decision,
    };
    const token = signJws(JSON.stringify(claims), key, { typ: ROLE_DECISION_TYPE }, form);
    return (await this.request('/role/decision', decided, { body: { token } })).content;
  }

  /** POST with a body, else GET. */
  private async request<T>(
    path: string,
    schema: z.ZodType<T>,
    { body, token }: { body?: object; token?: string },
  ): Promise<Answer<T>> {
    const { url } = this.issuer;
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const sent = body && { method: 'POST', body: JSON.stringify(body) };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${url}${path}`, { headers, signal, ...sent }).catch((cause: unknown) => {
      const message = `the broker at ${url} does not answer; --url names another address`;
      throw new IssuerClientError(message, { cause });
    });
    const text = await response.text().catch((cause: unknown) => {
      const message = `the answer of the broker at ${url} did not arrive completely; run the command again`;
      throw new IssuerClientError(message, { cause });
    });
    const json = parseJson(text);
    if (response.ok) {
      const answer = schema.safeParse(json);
      if (answer.success) return { content: answer.data, link: response.headers.get('link') };
      const missing = json === undefined ? 'JSON' : 'the expected JSON';
      throw new IssuerClientError(`${url} answered ${response.status} without ${missing}; is it a broker?`);
    }
    const refusal = errorBody.safeParse(json);
    if (!refusal.success) throw new IssuerClientError(`${url} answered ${response.status}; is it a broker?`);
    const { code, reason, additionalInformation } = refusal.data.err;
    const more = additionalInformation === undefined ? '' : ` ${JSON.stringify(additionalInformation)}`;
    throw new IssuerClientError(`${code}: ${reason}${more}`);
  }
}

/** Undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
