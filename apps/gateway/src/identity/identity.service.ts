import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import {
  addressOf,
  curve,
  didOf,
  keccak,
  publicKeyOf,
  type Address,
  type Did,
  type DidForm,
  type PrivateKey,
} from '@ssb/identity';
import { BrokerError } from '../broker/broker-error.js';
import { identityIsMounted } from '../http/gateway-exception.js';
import type { Settings } from '../settings.js';
import { openKeySource, type KeySource } from './key-source.js';

/** The one identity of the gateway: its key and everything that is derived from it. */
export interface SigningIdentity {
  readonly key: PrivateKey;
  /** Uncompressed, `0x04…`. */
  readonly publicKey: string;
  /** EIP-55. */
  readonly address: Address;
  readonly did: Did;
  /** What its DID has before the address. */
  readonly form: DidForm;
}

type Listener = (identity: SigningIdentity) => void;

/** Holds the gateway's identity: loaded at start, replaced one at a time, told to whoever depends on it. */
@Injectable()
export class IdentityKeeper implements OnModuleInit, OnApplicationShutdown {
  private source: KeySource | undefined;
  private identity: SigningIdentity | undefined;
  private readonly listeners: Listener[] = [];
  private replacing: Promise<void> = Promise.resolve();
  private readonly reloads;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.reloads = metrics.counter({
      name: 'gateway_identity_reloads_total',
      help: 'Changes of IDENTITY_KEY_FILE, by outcome: taken or refused',
      labelNames: ['outcome'],
    });
  }

  async onModuleInit(): Promise<void> {
    const { log } = this;
    // Which implementations loaded decides how many signatures a second can be made.
    log.info({ curve: curve.name, keccak: keccak.name }, 'signatures are made and checked');
    this.source = await openKeySource(this.settings, log, (outcome) => this.reloads.inc({ outcome }));
    const key = await this.source.load();
    if (key === undefined) log.info('no identity is configured yet');
    else {
      this.identity = this.identityOf(key);
      log.info({ did: this.identity.did }, 'identity loaded');
    }
    this.source.watch?.((mounted) => this.take(this.identityOf(mounted)));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.source?.close?.();
  }

  current(): SigningIdentity | undefined {
    return this.identity;
  }

  /** @throws BrokerError of kind `no-identity` before the first key */
  required(): SigningIdentity {
    if (this.identity === undefined) throw new BrokerError({ kind: 'no-identity' });
    return this.identity;
  }

  /** Called with each new identity, once it is at rest; not when the same key is set again. */
  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  /**
   * Stores a key durably, then makes it the identity. Repeats of the same key change nothing.
   * @throws GatewayFailure when the identity comes from a mounted file
   */
  replace(key: PrivateKey): Promise<SigningIdentity> {
    const replaced = this.replacing.then(() => this.replaceNow(key));
    // The next replacement waits for this one, whatever its end; its own caller learns of the failure.
    this.replacing = replaced.then(
      () => undefined,
      () => undefined,
    );
    return replaced;
  }

  private async replaceNow(key: PrivateKey): Promise<SigningIdentity> {
    if (this.source === undefined) throw new Error('the identity is not loaded yet');
    if (this.source.store === undefined) throw identityIsMounted();
    const next = this.identityOf(key);
    if (this.identity?.publicKey === next.publicKey) return this.identity;
    await this.source.store(key);
    this.take(next);
    return next;
  }

  private identityOf(key: PrivateKey): SigningIdentity {
    const form = { method: this.settings.DID_METHOD };
    const publicKey = publicKeyOf(key);
    const address = addressOf(publicKey);
    return { key, publicKey, address, did: didOf(address, form), form };
  }

  private take(next: SigningIdentity): void {
    if (this.identity?.publicKey === next.publicKey) return;
    this.log.info({ did: next.did, previous: this.identity?.did }, 'identity set');
    this.identity = next;
    for (const listener of this.listeners) listener(next);
  }
}
