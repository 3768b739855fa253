declare const fencingTokenBrand: unique symbol;

/** Identifies one term of leadership and is greater than every earlier token. Every write of the leader carries it. */
export type FencingToken = string & { readonly [fencingTokenBrand]: true };

export interface PollerKeys {
  readonly lease: string;
  readonly fence: string;
  readonly state: string;
  readonly polls: string;
  readonly variables: string;
}

/** Redis keys of all pollers with one prefix. */
export interface SharedPollerKeys {
  readonly replicas: string;
  readonly replicaSettings: string;
  readonly writable: string;
}

/** @param prefix QUEUE_PREFIX */
export function sharedPollerKeys(prefix: string): SharedPollerKeys {
  const base = `${prefix}:poller`;
  return {
    replicas: `${base}:replicas`,
    replicaSettings: `${base}:replica-settings`,
    writable: `${base}:writable`,
  };
}

/**
 * Redis keys of one participant's poller.
 * @param prefix QUEUE_PREFIX
 */
export function pollerKeys(prefix: string, participant: string): PollerKeys {
  const base = `${prefix}:poller:${participant}`;
  return {
    lease: `${base}:lease`,
    fence: `${base}:fence`,
    state: `${base}:state`,
    polls: `${base}:polls`,
    variables: `${base}:variables`,
  };
}

/** Another replica leads; nothing was written. */
export class FencedOffError extends Error {
  override readonly name = 'FencedOffError';

  constructor(readonly token: FencingToken) {
    super(`The lease with token ${token} has ended and another replica leads; nothing was written`);
  }
}
