import { Inject, Injectable } from '@nestjs/common';
import type { SendMessage, SendMessageSuccess } from '@ssb/bus';
import { Metrics, SETTINGS, startSpan } from '@ssb/platform';
import { BrokerClient } from '../broker/broker-client.js';
import { toGatewayException } from '../broker/broker-error.js';
import { IdentityService, type SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { checkNameLengths } from './bus-names.js';
import { MessageBatcher } from './message-batcher.js';
import { METRICS } from '../metrics.js';

/** Sends messages of REST and WebSocket clients to the broker, signed with the gateway's identity. */
@Injectable()
export class MessageSender {
  private readonly batchers = new WeakMap<SigningIdentity, MessageBatcher>();
  private readonly sentCounter;
  private readonly waitingGauge;
  private readonly postHistogram;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly identities: IdentityService,
    private readonly broker: BrokerClient,
    metrics: Metrics,
  ) {
    this.sentCounter = metrics.counter(METRICS.sent);
    this.waitingGauge = metrics.gauge(METRICS.waiting);
    this.postHistogram = metrics.histogram(METRICS.brokerPost);
  }

  /**
   * @param parent the client's `traceparent`
   * @returns the id on the bus; a repeated transactionId returns the id of its first message
   * @throws GatewayException
   */
  async send(
    { fqcn, topic, payload, transactionId }: SendMessage,
    parent?: string,
  ): Promise<SendMessageSuccess> {
    const attributes = { channel: fqcn, topic };
    const span = startSpan('message send', { kind: 'server', parent, attributes });
    try {
      const identity = this.identities.require();
      checkNameLengths({ fqcn, topic });
      const { traceparent } = span;
      const message = { fqcn, topic, payload, correlationId: transactionId, traceparent };
      const id = await this.getBatcher(identity).send(message);
      this.sentCounter.inc({ outcome: 'sent' });
      span.succeed('sent', { messageId: id });
      return { id };
    } catch (cause) {
      const error = toGatewayException(cause, 'send');
      const outcome = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
      this.sentCounter.inc({ outcome });
      span.fail(outcome);
      throw error;
    }
  }

  /** One batcher for each identity, because a request to the broker has one bearer token. */
  private getBatcher(identity: SigningIdentity): MessageBatcher {
    const existing = this.batchers.get(identity);
    if (existing) return existing;
    const metrics = { waiting: this.waitingGauge, postSeconds: this.postHistogram };
    const batcher = new MessageBatcher(this.broker, identity, this.settings, metrics);
    this.batchers.set(identity, batcher);
    return batcher;
  }
}
