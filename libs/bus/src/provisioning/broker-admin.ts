import { channel as channelSchema, type Channel } from '../gateway/channel.js';
import { loginSuccess } from '../broker/http-api.js';
import { roleState, type RoleState } from '../gateway/identity.js';
import { signRoleDecision, type RoleIssuer } from '../broker/role-decision.js';
import { ServerConnections, type ClientConnection, readResponse } from '@ssb/net';
import { createIdentityToken, didOfKey, lowerCaseAddress, type Did, type PrivateKey } from '@ssb/identity';
import { z } from 'zod';
import { mergeChannel, type ChannelDefinition } from './domain/channels.js';

/** The broker refused an administrator's request. */
export class BrokerAdminError extends Error {
  override readonly name = 'BrokerAdminError';

  constructor(
    readonly request: string,
    readonly status: number,
    readonly body: string,
  ) {
    super(`the broker responded to ${request} with ${status}: ${body}`);
  }
}

/** A response of the broker is not of the expected form, for example the page of a proxy. */
export class InvalidBrokerResponseError extends Error {
  override readonly name = 'InvalidBrokerResponseError';

  constructor(
    readonly request: string,
    reason: string,
  ) {
    super(`the broker sent an unexpected response to ${request}: ${reason}`);
  }
}

/** The broker did not respond. */
export class BrokerUnreachableError extends Error {
  override readonly name = 'BrokerUnreachableError';
}

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 16 * 1_048_576;
/** How often a channel is changed again because another client replaced the change. */
const MAX_CHANGES = 5;

/** Without its topics, the topics of others would be replaced. */
const existingChannel = channelSchema.required({ fqcn: true, topics: true });

const listedClaims = z.array(z.object({ did: z.string(), role: z.string(), state: roleState }));

export const DEFAULT_BROKER_AUDIENCE = 'urn:message-bus:broker';
export const DEFAULT_USER_ROLE = 'user.roles.messagebus.apps.bridge.iam.local';

export interface BrokerAdminOptions {
  readonly baseUrl: string;
  /** Key of a DID in ROLE_ISSUERS and CHANNEL_CREATORS of the broker. */
  readonly key: PrivateKey;
  /** BROKER_AUDIENCE of the broker. */
  readonly audience?: string;
  /** USER_ROLE of the broker. */
  readonly userRole?: string;
  /** DID_METHOD of the broker. */
  readonly didMethod?: string;
  readonly connection?: ClientConnection;
  /** Of one request. */
  readonly timeoutMs?: number;
}

/** A client of the broker's HTTP API for the role issuer, who also owns the channels. */
export class BrokerAdmin {
  readonly did: Did;
  private readonly server: URL;
  private readonly issuer: RoleIssuer;
  private accessToken: string | undefined;

  constructor(private readonly options: BrokerAdminOptions) {
    this.server = new URL(options.baseUrl);
    const { key, audience = DEFAULT_BROKER_AUDIENCE, didMethod: method } = options;
    this.issuer = { key, audience, form: { method } };
    this.did = didOfKey(key, { method });
  }

  /** Approves a DID's claim of a role with a signed decision. */
  async approve(did: string, role = this.options.userRole ?? DEFAULT_USER_ROLE): Promise<void> {
    const token = signRoleDecision(this.issuer, { did, role, decision: 'approve' });
    await this.request('POST', '/role/decision', { token });
  }

  /** The state of a DID's claim of a role. The broker lists claims in the order of their addresses. */
  async findRoleState(did: string, role = this.options.userRole ?? DEFAULT_USER_ROLE): Promise<RoleState> {
    const address = lowerCaseAddress(did);
    const before = `0x${(BigInt(address) - 1n).toString(16).padStart(40, '0')}`;
    const path = `/role/claims?after=${before}&identities=1`;
    const claims = parseResponse(listedClaims, `GET ${path}`, await this.authorizedRequest('GET', path));
    const claim = claims.find((each) => lowerCaseAddress(each.did) === address && each.role === role);
    return claim?.state ?? 'NO_CLAIM';
  }

