import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { KeyVersion } from './domain/key-ring.js';
import type { KeySource } from './key-ring-file.js';

/** `outdated`: valid, but made with a key that is no longer the active one. */
export type Authentication =
  | { readonly ok: true; readonly outdated: boolean }
  | { readonly ok: false; readonly reason: 'missing' | 'malformed' | 'unknown-version' | 'mismatch' };

/** 32 bytes in base64url. The last character holds four bits, so that each code has one form. */
const CODE = /^v([1-9]\d{0,6}):([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

/**
 * Makes and verifies HMAC-SHA-256 codes (RFC 2104) of content that others can write to. HKDF (RFC 5869) derives a key for each purpose, so
 * codes of other purposes are invalid.
 */
export class ContentAuthenticator {
  private readonly derivedKeys = new WeakMap<KeyVersion, Buffer>();

  /** @param purpose what the content is, such as `queue-job` */
  constructor(
    private readonly keys: KeySource,
    private readonly purpose: string,
  ) {}

  /**
   * @param context where the content stands, such as a Redis key; content that was moved elsewhere does not verify
   * @returns `v<version>:<base64url>`
   */
  authenticate(context: string, content: string, now = new Date()): string {
    const key = this.keys.current().activeAt(now);
    return `v${key.version}:${this.digest(key, context, content).toString('base64url')}`;
  }

  /** Verifies in constant time. The keys are read again when the version is unknown. */
  async verify(context: string, content: string, code: unknown, now = new Date()): Promise<Authentication> {
    if (code === undefined || code === null) return { ok: false, reason: 'missing' };
    const match = typeof code === 'string' ? CODE.exec(code) : null;
    if (match === null) return { ok: false, reason: 'malformed' };
    const version = Number(match[1]);
    if (this.keys.current().find(version) === undefined) await this.keys.refresh();
    const ring = this.keys.current();
    const key = ring.find(version);
    if (key === undefined) return { ok: false, reason: 'unknown-version' };
    const given = Buffer.from(match[2] ?? '', 'base64url');
    const expected = this.digest(key, context, content);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return { ok: false, reason: 'mismatch' };
    return { ok: true, outdated: ring.activeAt(now).version > version };
  }

  private digest(key: KeyVersion, context: string, content: string): Buffer {
    const hmac = createHmac('sha256', this.deriveKey(key));
    // The length separates the two, so that no other pair has the same input.
    hmac.update(`${Buffer.byteLength(context)}:${context}`).update(content);
    return hmac.digest();
  }

  private deriveKey(key: KeyVersion): Buffer {
    const known = this.derivedKeys.get(key);
    if (known !== undefined) return known;
    const info = `settlement-bus-bridge ${this.purpose}`;
    const derived = Buffer.from(hkdfSync('sha256', key.secret, Buffer.alloc(0), info, 32));
    this.derivedKeys.set(key, derived);
    return derived;
  }
}
