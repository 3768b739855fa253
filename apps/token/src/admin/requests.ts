import { ProblemException } from '@ssb/platform';
import { z } from 'zod';
import { parseScope, type Scope } from '../domain/scopes.js';

/** A given secret is stored by its hash, but a short one can be guessed all the same. */
export const SECRET_LENGTH = { least: 16, most: 1_024 } as const;

/** How long the secret before a rotation may stay good: a month, seconds. */
export const LONGEST_GRACE_SECONDS = 31 * 86_400;

export const PAGE_LIMIT = { usual: 100, most: 500 } as const;

/** Printable ASCII (RFC 6749, appendix A.1) that does not begin or end with a space. */
const clientId = z
  .string()
  .regex(
    /^(?! )[\x20-\x7e]{1,100}(?<! )$/,
    'expected 1 to 100 printable ASCII characters, no space at either end',
  );

const secret = z
  .string()
  .min(SECRET_LENGTH.least, `expected ${SECRET_LENGTH.least} to ${SECRET_LENGTH.most} characters`)
  .max(SECRET_LENGTH.most, `expected ${SECRET_LENGTH.least} to ${SECRET_LENGTH.most} characters`);

const scope = z.string().transform((text, context): Scope => {
  const read = parseScope(text);
  if (read !== undefined) return read;
  context.addIssue('expected <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>, permissions of the letters C, R, U, D');
  return z.NEVER;
});

/** Body of `POST /admin/v1/accounts`. */
export const createRequest = z.strictObject({
  clientId,
  scopes: z.array(scope).min(1, 'expected one scope at least').max(200, 'expected 200 scopes at most'),
  bound: z.boolean().default(false),
  secret: secret.optional(),
  ifThere: z.enum(['refuse', 'keep', 'replace']).default('refuse'),
});

/** Body of `POST /admin/v1/accounts/rotate`. */
export const rotateRequest = z.strictObject({
  clientId,
  secret: secret.optional(),
  graceSeconds: z.int().min(0).max(LONGEST_GRACE_SECONDS).default(0),
});

/** Body of `POST /admin/v1/accounts/disable` and `…/enable`. */
export const nameRequest = z.strictObject({ clientId });

/** Query of `GET /admin/v1/accounts`. */
export const listRequest = z.strictObject({
  after: z
    .string()
    .regex(/^[\x20-\x7e]{0,100}$/, 'expected the name after which the page begins')
    .default(''),
  limit: z.coerce.number().int().min(1).max(PAGE_LIMIT.most).default(PAGE_LIMIT.usual),
});

/** @throws ProblemException 422 that names each wrong field; a value is never repeated, as it may be a secret */
export function readRequest<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const result = schema.safeParse(given ?? {});
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const detail = faults
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
  throw new ProblemException(422, 'Unprocessable content', detail, { faults });
}
