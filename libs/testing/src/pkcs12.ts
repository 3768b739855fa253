import { createHash, createHmac, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import type { Credential } from '@ssb/dev/certificates';

const OID = {
  data: '2a864886f70d010701',
  keyBag: '2a864886f70d010c0a0101',
  certBag: '2a864886f70d010c0a0103',
  x509Certificate: '2a864886f70d01091601',
  sha256: '608648016503040201',
} as const;

const TAG = { integer: 0x02, octets: 0x04, null: 0x05, oid: 0x06, sequence: 0x30, explicit0: 0xa0 } as const;

const ITERATIONS = 2_048;

/**
 * A certificate with its key as a PKCS#12 file (RFC 7292). The password protects its integrity, and the key is not encrypted, which is
 * enough for development and tests.
 */
export function createPkcs12({ cert, key }: Credential, password: string): Buffer {
  const privateKey = createPrivateKey(key).export({ format: 'der', type: 'pkcs8' });
  const certificate = sequence(oid('x509Certificate'), explicit0(octets(new X509Certificate(cert).raw)));
  const bags = sequence(
    sequence(oid('certBag'), explicit0(certificate)),
    sequence(oid('keyBag'), explicit0(privateKey)),
  );
  const contents = sequence(contentInfo(bags));
  const salt = randomBytes(16);
  const mac = createHmac('sha256', deriveMacKey(password, salt)).update(contents).digest();
  const macData = sequence(
    sequence(sequence(oid('sha256'), encode(TAG.null)), octets(mac)),
    octets(salt),
    encode(TAG.integer, Buffer.from([ITERATIONS >> 8, ITERATIONS & 0xff])),
  );
  return sequence(encode(TAG.integer, Buffer.from([3])), contentInfo(contents), macData);
}

/** RFC 7292, appendix B.2, with SHA-256 and purpose 3. The key is one block, so its step 6 is not needed. */
function deriveMacKey(password: string, salt: Buffer): Buffer {
  const bigEndian = Buffer.from(`${password}\0`, 'utf16le').swap16();
  let block = Buffer.concat([Buffer.alloc(64, 3), repeat(salt), repeat(bigEndian)]);
  for (let round = 0; round < ITERATIONS; round += 1) block = createHash('sha256').update(block).digest();
  return block;
}

/** Repeats the bytes up to a multiple of 64. */
function repeat(bytes: Buffer): Buffer {
  return Buffer.alloc(Math.ceil(bytes.length / 64) * 64, bytes);
}

function contentInfo(content: Buffer): Buffer {
  return sequence(oid('data'), explicit0(octets(content)));
}

const sequence = (...parts: Buffer[]): Buffer => encode(TAG.sequence, ...parts);
const explicit0 = (content: Buffer): Buffer => encode(TAG.explicit0, content);
const octets = (content: Buffer): Buffer => encode(TAG.octets, content);
const oid = (name: keyof typeof OID): Buffer => encode(TAG.oid, Buffer.from(OID[name], 'hex'));

/** DER: tag, length, content. */
function encode(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const header = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  if (length >= 0x80 && length < 0x100) header.splice(0, 3, 0x81, length);
  return Buffer.concat([Buffer.from([tag, ...header]), content]);
}