  /**
   * Adds a subscriber to an existing channel. A channel that is open to every user stays open.
   * @throws BrokerAdminError with status 404 for an unknown channel
   */
  ensureSubscriber(fqcn: string, did: string): Promise<'updated' | 'unchanged'> {
    return this.extendChannel({ fqcn, topics: [], publishers: [], subscribers: [did] });
  }

  /**
   * Creates the channel, or adds what an existing one lacks. Its other topics and members stay. The broker replaces whole lists, so that a
   * change is read again and repeated if another client replaced it.
   */
  async ensureChannel(channel: ChannelDefinition): Promise<'created' | 'updated' | 'unchanged'> {
    try {
      await this.authorizedRequest('POST', '/channel', channel);
      return 'created';
    } catch (error) {
      if (!(error instanceof BrokerAdminError) || error.status !== 409) throw error;
    }
    return this.extendChannel(channel);
  }

  private async extendChannel(channel: ChannelDefinition): Promise<'updated' | 'unchanged'> {
    for (let changes = 0; ; changes += 1) {
      const change = mergeChannel(await this.readChannel(channel.fqcn), channel);
      if (change === undefined) return changes === 0 ? 'unchanged' : 'updated';
      if (changes === MAX_CHANGES)
        throw new InvalidBrokerResponseError(
          `GET /channel/${channel.fqcn}`,
          `it lacks what was added ${MAX_CHANGES} times; another client changes the channel`,
        );
      await this.authorizedRequest('PATCH', '/channel', change);
    }
  }

  /** @throws BrokerAdminError with status 404 for an unknown channel */
  async readChannel(fqcn: string): Promise<Channel> {
    const path = `/channel/${fqcn}`;
    return parseResponse(existingChannel, `GET ${path}`, await this.authorizedRequest('GET', path));
  }

  /** The broker may end a session earlier than its token says, so the client logs in again once. */
  private async authorizedRequest(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: unknown,
  ): Promise<unknown> {
    const send = async (): Promise<unknown> =>
      this.request(method, path, body, { authorization: `Bearer ${await this.login()}` });
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof BrokerAdminError) || error.status !== 401) throw error;
      this.accessToken = undefined;
      return send();
    }
  }

  private async login(): Promise<string> {
    if (this.accessToken !== undefined) return this.accessToken;
    const identityToken = createIdentityToken({ ...this.issuer, now: new Date() });
    const response = await this.request('POST', '/auth/login', { identityToken });
    this.accessToken = parseResponse(loginSuccess, 'POST /auth/login', response).token;
    return this.accessToken;
  }

  /** Each request has a connection of its own, because there are few. */
  private async request(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const { connection = {}, timeoutMs = REQUEST_TIMEOUT_MS } = this.options;
    const connections = new ServerConnections(this.server, connection, { connections: 1, timeoutMs });
    let status: number;
    let text: string;
    try {
      const response = await connections.request({
        method,
        path: this.server.pathname.replace(/\/+$/, '') + path,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      status = response.statusCode;
      text = String(await readResponse(response, MAX_RESPONSE_BYTES));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new BrokerUnreachableError(`no response from the broker at ${this.server.origin}: ${reason}`, {
        cause,
      });
    } finally {
      await connections.destroy();
    }
    if (status >= 300) throw new BrokerAdminError(`${method} ${path}`, status, text);
    if (text === '') return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new InvalidBrokerResponseError(`${method} ${path}`, 'the body is not JSON');
    }
  }
}

function parseResponse<T>(schema: z.ZodType<T>, request: string, response: unknown): T {
  const result = schema.safeParse(response);
  if (result.success) return result.data;
  throw new InvalidBrokerResponseError(request, z.prettifyError(result.error));
}
