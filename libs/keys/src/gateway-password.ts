import { ConfigurationError, type Logger } from '@ssb/platform';
import { parseKeyRing, type KeyRing } from './domain/key-ring.js';
import { KeyRingFile } from './key-ring-file.js';

export interface GatewayPasswordSettings {
  readonly GATEWAY_PASSWORD: string | undefined;
  readonly GATEWAY_PASSWORD_FILE: string | undefined;
  readonly KEYS_RELOAD_INTERVAL_MS: number;
}

/** The password of the app at its gateway. */
export interface GatewayPassword {
  /** GATEWAY_PASSWORD_FILE, when it is set. */
  readonly file?: KeyRingFile;
  /** The password that is active now. */
  current(): string;
  /** Ends the readings of the file. */
  close(): Promise<void>;
}

/** The content of a password file: a key ring or a plain text of any length. @throws KeyRingError */
export function parsePasswordRing(content: Buffer): KeyRing {
  return parseKeyRing(content.toString('utf8'), 1);
}

/** Takes GATEWAY_PASSWORD, or opens GATEWAY_PASSWORD_FILE. @throws ConfigurationError unless exactly one is set and usable */
export async function openGatewayPassword(
  settings: GatewayPasswordSettings,
  log: Logger,
): Promise<GatewayPassword> {
  const { GATEWAY_PASSWORD: password, GATEWAY_PASSWORD_FILE: path } = settings;
  if ((password === undefined) === (path === undefined))
    throw new ConfigurationError(
      `${password === undefined ? 'Neither' : 'Each'} of GATEWAY_PASSWORD and GATEWAY_PASSWORD_FILE is set. Set exactly one of them.`,
    );
  if (path === undefined) return { current: () => password ?? '', close: () => Promise.resolve() };
  const intervalMs = settings.KEYS_RELOAD_INTERVAL_MS;
  const file = await KeyRingFile.open({ path, intervalMs, log, parse: parsePasswordRing });
  return { file, current: () => file.current().activeAt(new Date()).secret, close: () => file.close() };
}
