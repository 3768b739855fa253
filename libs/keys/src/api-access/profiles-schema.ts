import { exactHttpUrl } from '@ssb/platform';
import { z } from 'zod';

const text = z.string().min(1).max(4_096);

const profileSchema = z.strictObject({
  url: exactHttpUrl(),
  token: text.optional(),
  tokenFile: text.optional(),
  caFile: text.optional(),
  certificateFile: text.optional(),
  keyFile: text.optional(),
});

/** The bridges that `busbridge` reaches, by name. */
export const profilesSchema = z.strictObject({
  default: text.optional(),
  profiles: z.record(z.string().max(200), profileSchema),
});

export type ProfilesContent = z.output<typeof profilesSchema>;

/** How one bridge is reached, and as whom. */
export type Profile = z.output<typeof profileSchema>;
