import { ROLE_DECISION_TYPE } from '@ssb/bus';
import { createIdentityToken, didOfKey, type PrivateKey, signJws } from '@ssb/identity';
import { randomUUID } from 'node:crypto';
import { BROKER_AUDIENCE } from '../system/environments.js';

/** The broker refused an administrator's request. */
export class BrokerAdminError extends Error {
  override readonly name = 'BrokerAdminError';

  constructor(
    readonly request: string,
    readonly status: number,
    readonly body: string,
  ) {
    super(`the broker answered ${request} with ${status}: ${body}`);
  }
}

const REQUEST_TIMEOUT_MS = 10_000;

export interface ChannelDefinition {
  readonly fqcn: string;
  readonly topics: readonly { readonly namespace: string; readonly schema: string }[];
  readonly publishers: readonly string[];
  readonly subscribers: readonly string[];
  /** Largest payload, bytes; the default of the broker when undefined. */
  readonly maxMsgSize?: number;
}

/** A client of the broker's HTTP API for the role issuer, who also owns the channels. */
export class BrokerAdmin {
  private accessToken: string | undefined;

  constructor(
    private readonly baseUrl: string,
    private readonly key: PrivateKey,
  ) {}

  /** Approves a DID's claim of a role with a signed decision. */
  async approve(did: string, role: string): Promise<void> {
    const iat = Math.floor(Date.now() / 1000);
    const decision = {
      iss: didOfKey(this.key),
      aud: BROKER_AUDIENCE,
      iat,
      exp: iat + 60,
      jti: randomUUID(),
      did,
      role,
      decision: 'approve',
    };
    await this.request('POST', '/role/decision', {
      token: signJws(JSON.stringify(decision), this.key, { typ: ROLE_DECISION_TYPE }),
    });
  }

  /** Creates the channel, or updates an existing one. */
  async ensureChannel(channel: ChannelDefinition): Promise<void> {
    const authorization = { authorization: `Bearer ${await this.login()}` };
    try {
      await this.request('POST', '/channel', channel, authorization);
    } catch (error) {
      if (!(error instanceof BrokerAdminError) || error.status !== 409) throw error;
      await this.request('PATCH', '/channel', channel, authorization);
    }
  }

  private async login(): Promise<string> {
    if (this.accessToken !== undefined) return this.accessToken;
    const identityToken = createIdentityToken({ key: this.key, audience: BROKER_AUDIENCE, now: new Date() });
    const response = (await this.request('POST', '/auth/login', { identityToken })) as { token: string };
    return (this.accessToken = response.token);
  }

  private async request(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new BrokerAdminError(`${method} ${path}`, response.status, text);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }
}
