import type { AccessRole } from '@ssb/keys';

/** What identifies a caller. */
export const CREDENTIALS = ['session', 'token', 'certificate'] as const;
export type Credentials = (typeof CREDENTIALS)[number];

/** Who sends a request, as its credentials say. */
export interface Caller {
  /** The author of its requests in the audit log. */
  readonly name: string;
  readonly role: AccessRole;
  /** Codes of the participants that it may see; `all` also shows what belongs to none. */
  readonly participants: readonly string[] | 'all';
  /** The end of its credentials, epoch milliseconds; undefined when they have none. */
  readonly expiresAt?: number;
  readonly credentials?: Credentials;
}

/** Whether the caller may see what belongs to this participant. `*` belongs to no single one. */
export function maySee({ participants }: Caller, participant: string): boolean {
  return participants === 'all' || participants.includes(participant);
}

/** The participants that a listing is about; undefined for all. */
export function visibleParticipants(
  { participants }: Caller,
  wanted: readonly string[] | undefined,
): readonly string[] | undefined {
  if (participants === 'all') return wanted;
  return wanted === undefined ? participants : wanted.filter((code) => participants.includes(code));
}
