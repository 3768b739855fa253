import { Inject, Injectable } from '@nestjs/common';
import type { SendMessage, SendMessageSuccess } from '@ssb/bus';
import { signMessage } from '@ssb/identity';
import { Metrics, SETTINGS } from '@ssb/platform';
import { BrokerClient } from '../broker/broker-client.js';
import { toGatewayException } from '../broker/broker-error.js';
import { IdentityService, type SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { checkNameLengths } from './bus-names.js';
import { MessageBatcher } from './message-batcher.js';

/** Sends messages of REST and WebSocket clients to the broker, signed with the gateway's identity. */
@Injectable()
export class MessageSender {
  private readonly batchers = new WeakMap<SigningIdentity, MessageBatcher>();
  private readonly sent;
  private readonly waiting;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly identities: IdentityService,
    private readonly broker: BrokerClient,
    metrics: Metrics,
  ) {
    this.sent = metrics.counter({
      name: 'gateway_messages_sent_total',
      help: 'Messages that clients sent, by outcome: sent, or the error code',
      labelNames: ['outcome'],
    });
    this.waiting = metrics.gauge({
      name: 'gateway_messages_waiting',
      help: 'Messages that wait for a request to the broker',
    });
  }

  /** @returns the id on the bus; of the first message when a transactionId is repeated. @throws GatewayException */
  async send({ fqcn, topic, payload, transactionId }: SendMessage): Promise<SendMessageSuccess> {
    try {
      const identity = this.identities.require();
      checkNameLengths({ fqcn, topic });
      const message = { fqcn, topic, payload, correlationId: transactionId };
      const id = await this.getBatcher(identity).send(message);
      this.sent.inc({ outcome: 'sent' });
      return { id };
    } catch (cause) {
      const error = toGatewayException(cause, 'send');
      this.sent.inc({ outcome: error instanceof Error && 'code' in error ? String(error.code) : 'failed' });
      throw error;
    }
  }

  /** One batcher for each identity, because a request to the broker has one bearer token. */
  private getBatcher(identity: SigningIdentity): MessageBatcher {
    const existing = this.batchers.get(identity);
    if (existing) return existing;
    const { SIGNATURE_SCHEME, BROKER_TIMEOUT_MS } = this.settings;
    const sign = (payload: string): string => signMessage(payload, identity.key, SIGNATURE_SCHEME);
    const batcher = new MessageBatcher(this.broker, identity, sign, BROKER_TIMEOUT_MS, this.waiting);
    this.batchers.set(identity, batcher);
    return batcher;
  }
}
