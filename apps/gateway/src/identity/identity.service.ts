import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LOGGER, Metrics, observeDataFolder, SETTINGS, type Logger } from '@ssb/platform';
import {
  addressOf,
  curve,
  didOf,
  keccak,
  publicKeyOf,
  type Address,
  type Did,
  type DidOptions,
  type PrivateKey,
} from '@ssb/identity';
import { BrokerError } from '../broker/broker-error.js';
import { identityIsReadOnly } from '../http/gateway-exception.js';
import type { Settings } from '../settings.js';
import { openKeySource, type KeySource } from './key-source.js';
import { METRICS } from '../metrics.js';

/** The gateway's private key and the values derived from it. */
export interface SigningIdentity {
  readonly key: PrivateKey;
  /** Uncompressed, `0x04…`. */
  readonly publicKey: string;
  /** EIP-55. */
  readonly address: Address;
  readonly did: Did;
  /** The part of the DID before the address. */
  readonly form: DidOptions;
}

type Listener = (identity: SigningIdentity) => void;

/** The identity of the gateway. It is loaded at start and replaced by a request or by a mounted file. */
@Injectable()
export class IdentityService implements OnModuleInit, OnApplicationShutdown {
  private source: KeySource | undefined;
  private identity: SigningIdentity | undefined;
  private readonly listeners: Listener[] = [];
  private lastReplacement: Promise<void> = Promise.resolve();
  private readonly reloadCounter;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.reloadCounter = metrics.counter(METRICS.identityReloads);
    if (settings.IDENTITY_KEY_FILE === undefined) observeDataFolder(metrics, settings.DATA_DIR, log);
  }

  async onModuleInit(): Promise<void> {
    const { log } = this;
    // Logged because the implementations determine how many signatures per second are possible.
    log.info({ curve: curve.name, keccak: keccak.name }, 'signature implementations loaded');
    this.source = await openKeySource(this.settings, log, (outcome) => this.reloadCounter.inc({ outcome }));
    const key = await this.source.load();
    if (key === undefined) log.info('no identity configured');
    else {
      this.identity = this.toIdentity(key);
      log.info({ did: this.identity.did }, 'identity loaded');
    }
    this.source.watch?.((changed) => this.setCurrent(this.toIdentity(changed)));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.source?.close?.();
  }

  current(): SigningIdentity | undefined {
    return this.identity;
  }

  /** @throws BrokerError of kind `no-identity` before the first key */
  require(): SigningIdentity {
    if (this.identity === undefined) throw new BrokerError({ kind: 'no-identity' });
    return this.identity;
  }

  /** The listener is called with each new identity once its key is stored, not when the same key is set again. */
  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  /**
   * Stores a key durably, then uses it as the identity. Replacements run one after the other; the same key changes nothing.
   * @throws GatewayException when the identity comes from a mounted file
   */
  replace(key: PrivateKey): Promise<SigningIdentity> {
    const replacement = this.lastReplacement.then(() => this.replaceNow(key));
    // A failure is reported to its caller and does not stop the next replacement.
    this.lastReplacement = replacement.then(
      () => undefined,
      () => undefined,
    );
    return replacement;
  }

  private async replaceNow(key: PrivateKey): Promise<SigningIdentity> {
    if (this.source === undefined) throw new Error('the identity is not loaded yet');
    if (this.source.store === undefined) throw identityIsReadOnly();
    const next = this.toIdentity(key);
    if (this.identity?.publicKey === next.publicKey) return this.identity;
    await this.source.store(key);
    this.setCurrent(next);
    return next;
  }

  private toIdentity(key: PrivateKey): SigningIdentity {
    const form = { method: this.settings.DID_METHOD };
    const publicKey = publicKeyOf(key);
    const address = addressOf(publicKey);
    return { key, publicKey, address, did: didOf(address, form), form };
  }

  private setCurrent(next: SigningIdentity): void {
    if (this.identity?.publicKey === next.publicKey) return;
    this.log.info({ did: next.did, previous: this.identity?.did }, 'identity set');
    this.identity = next;
    for (const listener of this.listeners) listener(next);
  }
}
