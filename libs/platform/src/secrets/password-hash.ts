import { ConfigurationError } from '../lifecycle/configuration-error.js';
import { secretHashSchema, type SecretHash } from './secret-hash.js';

const PASSWORD_HASH =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,128})\$([A-Za-z0-9+/]{24,128})$/;
const FAST_HASH = /^\$sha256\$([A-Za-z0-9+/]{16,128})\$([A-Za-z0-9+/]{43})$/;

/** Formats a hash as one line: the PHC string format, base64 without padding. */
export function formatPasswordHash(stored: SecretHash): string {
  const salt = unpadBase64(stored.salt);
  const hash = unpadBase64(stored.hash);
  if (stored.algorithm === 'sha256') return `$sha256$${salt}$${hash}`;
  const { cost, blockSize, parallelization } = stored;
  const parameters = `ln=${Math.log2(cost)},r=${blockSize},p=${parallelization}`;
  return `$scrypt$${parameters}$${salt}$${hash}`;
}

/** @throws Error that names the user, for another format or for costs that are too low or too high */
export function parsePasswordHash(name: string, text: string): SecretHash {
  const result = secretHashSchema.safeParse(parseFastHash(text) ?? parseScryptHash(text));
  if (result.success) return result.data;
  throw new ConfigurationError(
    `The password hash of the user ${name} is refused: it is not a scrypt hash of the form $scrypt$ln=14,r=8,p=1$<salt>$<hash>, and not one of busbridge keys. Create one with the hash-password command.`,
  );
}

function parseFastHash(text: string): unknown {
  const [, salt = '', hash = ''] = FAST_HASH.exec(text) ?? [];
  return hash === '' ? undefined : { algorithm: 'sha256', salt: padBase64(salt), hash: padBase64(hash) };
}

function parseScryptHash(text: string): unknown {
  const [, log, blockSize, parallelization, salt = '', hash = ''] = PASSWORD_HASH.exec(text) ?? [];
  return {
    algorithm: 'scrypt',
    cost: 2 ** Number(log),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: padBase64(salt),
    hash: padBase64(hash),
  };
}

function unpadBase64(base64: string): string {
  return base64.replace(/=+$/, '');
}

function padBase64(base64: string): string {
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
}
