import { createHash } from 'node:crypto';
import type { Subscription, SubscriptionHandler, SubscriptionWish } from '../broker/broker-stream.js';
import { UNNAMED_CLIENT } from '../domain/client-id.js';
import { SharedSubscription } from './shared-subscription.js';

/** A client that takes nothing for so long while others wait for it does not read; a stall of a network is over sooner. */
const PATIENCE_MS = 1_000;

/**
 * Clients of the plain form that name nobody: those that listen to the same channels share one position and each gets every message,
 * so that none takes another's.
 */
export class UnnamedClients {
  private readonly groups = new Map<string, SharedSubscription>();

  constructor(
    private readonly subscribe: (wish: SubscriptionWish, handler: SubscriptionHandler) => Subscription,
    private readonly window: number,
  ) {}

  join(fqcn: readonly string[] | undefined, handler: SubscriptionHandler): Subscription {
    const clientId = unnamedClientId(fqcn);
    const group = this.groups.get(clientId) ?? this.form(clientId, fqcn);
    return group.join(handler);
  }

  private form(clientId: string, fqcn: readonly string[] | undefined): SharedSubscription {
    const wish = { clientId, fqcn, window: this.window };
    const group = new SharedSubscription({
      open: (handler) => this.subscribe(wish, handler),
      window: this.window,
      patienceMs: PATIENCE_MS,
      onEnd: () => this.groups.delete(clientId),
    });
    this.groups.set(clientId, group);
    return group;
  }
}

/** The broker's client id of unnamed clients: another selection of channels is another client, with positions of its own. */
function unnamedClientId(fqcn: readonly string[] | undefined): string {
  if (fqcn === undefined) return UNNAMED_CLIENT;
  const selection = JSON.stringify([...new Set(fqcn)].sort());
  return `${UNNAMED_CLIENT}:${createHash('sha256').update(selection).digest('hex').slice(0, 32)}`;
}
