import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '@ssb/postgres';

/** A value of one purpose is never valid for another. */
export type CookiePurpose = 'session' | 'sign-in';

/** Each value ends with 256 bits. */
const SIGNED = /^([\w.-]+)\.([\w-]{43})$/;

/** Signs cookies with the key that all replicas share. Anyone can send a cookie, so invented ones must cost nothing but the check. */
@Injectable()
export class ConsoleKey {
  private key: Promise<Uint8Array> | undefined;

  constructor(private readonly database: Database) {}

  /** The text with its signature. @throws DatabaseUnavailableError while the key was not read */
  async sign(purpose: CookiePurpose, text: string): Promise<string> {
    return `${text}.${await this.computeSignature(purpose, text)}`;
  }

  /** The text of a signed value; undefined when it was not signed here. @throws DatabaseUnavailableError as `sign` */
  async verify(purpose: CookiePurpose, value: string): Promise<string | undefined> {
    const [, text, signature = ''] = SIGNED.exec(value) ?? [];
    if (text === undefined) return undefined;
    return isSameText(signature, await this.computeSignature(purpose, text)) ? text : undefined;
  }

  private async computeSignature(purpose: CookiePurpose, text: string): Promise<string> {
    const key = await (this.key ??= this.read());
    return createHmac('sha256', key).update(`${purpose} ${text}`).digest('base64url');
  }

  private async read(): Promise<Uint8Array> {
    try {
      const [row] = await this.database.query<{ key: Uint8Array }>('SELECT key FROM console_key');
      if (row === undefined)
        throw new Error('The table console_key is empty. It has one key: insert 32 random bytes.');
      return row.key;
    } catch (error) {
      this.key = undefined;
      throw error;
    }
  }
}

/** Compares in constant time. */
export function isSameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
