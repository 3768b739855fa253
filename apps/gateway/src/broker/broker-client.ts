import { Injectable } from '@nestjs/common';
import {
  brokerHealth,
  busMessages,
  channels,
  didDocument,
  errorKind,
  GAP_HEADER,
  MORE_HEADER,
  readGapHeader,
  readMoreHeader,
  roleClaim,
  roleClaims,
  type BrokerHealth,
  type Channel,
  type Gap,
  type Message,
  type ReadAcknowledgement,
  type RoleClaim,
} from '@ssb/bus';
import type { ZodType } from 'zod';
import type { SigningIdentity } from '../identity/identity.service.js';
import { BrokerError } from './broker-error.js';
import {
  BrokerHttp,
  getErrorDetail,
  parseResponse,
  type BrokerRequest,
  type BrokerResponse,
} from './broker-http.js';
import { BrokerSession } from './broker-session.js';
import { toMessage } from './to-message.js';

export interface ReadQuery {
  readonly fqcn: string;
  readonly amount?: number;
  readonly from?: Date;
  readonly clientId?: string;
}

/** One page of a channel's messages. */
export interface MessagePage {
  readonly messages: readonly Message[];
  /** Messages that retention removed before the client read them. */
  readonly gap: Gap | undefined;
  /** Whether the channel has more messages. */
  readonly more: boolean;
}

/** The broker's HTTP interface. Every method throws BrokerError. */
@Injectable()
export class BrokerClient {
  constructor(
    private readonly http: BrokerHttp,
    private readonly session: BrokerSession,
  ) {}

  /** Reads messages of a channel. The client's offset moves only when they are acknowledged. */
  async readMessages(
    identity: SigningIdentity,
    { fqcn, amount, from, clientId }: ReadQuery,
  ): Promise<MessagePage> {
    const query = new URLSearchParams({ fqcn });
    if (amount !== undefined) query.set('amount', String(amount));
    if (from === undefined) query.set('move', 'false');
    else query.set('from', from.toISOString());
    if (clientId !== undefined) query.set('clientId', clientId);
    const path = `/message?${query.toString()}`;
    const response = await this.requestAuthenticated(identity, { method: 'GET', path });
    return {
      messages: parseResponse(response, busMessages).map(toMessage),
      gap: readGapHeader(response.headers[GAP_HEADER]),
      more: readMoreHeader(response.headers[MORE_HEADER]),
    };
  }

  /** Acknowledges a channel's messages up to an id for this client; idempotent. Shutdown waits for it. */
  async acknowledge(identity: SigningIdentity, body: ReadAcknowledgement): Promise<void> {
    const request = { method: 'POST', path: '/message/acknowledgement', body } as const;
    await this.http.finishBeforeShutdown(this.requestAuthenticated(identity, request));
  }

  /** Channels on which the identity has publisher or subscriber rights. */
  listChannels(identity: SigningIdentity): Promise<Channel[]> {
    return this.call(identity, { method: 'GET', path: '/channel/pubsub' }, channels);
  }

  /** Requests a role; idempotent. */
  claimRole(identity: SigningIdentity, role: string): Promise<RoleClaim> {
    return this.call(identity, { method: 'POST', path: '/role/claim', body: { role } }, roleClaim);
  }

  /** The identity's own claims. */
  listClaims(identity: SigningIdentity): Promise<RoleClaim[]> {
    return this.call(identity, { method: 'GET', path: '/role/claim' }, roleClaims);
  }

  /** Adds an approved claim, as the issuer signed it, to the identity's own DID document; idempotent. */
  async addClaimToDidDocument(identity: SigningIdentity, token: string): Promise<void> {
    await this.call(identity, { method: 'POST', path: '/did/claim', body: { token } }, didDocument);
  }

  async getHealth(): Promise<BrokerHealth> {
    // An unhealthy broker may respond with any status, so only the body is read.
    return parseResponse(await this.http.request({ method: 'GET', path: '/health' }), brokerHealth);
  }

  /** @returns the body of the response, which matches the schema */
  async call<T>(identity: SigningIdentity, request: BrokerRequest, schema: ZodType<T>): Promise<T> {
    return parseResponse(await this.requestAuthenticated(identity, request), schema);
  }

  /** Logs in again once when the broker refuses the bearer token. One deadline bounds all requests. */
  private async requestAuthenticated(
    identity: SigningIdentity,
    request: BrokerRequest,
  ): Promise<BrokerResponse> {
    const deadline = request.deadline ?? this.http.getDeadline();
    const token = await this.http.waitUntil(deadline, this.session.getToken(identity));
    let response = await this.http.request({ ...request, deadline, token });
    if (isTokenRefused(response)) {
      await this.http.waitUntil(deadline, this.session.invalidate(token));
      const newToken = await this.http.waitUntil(deadline, this.session.getToken(identity));
      response = await this.http.request({ ...request, deadline, token: newToken });
    }
    if (response.status >= 200 && response.status < 300) return response;
    throw new BrokerError({ kind: 'refused', status: response.status, err: getErrorDetail(response) });
  }
}

/** 401 also means a missing right on a channel (document 002, authentication rule 3), which a new login does not change. */
function isTokenRefused(response: BrokerResponse): boolean {
  return (
    response.status === 401 && errorKind(getErrorDetail(response)?.code ?? '') !== 'CHANNEL_UNAUTHORIZED'
  );
}
