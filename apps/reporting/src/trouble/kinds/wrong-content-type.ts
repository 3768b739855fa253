import type { BodyOut, Hit } from './spoil.js';

/** The right body under a media type that document 000 does not know (Conventions 2). */
export function wrongContentType({ one, reply, claim }: Hit<'wrong-content-type'>): BodyOut {
  if (claim()) void reply.header('content-type', one.trouble.contentType);
  return 'unchanged';
}
