import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '@ssb/platform';
import { BrokerStream } from '../broker/broker-stream.js';
import type { SubscriptionHandle, SubscriptionHandler } from '../broker/broker-subscription.js';
import { UNNAMED_CLIENT_ID } from '../messages/bus-names.js';
import type { Settings } from '../settings.js';
import type { EventsOptions } from './events-query.js';
import { SharedSubscription } from './shared-subscription.js';

/** Subscriptions of WebSocket clients: one for each client id, and one shared by unnamed clients of the same channels. */
@Injectable()
export class EventsSubscriptions {
  /** By the broker's client id. */
  private readonly shared = new Map<string, SharedSubscription>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly stream: BrokerStream,
  ) {}

  subscribe(options: EventsOptions, handler: SubscriptionHandler): SubscriptionHandle {
    const { named, clientId, fqcn, window = this.settings.EVENTS_WINDOW } = options;
    if (named) return this.stream.subscribe({ clientId, fqcn, window }, handler);
    return this.getShared(fqcn).join(handler);
  }

  private getShared(fqcn: readonly string[] | undefined): SharedSubscription {
    const clientId = toUnnamedClientId(fqcn);
    const existing = this.shared.get(clientId);
    if (existing) return existing;
    const options = { clientId, fqcn, window: this.settings.EVENTS_WINDOW };
    const subscription = new SharedSubscription(this.stream, options, () => this.shared.delete(clientId));
    this.shared.set(clientId, subscription);
    return subscription;
  }
}

/** Each selection of channels has its own client id at the broker, and so its own offsets. */
function toUnnamedClientId(fqcn: readonly string[] | undefined): string {
  if (fqcn === undefined) return UNNAMED_CLIENT_ID;
  const selection = JSON.stringify([...new Set(fqcn)].sort());
  return `${UNNAMED_CLIENT_ID}:${createHash('sha256').update(selection).digest('hex').slice(0, 32)}`;
}
