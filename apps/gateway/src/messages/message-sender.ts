import { Inject, Injectable } from '@nestjs/common';
import type { SendMessage, SendMessageSuccess } from '@ssb/bus';
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
  private readonly sentCounter;
  private readonly waitingGauge;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly identities: IdentityService,
    private readonly broker: BrokerClient,
    metrics: Metrics,
  ) {
    this.sentCounter = metrics.counter({
      name: 'gateway_messages_sent_total',
      help: 'Messages that clients sent, by outcome: sent, or the error code',
      labelNames: ['outcome'],
    });
    this.waitingGauge = metrics.gauge({
      name: 'gateway_messages_waiting',
      help: 'Messages that are not yet in a request to the broker',
    });
  }

  /** @returns the id on the bus; a repeated transactionId returns the id of its first message. @throws GatewayException */
  async send({ fqcn, topic, payload, transactionId }: SendMessage): Promise<SendMessageSuccess> {
    try {
      const identity = this.identities.require();
      checkNameLengths({ fqcn, topic });
      const message = { fqcn, topic, payload, correlationId: transactionId };
      const id = await this.getBatcher(identity).send(message);
      this.sentCounter.inc({ outcome: 'sent' });
      return { id };
    } catch (cause) {
      const error = toGatewayException(cause, 'send');
      this.sentCounter.inc({
        outcome: error instanceof Error && 'code' in error ? String(error.code) : 'failed',
      });
      throw error;
    }
  }

  /** One batcher for each identity, because a request to the broker has one bearer token. */
  private getBatcher(identity: SigningIdentity): MessageBatcher {
    const existing = this.batchers.get(identity);
    if (existing) return existing;
    const batcher = new MessageBatcher(this.broker, identity, this.settings, this.waitingGauge);
    this.batchers.set(identity, batcher);
    return batcher;
  }
}
