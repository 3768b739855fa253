import type { PrivateKey } from '@ssb/identity';

/** Where the private key rests while the gateway is off. */
export interface KeySource {
  /**
   * The key as it is now; undefined when there is none yet. Called once, at start.
   * @throws Error that says what is wrong, without the key: the gateway does not start with a key it cannot read
   */
  load(): Promise<PrivateKey | undefined>;
  /**
   * Keeps a key durably in place of the old one; the caller makes it the identity afterwards. Undefined where the operator's own
   * file is the only way to change it.
   */
  readonly store: ((key: PrivateKey) => Promise<void>) | undefined;
  /** Told of each other key that the source comes to hold by itself, until `close`. */
  watch(onKey: (key: PrivateKey) => void): void;
  close(): void;
}
