import { scryptSync } from 'node:crypto';

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** RFC 7914 §12, third vector: scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1), written as a PHC string. */
export const HASH_OF_PLEASELETMEIN = `$scrypt$ln=14,r=8,p=1$${unpadded(Buffer.from('SodiumChloride'))}$${unpadded(
  Buffer.from(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
      'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    'hex',
  ),
)}`;

/** The cheapest hash that is accepted, for tests that check many passwords. */
export function cheapHash(password: string): string {
  const salt = Buffer.from('a salt of a test');
  const hash = scryptSync(password, salt, 32, { cost: 1_024, blockSize: 1, parallelization: 1 });
  return `$scrypt$ln=10,r=1,p=1$${unpadded(salt)}$${unpadded(hash)}`;
}
