import type { FencingToken } from '../state/poller-keys.js';

/** What this replica knows of a part of the saved state. It is valid for one term of the lease and one connection to Redis. */
export class TermMemory<Value> {
  private known: { readonly token: FencingToken; readonly server: number; readonly value: Value } | undefined;

  constructor(private readonly currentServer: () => number) {}

  get(token: FencingToken): Value | undefined {
    const { known } = this;
    return known?.token === token && known.server === this.currentServer() ? known.value : undefined;
  }

  /** @param server the connection in use before the value was read or written */
  set(token: FencingToken, server: number, value: Value): void {
    this.known = { token, server, value };
  }

  forget(): void {
    this.known = undefined;
  }
}
