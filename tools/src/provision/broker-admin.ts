import { randomUUID } from 'node:crypto';
import { ROLE_DECISION_TYPE } from '@ssb/bus';
import { createIdentityToken, didOfKey, signJws, type PrivateKey } from '@ssb/identity';
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

export interface ChannelDefinition {
  readonly fqcn: string;
  readonly topics: readonly { readonly namespace: string; readonly schema: string }[];
  readonly publishers: readonly string[];
  readonly subscribers: readonly string[];
}

/** What the role issuer and owner of the channels does at the broker, by its HTTP contract. */
export class BrokerAdmin {
  private bearer: string | undefined;

  constructor(
    private readonly baseUrl: string,
    private readonly key: PrivateKey,
  ) {}

  /** Approves a DID's claim of a role, by a decision that the issuer signs. */
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

  /** Creates the channel, or brings an existing one to this definition. */
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
    if (this.bearer !== undefined) return this.bearer;
    const identityToken = createIdentityToken({ key: this.key, audience: BROKER_AUDIENCE, now: new Date() });
    const answer = (await this.request('POST', '/auth/login', { identityToken })) as { token: string };
    return (this.bearer = answer.token);
  }

  private async request(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const answer = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new BrokerAdminError(`${method} ${path}`, answer.status, text);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }
}
