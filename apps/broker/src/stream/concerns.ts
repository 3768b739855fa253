import type { Change } from '../redis/notices.js';

/** What a subscription depends on. */
export interface Dependence {
  /** Of the identity, in lower case. */
  readonly address: string;
  readonly session: string;
  /** Undefined: every channel. */
  readonly channels: readonly string[] | undefined;
}

/** Whether a change, or (undefined) any that may have happened, can matter to a subscription. */
export function concerns(change: Change | undefined, on: Dependence): boolean {
  switch (change?.kind) {
    case undefined:
      return true;
    case 'role':
      return change.address === on.address;
    case 'session':
      return change.session === on.session;
    case 'channel':
      return on.channels === undefined || on.channels.includes(change.fqcn);
  }
}
