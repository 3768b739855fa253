import { secretHashSchema, type SecretHash } from '@ssb/platform';

/** The text is no password hash. The text itself is never part of the error. */
export class PasswordHashError extends Error {
  override readonly name = 'PasswordHashError';

  constructor() {
    super(
      'it is no scrypt hash of the form $scrypt$ln=14,r=8,p=1$<salt>$<hash>, as the hash-password command makes them',
    );
  }
}

const FORM =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,128})\$([A-Za-z0-9+/]{24,128})$/;

/** A hash as one line of text: the PHC string format, base64 without padding. */
export function writePasswordHash({ cost, blockSize, parallelization, salt, hash }: SecretHash): string {
  const parameters = `ln=${Math.log2(cost)},r=${blockSize},p=${parallelization}`;
  return `$scrypt$${parameters}$${salt.replace(/=+$/, '')}$${hash.replace(/=+$/, '')}`;
}

/** @throws PasswordHashError when the text has another form, or costs that are too small to help or too large to bear */
export function readPasswordHash(text: string): SecretHash {
  const [, log, blockSize, parallelization, salt = '', hash = ''] = FORM.exec(text) ?? [];
  const result = secretHashSchema.safeParse({
    algorithm: 'scrypt',
    cost: 2 ** Number(log),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: padded(salt),
    hash: padded(hash),
  });
  if (!result.success) throw new PasswordHashError();
  return result.data;
}

function padded(base64: string): string {
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
}
