import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { BusMessage, ErrorDetail, MissedMessages, RoleClaim, StreamFrame } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { backoffDelayMs } from '@ssb/resilience';
import { IdentityKeeper, type SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { BrokerTls } from '../tls/client-tls.js';
import { BrokerConnection } from './broker-connection.js';
import { BrokerSession } from './broker-session.js';

export interface SubscriptionWish {
  readonly clientId: string;
  /** Undefined: every channel that the identity may read, also those made later. */
  readonly fqcn: readonly string[] | undefined;
  readonly window: number;
}

/** What a subscription is told. None of these may throw. */
export interface SubscriptionHandler {
  /** Delivery begins, or begins anew: what was not acknowledged comes again. */
  subscribed(): void;
  messages(messages: readonly BusMessage[]): void;
  /** Messages were removed before they were delivered; those that follow come next. */
  gap(missed: MissedMessages): void;
  /** The broker refuses the subscription, or a channel of it, at the moment; it is asked again by itself. Not told twice in a row. */
  refused(err: ErrorDetail): void;
  /** The broker ended it for good: taken over by a newer one, or the rights were revoked. */
  closed(err: ErrorDetail): void;
}

export interface Subscription {
  acknowledge(fqcn: string, ids: readonly string[]): void;
  end(): void;
}

interface Entry {
  readonly wish: SubscriptionWish;
  readonly handler: SubscriptionHandler;
  /** The broker has granted it on this connection. */
  active: boolean;
  /** In a row. */
  refusals: number;
  retry: NodeJS.Timeout | undefined;
  /** Why it was not granted the last time that it was asked for. */
  refusal: string | undefined;
}

/** Before a refused subscription is requested again. */
const FIRST_DELAY_MS = 200;

/** All subscriptions of the gateway over one WebSocket to the broker; each is renewed whenever the connection is. */
@Injectable()
export class BrokerStream implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly entries = new Map<string, Entry>();
  private readonly claimListeners: ((claim: RoleClaim) => void)[] = [];
  private readonly openListeners: (() => void)[] = [];
  private readonly connected;
  private connection: BrokerConnection | undefined;
  private names = 0;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly keeper: IdentityKeeper,
    private readonly session: BrokerSession,
    private readonly tls: BrokerTls,
    metrics: Metrics,
  ) {
    this.connected = metrics.gauge({
      name: 'gateway_broker_stream_connected',
      help: '1 while the stream to the broker is connected',
    });
    keeper.onChange((identity) => this.connectAs(identity));
  }

  onApplicationBootstrap(): void {
    const identity = this.keeper.current();
    if (identity) this.connectAs(identity);
  }

  onApplicationShutdown(): void {
    this.connection?.stop();
    for (const { retry } of this.entries.values()) clearTimeout(retry);
    this.entries.clear();
  }

  /** A decision on one of this identity's claims. */
  onClaim(listener: (claim: RoleClaim) => void): void {
    this.claimListeners.push(listener);
  }

  /** The stream is connected, for the first time or again: what was pushed meanwhile was missed. */
  onOpen(listener: () => void): void {
    this.openListeners.push(listener);
  }

  /** Listens, if it does not yet, without waiting for the end of a pause between two attempts. */
  listen(): void {
    this.connection?.hurry();
  }

  subscribe(wish: SubscriptionWish, handler: SubscriptionHandler): Subscription {
    const name = `s${++this.names}`;
    this.entries.set(name, {
      wish,
      handler,
      active: false,
      refusals: 0,
      retry: undefined,
      refusal: undefined,
    });
    this.request(name);
    return {
      acknowledge: (fqcn, ids) => {
        if (!this.entries.has(name)) return;
        this.connection?.send({ type: 'ack', subscription: name, fqcn, ids: [...ids] });
      },
      end: () => {
        if (this.remove(name)) this.connection?.send({ type: 'unsubscribe', subscription: name });
      },
    };
  }

  private connectAs(identity: SigningIdentity): void {
    this.connection?.stop();
    this.down();
    this.session.closeOthers(identity);
    this.connection = new BrokerConnection({
      url: this.settings.BROKER_URL,
      tls: () => this.tls.current,
      token: () => this.session.token(identity),
      refused: (token) => this.session.forget(token),
      livenessMs: this.settings.BROKER_LIVENESS_MS,
      longestPauseMs: this.settings.BROKER_LONGEST_PAUSE_MS,
      log: this.log,
      onOpen: () => {
        this.connected.set(1);
        this.requestInactive();
        for (const listener of this.openListeners) listener();
      },
      onFrame: (frame) => this.receive(frame),
      onDown: () => this.down(),
    });
    this.connection.start();
  }

  private down(): void {
    this.connected.set(0);
    for (const entry of this.entries.values()) {
      clearTimeout(entry.retry);
      entry.active = false;
    }
  }

  /** On a new connection that is all of them. */
  private requestInactive(): void {
    for (const [name, { active }] of this.entries) if (!active) this.request(name);
  }

  private request(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    clearTimeout(entry.retry);
    const { clientId, fqcn, window } = entry.wish;
    this.connection?.send({
      type: 'subscribe',
      subscription: name,
      clientId,
      ...(fqcn && { fqcn: [...fqcn] }),
      window,
      gaps: true,
    });
  }

  private receive(frame: StreamFrame): void {
    switch (frame.type) {
      case 'subscribed':
        return this.subscribed(frame.subscription);
      case 'messages':
        return this.entries.get(frame.subscription)?.handler.messages(frame.messages);
      case 'gap': {
        const { fqcn, after, upTo } = frame;
        return this.entries.get(frame.subscription)?.handler.gap({ fqcn, after, upTo });
      }
      case 'claim':
        for (const listener of this.claimListeners) listener({ role: frame.role, state: frame.state });
        // A new right may open what was refused.
        if (frame.state === 'APPROVED') this.requestInactive();
        return;
      case 'closed': {
        const handler = this.remove(frame.subscription)?.handler;
        return handler?.closed(frame.err);
      }
      case 'error':
        return this.refused(frame.subscription, frame.err);
    }
  }

  private subscribed(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    entry.refusals = 0;
    entry.refusal = undefined;
    // The broker says it again when channels come or go; only the first time on a connection starts anew.
    if (!entry.active) entry.handler.subscribed();
    entry.active = true;
  }

  private refused(name: string | undefined, err: ErrorDetail): void {
    const entry = name === undefined ? undefined : this.entries.get(name);
    if (name === undefined || entry === undefined) {
      this.log.warn({ code: err.code, reason: err.reason }, 'the broker reports an error on the stream');
      return;
    }
    // While messages flow, one channel was lost or one request was wrong, which the broker says once: the rest goes on.
    if (entry.active) return entry.handler.refused(err);
    clearTimeout(entry.retry);
    entry.refusals += 1;
    const backoff = { baseMs: FIRST_DELAY_MS, maxMs: this.settings.BROKER_LONGEST_PAUSE_MS };
    entry.retry = setTimeout(
      () => this.request(name),
      backoffDelayMs(entry.refusals, backoff, Math.random()),
    );
    // The reason names the channel or role that the code is about.
    const refusal = `${err.code} ${err.reason}`;
    if (entry.refusal === refusal) return;
    entry.refusal = refusal;
    entry.handler.refused(err);
  }

  private remove(name: string): Entry | undefined {
    const entry = this.entries.get(name);
    clearTimeout(entry?.retry);
    this.entries.delete(name);
    return entry;
  }
}
