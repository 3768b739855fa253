import type { CatchUpLimits } from '../catch-up/catch-up.js';
import type { DeliveryFaultsOptions } from '../faults/delivery-faults.js';

/** Token of `SubscriberLimits`. Without a provider each limit has its default. */
export const SUBSCRIBER_LIMITS = Symbol('SUBSCRIBER_LIMITS');

/** Times and sizes that tests reduce. */
export interface SubscriberLimits {
  readonly holdMs?: number;
  readonly deliveryFaultTimes?: Pick<DeliveryFaultsOptions, 'failingAfterMs' | 'intervalMs'>;
  readonly stuckAfterMs?: number;
  readonly catchUpLimits?: Partial<CatchUpLimits>;
  readonly supersededForMs?: number;
}
