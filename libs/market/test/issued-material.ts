import type { Authority } from '@ssb/dev/certificates';
import type { TlsMaterial } from '@ssb/net';

/** A certificate with its key and authority, as PEM texts. */
export interface IssuedMaterial extends TlsMaterial {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Issues a certificate for a server at 127.0.0.1 or a client. */
export async function issueMaterial(
  authority: Authority,
  commonName: string,
  notAfter?: Date,
): Promise<IssuedMaterial> {
  const issued = await authority.issue({
    commonName,
    hosts: ['127.0.0.1'],
    ...(notAfter !== undefined && { notAfter }),
  });
  return { ca: authority.cert, ...issued };
}
