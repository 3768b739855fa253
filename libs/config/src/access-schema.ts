import { z } from 'zod';
import { isUnknown } from './placeholders.js';
import { strict } from './schema-values.js';

const path = z.string().min(1);

/** Paths of a client certificate: PEM, or PKCS #12. */
export const certificateShape = {
  certFile: path.optional(),
  keyFile: path.optional(),
  pfxFile: path.optional(),
  pfxPasswordFile: path.optional(),
};

export type CertificateFiles = { readonly [Key in keyof typeof certificateShape]?: string | undefined };

const certificate = strict(certificateShape).superRefine(refineCertificate);

/**
 * How the poller reaches the operator for one participant. Secrets are named by their files, because bus-publisher and subscriber read
 * CONFIG_FILE too. A relative path starts at the folder of CONFIG_FILE.
 */
export const accessSchema = strict({
  /** Account of the OAuth client (document 001). */
  clientId: z.string().min(1).optional(),
  /** A file with that account. */
  clientIdFile: path.optional(),
  clientSecretFile: path,
  /** Client certificate of the reporting interfaces. */
  ...certificateShape,
  /** Client certificate of the settlement interface, if it needs another one. */
  settlement: certificate.optional(),
  /** Client certificate of the token service, if it asks for one. */
  token: certificate.optional(),
}).superRefine((access, context) => {
  refineCertificate(access, context);
  if ((access.clientId === undefined) === (access.clientIdFile === undefined))
    context.addIssue({ code: 'custom', message: 'must have either clientId or clientIdFile' });
});

/** Access of a participant to the operator, as the file has it. */
export type AccessConfig = z.output<typeof accessSchema>;

/** Checks that the files are one form of a certificate, and complete. */
export function refineCertificate(files: CertificateFiles, context: z.RefinementCtx): void {
  const { certFile, keyFile, pfxFile, pfxPasswordFile } = files;
  const fail = (message: string): void => context.addIssue({ code: 'custom', message });
  if (pfxFile !== undefined && (certFile !== undefined || keyFile !== undefined))
    fail('has two forms of the client certificate; set certFile and keyFile, or pfxFile');
  else if ((certFile === undefined) !== (keyFile === undefined))
    fail('must have both certFile and keyFile, or neither');
  if (pfxPasswordFile !== undefined && pfxFile === undefined) fail('has pfxPasswordFile without pfxFile');
}

/** Paths with an unset placeholder are not known on this machine. */
export function listAccessFiles(access: AccessConfig): string[] {
  const { clientIdFile, clientSecretFile, settlement, token } = access;
  const certificates = [access, settlement, token].flatMap((files) => [
    files?.certFile,
    files?.keyFile,
    files?.pfxFile,
    files?.pfxPasswordFile,
  ]);
  return [clientIdFile, clientSecretFile, ...certificates].filter(
    (file): file is string => file !== undefined && !isUnknown(file),
  );
}
