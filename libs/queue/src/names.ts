/** Queue that carries detected events from the poller to the bus-publisher. */
export const EVENTS_QUEUE = 'settlement-events';

/** Queue in which events wait for an operator that can never be delivered as things stand. No worker reads it. */
export const DEAD_LETTER_QUEUE = 'settlement-events-dead';

/** Prefix of every key. The braces are a hash tag: Redis Cluster then keeps all keys of the queues in one slot. */
export const DEFAULT_PREFIX = '{bridge}';
