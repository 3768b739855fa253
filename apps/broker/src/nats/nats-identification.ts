import { readFileSync } from 'node:fs';
import {
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
  type Authenticator,
} from '@nats-io/transport-node';
import type { Settings } from '../settings.js';
import { NatsSettingError, readSettingFile, type NatsSetting } from './nats-setting-error.js';

/** How the broker says who it is, by the setting that tells it. */
export interface Identification {
  readonly setting: NatsSetting;
  /** Reads its file anew for each connection, so that a secret can be exchanged while the broker runs. */
  readonly authenticator: Authenticator;
}

type IdentificationSettings = Pick<
  Settings,
  'NATS_URL' | 'NATS_TOKEN_FILE' | 'NATS_NKEY_FILE' | 'NATS_CREDENTIALS_FILE'
>;

/** Any nonce will do to see whether a key can sign. */
const TRIAL_NONCE = 'trial';

/**
 * User and password of an address, a token, an nkey or credentials; undefined when none is set.
 * @throws NatsSettingError when there are two, or one cannot be read
 */
export function identificationOf(settings: IdentificationSettings): Identification | undefined {
  const { NATS_TOKEN_FILE, NATS_NKEY_FILE, NATS_CREDENTIALS_FILE } = settings;
  const found: Identification[] = [
    ...ofAddress(settings.NATS_URL),
    ...ofFile('NATS_TOKEN_FILE', NATS_TOKEN_FILE, (read) =>
      tokenAuthenticator(() => read().toString().trim()),
    ),
    ...ofFile('NATS_NKEY_FILE', NATS_NKEY_FILE, (read) =>
      nkeyAuthenticator(() => Buffer.from(read().toString().trim())),
    ),
    ...ofFile('NATS_CREDENTIALS_FILE', NATS_CREDENTIALS_FILE, (read) => credsAuthenticator(read)),
  ];
  const [only, another] = found;
  if (only === undefined) return undefined;
  if (another !== undefined)
    throw new NatsSettingError(
      another.setting,
      `${only.setting} says already who the broker is; set one of them`,
    );
  return only;
}

/** `nats://user:password@host`, or a token alone before the host, as NATS's own tools write it. */
function ofAddress(urls: readonly string[]): Identification[] {
  const [named] = urls.map((url) => new URL(url)).filter(({ username }) => username !== '');
  if (named === undefined) return [];
  const [user, password] = [decodeURIComponent(named.username), decodeURIComponent(named.password)];
  const authenticator =
    password === '' ? tokenAuthenticator(user) : usernamePasswordAuthenticator(user, password);
  return [{ setting: 'NATS_URL', authenticator }];
}

function ofFile(
  setting: NatsSetting,
  file: string | undefined,
  make: (read: () => Buffer) => Authenticator,
): Identification[] {
  if (file === undefined) return [];
  const authenticator = make(() => readFileSync(file));
  readSettingFile(setting, file);
  try {
    authenticator(TRIAL_NONCE);
  } catch (cause) {
    const what = setting === 'NATS_NKEY_FILE' ? 'no seed of an nkey' : 'no JWT and seed';
    throw new NatsSettingError(setting, `the file holds ${what}`, { cause });
  }
  return [{ setting, authenticator }];
}
