import { createDecipheriv, hkdfSync } from 'node:crypto';
import { seal, type Sealing, unseal } from './seal.js';

const TEXT = Buffer.from('the private text');
const SEALING: Sealing = { secret: Buffer.alloc(32, 7), purpose: 'a test', label: Buffer.from('its name') };

describe('a sealed text', () => {
  it('opens with the same secret, purpose and label', () => {
    expect(unseal(seal(TEXT, SEALING), SEALING)).toEqual(TEXT);
  });

  it('is AES-256-GCM under a key of HKDF-SHA-256: salt, nonce, tag, ciphertext', () => {
    const sealed = seal(TEXT, SEALING);
    const key = hkdfSync('sha256', SEALING.secret, sealed.subarray(0, 16), 'a test', 32);
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), sealed.subarray(16, 28));
    decipher.setAAD(Buffer.from('its name'));
    decipher.setAuthTag(sealed.subarray(28, 44));
    const opened = decipher.update(sealed.subarray(44), undefined, 'utf8') + decipher.final('utf8');
    expect(opened).toBe('the private text');
  });

  it('shows nothing and is never the same twice', () => {
    const [one, two] = [seal(TEXT, SEALING), seal(TEXT, SEALING)];
    expect(one.includes('private')).toBe(false);
    expect(one.equals(two)).toBe(false);
  });

  it.each<[string, Sealing]>([
    ['another secret', { ...SEALING, secret: Buffer.alloc(32, 8) }],
    ['another purpose', { ...SEALING, purpose: 'another test' }],
    ['another label', { ...SEALING, label: Buffer.from('another name') }],
  ])('does not open with %s', (_, sealing) => {
    expect(unseal(seal(TEXT, SEALING), sealing)).toBeUndefined();
  });

  it('does not open when any one byte was changed, or when any were cut off', () => {
    const sealed = seal(TEXT, SEALING);
    for (let at = 0; at < sealed.length; at += 1) {
      const damaged = Buffer.from(sealed);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect(unseal(damaged, SEALING)).toBeUndefined();
      expect(unseal(sealed.subarray(0, at), SEALING)).toBeUndefined();
    }
  });
});
