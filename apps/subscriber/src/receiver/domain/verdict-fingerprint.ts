import { createHash } from 'node:crypto';
import { CATALOGUE } from '@ssb/events';
import { canonicalJson, type SignatureScheme } from '@ssb/identity';
import type { OperatorConfig } from '@ssb/config';

/** Hash of everything that decides verdicts: configuration, signature scheme and the schemas of this release. */
export function verdictFingerprint(
  { senders, routes, participants }: Pick<OperatorConfig, 'senders' | 'routes' | 'participants'>,
  scheme: SignatureScheme,
): string {
  // JSON leaves out what is undefined, which the canonical form refuses.
  const codes = participants.map(({ code }) => code);
  const basis: unknown = JSON.parse(
    JSON.stringify({ senders, routes, participants: codes, scheme, catalogue: CATALOGUE }),
  );
  return createHash('sha256').update(canonicalJson(basis)).digest('hex');
}
