import { z } from 'zod';

/** Document 002, "RoleState". */
export const ROLE_STATES = ['NO_CLAIM', 'AWAITING_APPROVAL', 'APPROVED', 'NOT_WANTED'] as const;
export const roleState = z.enum(ROLE_STATES);
export type RoleState = z.infer<typeof roleState>;

/** Document 002, "Enrolment". */
export const enrolment = z.object({
  did: z.string(),
  state: z.object({
    /** Every wanted role is approved. */
    ready: z.boolean(),
    /** A wanted role awaits its issuer. */
    waiting: z.boolean(),
    roles: z.object({ user: roleState, messagebroker: roleState }),
  }),
});
export type Enrolment = z.infer<typeof enrolment>;
