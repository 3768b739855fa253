import type { Authentication, ContentAuthenticator } from './content-authenticator.js';

/** The content is empty unless the code is valid. */
export type AuthenticatedText = Authentication & { readonly content: string };

/** The text to store for a content: `<code> <content>`. */
export function toAuthenticatedText(
  authenticator: ContentAuthenticator,
  context: string,
  content: string,
): string {
  return `${authenticator.authenticate(context, content)} ${content}`;
}

/** Verifies a text of `toAuthenticatedText`. */
export async function readAuthenticatedText(
  authenticator: ContentAuthenticator,
  context: string,
  text: string,
): Promise<AuthenticatedText> {
  const separator = text.indexOf(' ');
  const code = separator === -1 ? undefined : text.slice(0, separator);
  const content = text.slice(separator + 1);
  const verdict = await authenticator.verify(context, content, code);
  return { ...verdict, content: verdict.ok ? content : '' };
}
