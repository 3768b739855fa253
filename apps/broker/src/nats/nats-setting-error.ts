import { readFileSync } from 'node:fs';

/** The settings by which a broker reaches NATS. */
export type NatsSetting =
  | 'NATS_URL'
  | 'NATS_TOKEN_FILE'
  | 'NATS_NKEY_FILE'
  | 'NATS_CREDENTIALS_FILE'
  | 'NATS_CA_FILE'
  | 'NATS_CERTIFICATE_FILE'
  | 'NATS_KEY_FILE';

/** A setting does not let the broker in at this NATS: waiting would not help. No secret stands in it. */
export class NatsSettingError extends Error {
  override readonly name = 'NatsSettingError';

  constructor(
    readonly setting: NatsSetting,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${setting}: ${reason}`, options);
  }
}

/** @throws NatsSettingError when the file that the setting names cannot be read */
export function readSettingFile(setting: NatsSetting, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const { message } = cause as NodeJS.ErrnoException;
    throw new NatsSettingError(setting, `the file cannot be read (${message})`, { cause });
  }
}
