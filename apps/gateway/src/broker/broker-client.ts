import { Inject, Injectable } from '@nestjs/common';
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
  type BusMessage,
  type Channel,
  type Gap,
  type ReadAcknowledgement,
  type RoleClaim,
} from '@ssb/bus';
import { signMessage } from '@ssb/identity';
import { Metrics, SETTINGS } from '@ssb/platform';
import type { ZodType } from 'zod';
import { BrokerError } from './broker-error.js';
import type { ReadQuery } from '../events/events-query.js';
import type { SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { BrokerHttp, errorOf, read, type BrokerAnswer, type BrokerCall } from './broker-http.js';
import { BrokerSession } from './broker-session.js';
import { MessagePost, OutgoingMessages, type OutgoingMessage } from '../messages/message-batcher.js';

/** What the broker gives at once of a channel. */
export interface Page {
  readonly messages: readonly BusMessage[];
  readonly gap: Gap | undefined;
  /** There are further messages. */
  readonly more: boolean;
}

/** What the gateway asks of the broker. Every method throws BrokerError when the broker does not do it. */
@Injectable()
export class BrokerClient {
  private readonly outgoing = new WeakMap<SigningIdentity, OutgoingMessages>();
  private readonly waiting;

  constructor(
    private readonly http: BrokerHttp,
    private readonly session: BrokerSession,
    @Inject(SETTINGS) private readonly settings: Settings,
    metrics: Metrics,
  ) {
    this.waiting = metrics.gauge({
      name: 'gateway_messages_waiting',
      help: 'Messages that wait until a request to the broker takes them along',
    });
  }

  /**
   * Signs a message with the identity and posts it. Messages that are sent while requests are under way travel together.
   * @returns the message's id on the bus; for a repeated correlationId the first one's
   */
  publish(identity: SigningIdentity, message: OutgoingMessage): Promise<string> {
    return this.outgoingOf(identity).send(message);
  }

  /** Messages of a channel, and whether retention took some before the client had them. They count as had once they are acknowledged. */
  async messages(identity: SigningIdentity, { fqcn, amount, from, clientId }: ReadQuery): Promise<Page> {
    const query = new URLSearchParams({ fqcn });
    if (amount !== undefined) query.set('amount', String(amount));
    if (from === undefined) query.set('move', 'false');
    else query.set('from', from);
    if (clientId !== undefined) query.set('clientId', clientId);
    const answer = await this.done(identity, { method: 'GET', path: `/message?${query.toString()}` });
    return {
      messages: read(answer, busMessages),
      gap: readGapHeader(answer.headers[GAP_HEADER]),
      more: readMoreHeader(answer.headers[MORE_HEADER]),
    };
  }

  /** Counts a channel's messages as had by this client, up to an id; harmless when repeated. Goes on while the gateway stops. */
  async acknowledge(identity: SigningIdentity, body: ReadAcknowledgement): Promise<void> {
    await this.http.hold(this.done(identity, { method: 'POST', path: '/message/acknowledgement', body }));
  }

  /** Channels on which the identity has publisher or subscriber rights. */
  channels(identity: SigningIdentity): Promise<Channel[]> {
    return this.call(identity, { method: 'GET', path: '/channel/pubsub' }, channels);
  }

  /** Asks for a role; harmless when repeated. */
  claim(identity: SigningIdentity, role: string): Promise<RoleClaim> {
    return this.call(identity, { method: 'POST', path: '/role/claim', body: { role } }, roleClaim);
  }

  /** The identity's own claims. */
  claims(identity: SigningIdentity): Promise<RoleClaim[]> {
    return this.call(identity, { method: 'GET', path: '/role/claim' }, roleClaims);
  }

  /** Puts an approved claim, as the issuer signed it, into the identity's own DID document; harmless when repeated. */
  async addToDocument(identity: SigningIdentity, token: string): Promise<void> {
    await this.call(identity, { method: 'POST', path: '/did/claim', body: { token } }, didDocument);
  }

  async health(): Promise<BrokerHealth> {
    // A broker with issues may say so with a status of its own: the body counts.
    return read(await this.http.exchange({ method: 'GET', path: '/health' }), brokerHealth);
  }

  /** A request has one bearer token and so the messages of one identity. */
  private outgoingOf(identity: SigningIdentity): OutgoingMessages {
    const known = this.outgoing.get(identity);
    if (known) return known;
    const post = new MessagePost((call, schema) => this.call(identity, call, schema));
    const { BROKER_TIMEOUT_MS, SIGNATURE_SCHEME } = this.settings;
    const sign = (payload: string): string => signMessage(payload, identity.key, SIGNATURE_SCHEME);
    const outgoing = new OutgoingMessages(post, sign, BROKER_TIMEOUT_MS, this.waiting);
    this.outgoing.set(identity, outgoing);
    return outgoing;
  }

  private async call<T>(identity: SigningIdentity, call: BrokerCall, schema: ZodType<T>): Promise<T> {
    return read(await this.done(identity, call), schema);
  }

  /** Calls with a bearer token; once more with a fresh one when the broker no longer takes it. One deadline holds for all of it. */
  private async done(identity: SigningIdentity, call: BrokerCall): Promise<BrokerAnswer> {
    const deadline = call.deadline ?? this.http.deadline();
    const token = await this.token(identity, deadline);
    let answer = await this.http.exchange({ ...call, deadline, token });
    if (wantsLogin(answer)) {
      await this.http.before(deadline, this.session.forget(token));
      answer = await this.http.exchange({
        ...call,
        deadline,
        token: await this.token(identity, deadline),
      });
    }
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new BrokerError({ kind: 'refused', status: answer.status, err: errorOf(answer) });
  }

  /** A login is shared by all who wait for it, and each of them waits as long as it may. */
  private token(identity: SigningIdentity, deadline: number): Promise<string> {
    return this.http.before(deadline, this.session.token(identity));
  }
}

/** 401 is also the answer to a missing right on a channel (document 002, authentication rule 3): no login helps there. */
function wantsLogin(answer: BrokerAnswer): boolean {
  return answer.status === 401 && errorKind(errorOf(answer)?.code ?? '') !== 'CHANNEL_UNAUTHORIZED';
}
