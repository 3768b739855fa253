import { z } from 'zod';

/** Document 002, "RoleState". */
export const ROLE_STATES = ['NO_CLAIM', 'AWAITING_APPROVAL', 'APPROVED', 'NOT_WANTED'] as const;
export const roleState = z.enum(ROLE_STATES);
export type RoleState = z.infer<typeof roleState>;

/** Document 002, "Enrolment". */
export const enrolment = z.object({
  did: z.string().describe('did:<method>:<address>, made of the configured private key.'),
  state: z.object({
    ready: z.boolean().describe('Every wanted role is approved.'),
    waiting: z.boolean().describe('A wanted role awaits its issuer.'),
    roles: z.object({ user: roleState, messagebroker: roleState }),
  }),
});
export type Enrolment = z.infer<typeof enrolment>;
