import { didOfKey, parsePrivateKey, type Did, type PrivateKey } from '@ssb/identity';
import {
  KeyRingFile,
  observeKeys,
  openGatewayPassword,
  parseOriginKeyRing,
  type GatewayPassword,
  type KeySource,
  type KeyVersion,
} from '@ssb/keys';
import { decryptFile, readSecretFile, type Logger, type Metrics } from '@ssb/platform';
import type { Settings } from './settings.js';

/** A private key of the bridge, and the identity that subscribers trust. */
export interface OriginKey {
  readonly key: PrivateKey;
  readonly did: Did;
}

type OriginKeySettings = Pick<
  Settings,
  'ORIGIN_KEY_FILE' | 'ORIGIN_KEY_SECRET_FILE' | 'KEYS_RELOAD_INTERVAL_MS'
>;

/** Opens the encrypted file, which is read again when it changes. @throws ConfigurationError */
async function openOriginKeyFile(settings: OriginKeySettings, log: Logger): Promise<KeyRingFile> {
  const { ORIGIN_KEY_FILE: path, KEYS_RELOAD_INTERVAL_MS: intervalMs } = settings;
  const secret = await readSecretFile(settings.ORIGIN_KEY_SECRET_FILE);
  const parse = (content: Buffer) => parseOriginKeyRing(decryptFile(path, content, secret));
  return KeyRingFile.open({ path, intervalMs, log, parse });
}

/** The keys with which the bridge signs the origin of each event. */
export class OriginKeys {
  private readonly parsed = new WeakMap<KeyVersion, OriginKey>();

  constructor(private readonly source: Pick<KeySource, 'current'>) {}

  /** The key that signs at this time. */
  activeAt(time: Date): OriginKey {
    const version = this.source.current().activeAt(time);
    const known = this.parsed.get(version);
    if (known !== undefined) return known;
    const key = parsePrivateKey(version.secret);
    const originKey = { key, did: didOfKey(key) };
    this.parsed.set(version, originKey);
    return originKey;
  }
}

/** The files of keys and passwords of the publisher. */
export interface PublisherKeys {
  readonly origin: KeyRingFile;
  readonly integrity: KeyRingFile;
  readonly transactionIds: KeyRingFile;
  readonly gatewayPassword: GatewayPassword;
}

/** Opens the key rings of the bridge, which are read again when they change. @throws ConfigurationError */
export async function openKeys(settings: Settings, log: Logger): Promise<PublisherKeys> {
  const open = (path: string): Promise<KeyRingFile> =>
    KeyRingFile.open({ path, intervalMs: settings.KEYS_RELOAD_INTERVAL_MS, log });
  return {
    origin: await openOriginKeyFile(settings, log),
    integrity: await open(settings.INTEGRITY_KEYS_FILE),
    transactionIds: await open(settings.TRANSACTION_ID_KEYS_FILE),
    gatewayPassword: await openGatewayPassword(settings, log),
  };
}

/** Shows versions and reloads of the files in the metrics. */
export function observePublisherKeys(
  metrics: Metrics,
  { origin, integrity, transactionIds, gatewayPassword }: PublisherKeys,
): void {
  observeKeys(metrics, {
    origin,
    integrity,
    'transaction-ids': transactionIds,
    'gateway-password': gatewayPassword.file,
  });
}
