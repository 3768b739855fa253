import {
  errorBody,
  loginSuccess,
  signRoleDecision,
  type RoleDecision,
  type RoleIssuer,
  type RoleState,
} from '@ssb/bus';
import { createIdentityToken, type Did } from '@ssb/identity';
import { z } from 'zod';
import type { ListedClaim } from '../role-state.js';

/** The broker did not respond, or refused the request. */
export class IssuerClientError extends Error {
  override readonly name = 'IssuerClientError';
}

const TIMEOUT_MS = 10_000;

const decidedRole = z.object({ did: z.string(), role: z.string(), state: z.string() });
export type DecidedRole = z.infer<typeof decidedRole>;

/** The entries come from our own broker, so only the list is validated. */
const listedClaims = z.array(z.custom<ListedClaim>());

interface BrokerResponse<T> {
  readonly content: T;
  /** The `link` header. */
  readonly link: string | null;
}

export interface IssuerOptions extends RoleIssuer {
  /** The broker's address. */
  readonly url: string;
}

/** The operations of an issuer at a running broker. Each method throws IssuerClientError. */
export class IssuerClient {
  constructor(private readonly options: IssuerOptions) {}

  /** All claims in a state, or in any state; reads every page. */
  async listClaims(state: RoleState | undefined): Promise<ListedClaim[]> {
    const identityToken = createIdentityToken({ ...this.options, now: new Date() });
    const login = await this.request('/auth/login', loginSuccess, { body: { identityToken } });
    const { token } = login.content;
    const claims: ListedClaim[] = [];
    let page: string | undefined = `/role/claims${state === undefined ? '' : `?state=${state}`}`;
    while (page !== undefined) {
      const { content, link }: BrokerResponse<ListedClaim[]> = await this.request(page, listedClaims, {
        token,
      });
      claims.push(...content);
      // The broker's form of a `Link` header (RFC 8288): one link, to the next page.
      page = /^<(\/[^>]*)>; rel="next"$/.exec(link ?? '')?.[1];
    }
    return claims;
  }

  async decide(decision: RoleDecision['decision'], did: Did, role: string): Promise<DecidedRole> {
    const token = signRoleDecision(this.options, { did, role, decision });
    return (await this.request('/role/decision', decidedRole, { body: { token } })).content;
  }

  /** POST with a body, else GET. */
  private async request<T>(
    path: string,
    schema: z.ZodType<T>,
    { body, token }: { body?: object; token?: string },
  ): Promise<BrokerResponse<T>> {
    const { url } = this.options;
    const { response, text } = await this.fetchText(path, body, token);
    const json = parseJson(text);
    if (response.ok) {
      const parsed = schema.safeParse(json);
      if (parsed.success) return { content: parsed.data, link: response.headers.get('link') };
      const missing = json === undefined ? 'JSON' : 'the expected JSON';
      throw new IssuerClientError(`${url} responded ${response.status} without ${missing}; is it a broker?`);
    }
    const refusal = errorBody.safeParse(json);
    if (!refusal.success) throw new IssuerClientError(`${url} responded ${response.status}; is it a broker?`);
    const { code, reason, additionalInformation } = refusal.data.err;
    const details = additionalInformation === undefined ? '' : ` ${JSON.stringify(additionalInformation)}`;
    throw new IssuerClientError(`${code}: ${reason}${details}`);
  }

  private async fetchText(path: string, body: object | undefined, token: string | undefined) {
    const { url } = this.options;
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(`${url}${path}`, { headers, signal, ...post });
    } catch (cause) {
      const message = `the broker at ${url} does not respond; --url names another address`;
      throw new IssuerClientError(message, { cause });
    }
    try {
      return { response, text: await response.text() };
    } catch (cause) {
      const message = `the response of the broker at ${url} did not arrive completely; run the command again`;
      throw new IssuerClientError(message, { cause });
    }
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
