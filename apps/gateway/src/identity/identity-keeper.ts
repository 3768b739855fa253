import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { PrivateKey } from '@ssb/identity';
import { BrokerError } from '../domain/broker-failure.js';
import type { Settings } from '../settings.js';
import { IdentityFile } from './identity-file.js';
import { signingIdentity, type SigningIdentity } from './signing-identity.js';

type Listener = (identity: SigningIdentity) => void;

/** Holds the gateway's identity: loaded once at start, replaced one at a time, told to whoever depends on it. */
@Injectable()
export class IdentityKeeper implements OnModuleInit {
  private file: IdentityFile | undefined;
  private identity: SigningIdentity | undefined;
  private readonly listeners: Listener[] = [];
  private replacing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.file = await IdentityFile.open(this.settings.DATA_FOLDER, this.settings.IDENTITY_SECRET_FILE);
    const key = await this.file.load();
    if (key === undefined) {
      this.log.info('no identity is configured yet');
      return;
    }
    this.identity = signingIdentity(key);
    this.log.info({ did: this.identity.did }, 'identity loaded');
  }

  current(): SigningIdentity | undefined {
    return this.identity;
  }

  /** @throws BrokerError of kind `no-identity` before the first key */
  required(): SigningIdentity {
    if (this.identity === undefined) throw new BrokerError({ kind: 'no-identity' });
    return this.identity;
  }

  /** Called with each new identity, after it is stored; not when the same key is set again. */
  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** Stores a key durably, then makes it the identity. Repeats of the same key change nothing. */
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
    const next = signingIdentity(key);
    if (this.identity?.publicKey === next.publicKey) return this.identity;
    if (this.file === undefined) throw new Error('the identity file is not open yet');
    await this.file.store(key);
    this.log.info({ did: next.did, previous: this.identity?.did }, 'identity set');
    this.identity = next;
    for (const listener of this.listeners) listener(next);
    return next;
  }
}
