import { didOfKey, parsePrivateKey, type Did, type PrivateKey } from '@ssb/identity';
import {
  KeyRingFile,
  observeKeys,
  openGatewayPassword,
  parseOriginKeyRing,
  type GatewayPassword,
  type KeyVersion,
} from '@ssb/keys';
import { decryptFile, readSecretFile, type Logger, type Metrics } from '@ssb/platform';
import type { Settings } from './settings.js';

/** A private key of the bridge, and the identity that subscribers trust. */
export interface OriginKey {
  readonly key: PrivateKey;
  readonly did: Did;
}

/** The keys and the password of the publisher, whose files are read again when they change. */
export class PublisherKeys {
  private readonly parsed = new WeakMap<KeyVersion, OriginKey>();

  private constructor(
    private readonly origin: KeyRingFile,
    /** Authenticates the jobs in Redis. */
    readonly integrity: KeyRingFile,
    readonly transactionIds: KeyRingFile,
    readonly gatewayPassword: GatewayPassword,
  ) {}

  /** @throws ConfigurationError */
  static async open(settings: Settings, log: Logger): Promise<PublisherKeys> {
    const { ORIGIN_KEY_FILE: originPath, KEYS_RELOAD_INTERVAL_MS: intervalMs } = settings;
    const secret = await readSecretFile(settings.ORIGIN_KEY_SECRET_FILE);
    const parse = (content: Buffer) => parseOriginKeyRing(decryptFile(originPath, content, secret));
    const open = (path: string): Promise<KeyRingFile> => KeyRingFile.open({ path, intervalMs, log });
    return new PublisherKeys(
      await KeyRingFile.open({ path: originPath, intervalMs, log, parse }),
      await open(settings.INTEGRITY_KEYS_FILE),
      await open(settings.TRANSACTION_ID_KEYS_FILE),
      await openGatewayPassword(settings, log),
    );
  }

  /** The key that signs the origin of events at this time. */
  originAt(time: Date): OriginKey {
    const version = this.origin.current().activeAt(time);
    const known = this.parsed.get(version);
    if (known !== undefined) return known;
    const key = parsePrivateKey(version.secret);
    const originKey = { key, did: didOfKey(key) };
    this.parsed.set(version, originKey);
    return originKey;
  }

  /** Shows versions and reloads of the files in the metrics. */
  observe(metrics: Metrics): void {
    observeKeys(metrics, {
      origin: this.origin,
      integrity: this.integrity,
      'transaction-ids': this.transactionIds,
      'gateway-password': this.gatewayPassword.file,
    });
  }

  async close(): Promise<void> {
    for (const file of [this.origin, this.integrity, this.transactionIds, this.gatewayPassword])
      await file.close();
  }
}
