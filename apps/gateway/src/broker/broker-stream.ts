import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  streamFrame,
  type ReconnectingWebSocket,
  type RoleClaim,
  type StreamFrame,
  type StreamRequest,
} from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { IdentityService, type SigningIdentity } from '../identity/identity.service.js';
import { parseJson } from '../parse-json.js';
import type { Settings } from '../settings.js';
import { BrokerTls } from '../tls/client-tls.js';
import { BrokerSession } from './broker-session.js';
import { openBrokerSocket } from './broker-socket.js';
import {
  BrokerSubscription,
  type SubscriptionHandle,
  type SubscriptionHandler,
  type SubscriptionOptions,
} from './broker-subscription.js';
import { toMessage } from './to-message.js';
import { METRICS } from '../metrics.js';

/** All subscriptions of the gateway on one WebSocket to the broker. Every new connection requests them again. */
@Injectable()
export class BrokerStream implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly subscriptions = new Map<string, BrokerSubscription>();
  private readonly claimListeners: ((claim: RoleClaim) => void)[] = [];
  private readonly openListeners: (() => void)[] = [];
  private readonly connectedGauge;
  private connection: ReconnectingWebSocket | undefined;
  private lastNumber = 0;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly identities: IdentityService,
    private readonly session: BrokerSession,
    private readonly tls: BrokerTls,
    metrics: Metrics,
  ) {
    this.connectedGauge = metrics.gauge(METRICS.brokerStream);
    identities.onChange((identity) => this.connect(identity));
  }

  onApplicationBootstrap(): void {
    const identity = this.identities.current();
    if (identity) this.connect(identity);
  }

  onApplicationShutdown(): void {
    void this.connection?.stop();
    for (const subscription of this.subscriptions.values()) subscription.stop();
    this.subscriptions.clear();
  }

  subscribe(options: SubscriptionOptions, handler: SubscriptionHandler): SubscriptionHandle {
    const name = `s${++this.lastNumber}`;
    const subscription = new BrokerSubscription(
      name,
      options,
      handler,
      this.settings.BROKER_MAX_RETRY_DELAY_MS,
      (request) => this.send(request),
      () => this.subscriptions.delete(name),
    );
    this.subscriptions.set(name, subscription);
    subscription.request();
    return subscription;
  }

  /** The listener is called for each decision on a claim of this identity. */
  onClaim(listener: (claim: RoleClaim) => void): void {
    this.claimListeners.push(listener);
  }

  /** The listener is called after each connect. Frames that the broker sent before are lost. */
  onOpen(listener: () => void): void {
    this.openListeners.push(listener);
  }

  /** Ends the delay before the next attempt to connect. */
  connectNow(): void {
    this.connection?.retryNow();
  }

  private connect(identity: SigningIdentity): void {
    void this.connection?.stop();
    this.onDisconnected();
    this.session.endOthers(identity);
    this.connection = openBrokerSocket(this.settings, this.tls, () => this.session.getToken(identity), {
      onOpen: () => this.onConnected(),
      onText: (text) => this.receive(text),
      onDisconnected: ({ reason, retryInMs }) => {
        this.onDisconnected();
        this.log.warn({ reason, retryInMs }, 'broker stream disconnected');
      },
      onTokenRefused: (token) => this.session.invalidate(token),
    });
    this.connection.start();
  }

  private onConnected(): void {
    this.log.info('broker stream connected');
    this.connectedGauge.set(1);
    this.requestInactiveSubscriptions();
    for (const listener of this.openListeners) listener();
  }

  private onDisconnected(): void {
    this.connectedGauge.set(0);
    for (const subscription of this.subscriptions.values()) subscription.suspend();
  }

  private requestInactiveSubscriptions(): void {
    for (const subscription of this.subscriptions.values()) subscription.request();
  }

  /** Drops the request while there is no connection. The next one requests every subscription; the broker repeats unacknowledged messages. */
  private send(request: StreamRequest): boolean {
    if (!this.connection?.open) return false;
    this.connection.send(JSON.stringify(request));
    return true;
  }

  private receive(text: string): void {
    const frame = streamFrame.safeParse(parseJson(text)).data;
    if (frame === undefined) this.log.warn('unknown broker frame ignored');
    else if (frame.type === 'claim') this.onClaimDecided(frame);
    else this.passToSubscription(frame);
  }

  private onClaimDecided({ role, state }: Extract<StreamFrame, { type: 'claim' }>): void {
    for (const listener of this.claimListeners) listener({ role, state });
    // The new role may permit subscriptions that were refused.
    if (state === 'APPROVED') this.requestInactiveSubscriptions();
  }

  private passToSubscription(frame: Exclude<StreamFrame, { type: 'claim' }>): void {
    const subscription = this.subscriptions.get(frame.subscription ?? '');
    if (subscription === undefined) {
      if (frame.type === 'error') {
        this.log.warn({ code: frame.err.code, reason: frame.err.reason }, 'broker stream error');
      }
      return;
    }
    switch (frame.type) {
      case 'subscribed':
        return subscription.onSubscribed();
      case 'messages':
        // The handler is an EventsConnection, or the SharedSubscription of clients without a `clientId`.
        return subscription.handler.onMessages(frame.messages.map(toMessage));
      case 'gap': {
        const { fqcn, after, upTo } = frame;
        return subscription.handler.onGap({ fqcn, after, upTo });
      }
      case 'error':
        return subscription.onRefused(frame.err);
      case 'closed':
        return subscription.onClosed(frame.err);
    }
  }
}
