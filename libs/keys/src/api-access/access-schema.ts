import { exactHttpUrl, generatedSecretHashSchema } from '@ssb/platform';
import { z } from 'zod';
import { ACCESS_ROLES } from '../names.js';

const MAX_ENTRIES = 1_000;

const nameSchema = z
  .string()
  .regex(/^\P{Cc}{1,200}$/u, 'must have 1 to 200 characters, and no control characters');

/** `*` belongs to no single participant. */
const participantCode = z.string().regex(/^(?!\*$)\P{Cc}{1,60}$/u, 'must be the code of one participant');

const grantShape = {
  /** The author of its requests in the audit log. */
  name: nameSchema,
  role: z.enum(ACCESS_ROLES),
  /** Codes of the participants that it may see; `all` also shows what belongs to none. */
  participants: z.union([z.literal('all'), z.array(participantCode).min(1).max(MAX_ENTRIES)], {
    error: 'must be all, or a list of the codes of participants',
  }),
};

const tokenSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/, 'must have 12 hexadecimal digits'),
  ...grantShape,
  createdAt: z.iso.datetime('must be a time such as 2026-01-31T08:00:00Z'),
  expiresAt: z.iso.datetime('must be a time such as 2026-01-31T08:00:00Z'),
  hash: generatedSecretHashSchema,
});

const certificateSchema = z.strictObject({
  /** A subject alternative name of the certificate, such as `DNS:dashboard.example`. */
  subjectAltName: z
    .string()
    .regex(/^(DNS|email|URI):\P{Cc}{1,500}$/u, 'must be DNS:<name>, email:<address> or URI:<address>'),
  ...grantShape,
});

/** The name of a claim, or a path such as `realm_access.roles`. */
const claim = z.string().min(1).max(200);
const claimValue = z.string().min(1).max(500);

const issuerUrl = exactHttpUrl({ credentials: false, tls: true });

const openIdConnectSchema = z.strictObject({
  issuer: z
    .string()
    .refine(
      (url) => issuerUrl.safeParse(url).success && !url.includes('?'),
      'must be an address that starts with https://, or with http:// on loopback, without user, password and query',
    ),
  /** The audience of the access tokens: the API. */
  audience: claimValue,
  roleClaim: claim,
  viewerValues: z.array(claimValue).max(MAX_ENTRIES).default([]),
  operatorValues: z.array(claimValue).max(MAX_ENTRIES).default([]),
  participantsClaim: claim,
  /** The value of that claim for all participants. Without it, no token sees all. */
  allParticipantsValue: claimValue.optional(),
  /** Users must not be able to change it, as it is the author of their requests. */
  nameClaim: claim.default('sub'),
});

function refineEachOnce(key: string, noun: string) {
  return (entries: readonly Readonly<Record<string, unknown>>[], context: z.RefinementCtx): void => {
    const values = entries.map((entry) => entry[key]);
    values.forEach((value, index) => {
      if (values.indexOf(value) < index)
        context.addIssue({
          code: 'custom',
          path: [index, key],
          message: `is the same as that of an earlier ${noun}`,
        });
    });
  };
}

/** API_ACCESS_FILE: who may use the archive API. */
export const accessFileSchema = z.strictObject({
  tokens: z.array(tokenSchema).max(MAX_ENTRIES).superRefine(refineEachOnce('id', 'token')).default([]),
  certificates: z
    .array(certificateSchema)
    .max(MAX_ENTRIES)
    .superRefine(refineEachOnce('subjectAltName', 'certificate'))
    .default([]),
  openIdConnect: openIdConnectSchema.optional(),
});

export type AccessFileContent = z.output<typeof accessFileSchema>;
export type AccessToken = z.output<typeof tokenSchema>;
export type AccessCertificate = z.output<typeof certificateSchema>;
export type OpenIdConnectAccess = z.output<typeof openIdConnectSchema>;

/** What an entry of the file grants. */
export const accessGrantSchema = z.strictObject(grantShape);
export type AccessGrant = z.output<typeof accessGrantSchema>;

/** Whether a name may be the author of a request. */
export const isAccessName = (text: string): boolean => nameSchema.safeParse(text).success;
