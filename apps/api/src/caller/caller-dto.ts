import { ACCESS_ROLES, type AccessRole } from '@ssb/keys';
import { Flag, Text, Texts, Time } from '../http/fields.js';

/** What credentials grant. */
export class CallerAccess {
  @Text({ description: 'The author of its requests in the audit log.' }) readonly name!: string;
  @Text({ description: 'operator: may also act.', values: ACCESS_ROLES }) readonly role!: AccessRole;
  @Flag({ description: 'Whether it sees all participants, and what belongs to no single one.' })
  readonly allParticipants!: boolean;
  @Texts({ description: 'Codes of the participants that it sees; absent when it sees all.', optional: true })
  readonly participants?: readonly string[];
  @Time({ description: 'When the credentials end.', optional: true }) readonly expiresAt?: Date;
}
