import { errorBody, loginSuccess, type RoleState } from '@ssb/bus';
import { createIdentityToken, type DidForm, type PrivateKey } from '@ssb/identity';
import { z } from 'zod';
import type { ListedClaim } from '../domain/role-state.js';

/** The broker could not be asked, or said no. */
export class BrokerDoorError extends Error {
  override readonly name = 'BrokerDoorError';

  constructor(
    message: string,
    /** HTTP status of the answer; undefined when there was none. */
    readonly status: number | undefined,
    /** The broker's error code. */
    readonly code?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const TIMEOUT_MS = 10_000;

const decided = z.object({ did: z.string(), role: z.string(), state: z.string() });
export type Decided = z.infer<typeof decided>;

/** Who decides, and at which broker. */
export interface Issuer {
  readonly key: PrivateKey;
  /** What the broker calls itself. */
  readonly audience: string;
  /** How the issuer writes its DID. */
  readonly form: DidForm;
}

interface Answer {
  readonly answer: unknown;
  /** Path of the next page, where there is one. */
  readonly next: string | undefined;
}

/** What an issuer does at a running broker, over its HTTP contract. Each method throws BrokerDoorError. */
export class BrokerDoor {
  constructor(private readonly url: string) {}

  /** Every claim in a state, or in any, page after page. */
  async claims({ key, audience, form }: Issuer, state: RoleState | undefined): Promise<ListedClaim[]> {
    const identityToken = createIdentityToken({ key, audience, form, now: new Date() });
    const { token } = loginSuccess.parse(
      (await this.ask('POST', '/auth/login', { body: { identityToken } })).answer,
    );
    const claims: ListedClaim[] = [];
    let page: string | undefined = `/role/claims${state === undefined ? '' : `?state=${state}`}`;
    while (page !== undefined) {
      const { answer, next }: Answer = await this.ask('GET', page, { token });
      claims.push(...(answer as ListedClaim[]));
      page = next;
    }
    return claims;
  }

  /** Brings a signed decision. */
  async decide(token: string): Promise<Decided> {
    return decided.parse((await this.ask('POST', '/role/decision', { body: { token } })).answer);
  }

  private async ask(
    method: 'GET' | 'POST',
    path: string,
    { body, token }: { body?: object; token?: string },
  ): Promise<Answer> {
    const response = await this.send(method, path, body, token);
    const answer: unknown = await response.json().catch((cause: unknown) => {
      const message = `${this.url} answered ${response.status} without JSON; is it a broker?`;
      throw new BrokerDoorError(message, response.status, undefined, { cause });
    });
    if (response.ok) return { answer, next: nextPage(response.headers.get('link')) };
    const refusal = errorBody.safeParse(answer);
    if (!refusal.success) {
      throw new BrokerDoorError(`the broker answered with ${response.status}`, response.status);
    }
    const { code, reason, additionalInformation } = refusal.data.err;
    const more = additionalInformation === undefined ? '' : ` ${JSON.stringify(additionalInformation)}`;
    throw new BrokerDoorError(`${code}: ${reason}${more}`, response.status, code);
  }

  private async send(
    method: string,
    path: string,
    body: object | undefined,
    token: string | undefined,
  ): Promise<Response> {
    try {
      return await fetch(`${this.url}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      const message = `the broker at ${this.url} does not answer; --url names another address`;
      throw new BrokerDoorError(message, undefined, undefined, { cause });
    }
  }
}

/** The broker's own form of a `Link` (RFC 8288): one, to the next page. */
function nextPage(link: string | null): string | undefined {
  return /^<(\/[^>]*)>; rel="next"$/.exec(link ?? '')?.[1];
}
