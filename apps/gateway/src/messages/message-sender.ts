import { Inject, Injectable } from '@nestjs/common';
import type {
  Channel,
  Identity,
  SendMessage,
  SendMessageSuccess,
  VerifySignature,
  VerifySignatureSuccess,
} from '@ssb/bus';
import { InvalidPrivateKeyError, parsePrivateKey, type PrivateKey } from '@ssb/identity';
import { Metrics, SETTINGS } from '@ssb/platform';
import { BrokerClient } from '../broker/broker-client.js';
import { asOperation, unwell } from '../broker/broker-error.js';
import { checkSignature } from '../signatures/check-signature.js';
import { invalidPrivateKey, noPrivateKey } from '../http/gateway-exception.js';
import { requirePossibleNames } from '../events/events-query.js';
import { Balances } from '../identity/balance.service.js';
import { IdentityKeeper, type SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';

/** What document 002 promises, in its words; enrolment and reading have files of their own. Every method throws GatewayFailure. */
@Injectable()
export class Gateway {
  private readonly sent;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly keeper: IdentityKeeper,
    private readonly balances: Balances,
    private readonly broker: BrokerClient,
    metrics: Metrics,
  ) {
    this.sent = metrics.counter({
      name: 'gateway_messages_sent_total',
      help: 'Messages that clients wanted sent, by outcome: sent, or the error code',
      labelNames: ['outcome'],
    });
  }

  /** Signs a payload with the identity and posts it; a repeated transactionId gives the first message's id. */
  async send({ fqcn, topic, payload, transactionId }: SendMessage): Promise<SendMessageSuccess> {
    try {
      const id = await asOperation('send', () => {
        const identity = this.keeper.required();
        requirePossibleNames({ fqcn, topic });
        return this.broker.publish(identity, { fqcn, topic, payload, correlationId: transactionId });
      });
      this.sent.inc({ outcome: 'sent' });
      return { id };
    } catch (error) {
      this.sent.inc({ outcome: error instanceof Error && 'code' in error ? String(error.code) : 'failed' });
      throw error;
    }
  }

  /** Channels on which the identity has publisher or subscriber rights. */
  channels(): Promise<Channel[]> {
    return asOperation('channels', () => this.broker.channels(this.keeper.required()));
  }

  verify(request: VerifySignature): VerifySignatureSuccess {
    return checkSignature(request, this.settings.SIGNATURE_SCHEME, this.keeper.current());
  }

  async setIdentity(privateKey: string): Promise<Identity> {
    return this.shown(await this.keeper.replace(readPrivateKey(privateKey)));
  }

  async identity(): Promise<Identity> {
    const identity = this.keeper.current();
    if (identity === undefined) throw noPrivateKey();
    return this.shown(identity);
  }

  /** Resolves when the broker is reachable and well. */
  async health(): Promise<void> {
    const health = await asOperation('health', () => this.broker.health());
    if (health.status === 'error') throw unwell(health);
  }

  private async shown({ address, publicKey }: SigningIdentity): Promise<Identity> {
    return { address, publicKey, balance: await this.balances.of(address) };
  }
}

function readPrivateKey(text: string): PrivateKey {
  try {
    return parsePrivateKey(text);
  } catch (error) {
    if (error instanceof InvalidPrivateKeyError) throw invalidPrivateKey(error.message);
    throw error;
  }
}
