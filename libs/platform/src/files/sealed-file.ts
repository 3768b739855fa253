import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from './atomic-write.js';
import { seal, type Sealing, unseal } from './seal.js';

/** The file is not what `sealToFile` wrote with this secret. */
export class SealedFileError extends Error {
  override readonly name = 'SealedFileError';

  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`${path} cannot be opened: ${reason}`);
  }
}

const MAGIC = Buffer.from('SEALED1\n');

/** Writes `plaintext` sealed, atomically and readable by the owner alone. */
export async function sealToFile(path: string, plaintext: Buffer, secret: Buffer): Promise<void> {
  await writeFileAtomically(path, Buffer.concat([MAGIC, seal(plaintext, sealingOf(secret))]), 0o600);
}

/**
 * Reads what `sealToFile` wrote.
 * @throws SealedFileError when the file is damaged or was sealed with another secret
 */
export async function unsealFromFile(path: string, secret: Buffer): Promise<Buffer> {
  const file = await readFile(path);
  if (!file.subarray(0, MAGIC.length).equals(MAGIC))
    throw new SealedFileError(path, 'it is not a sealed file');
  const plaintext = unseal(file.subarray(MAGIC.length), sealingOf(secret));
  if (plaintext === undefined)
    throw new SealedFileError(path, 'it was sealed with another secret, or is damaged');
  return plaintext;
}

function sealingOf(secret: Buffer): Sealing {
  return { secret, purpose: 'settlement-bus-bridge sealed file', label: MAGIC };
}
