import { ProblemException } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Every response is UTF-8, so this parameter excludes none. */
const CHARSET = /;\s*charset\s*=\s*"?utf-?8"?/gi;

/** The media type that the caller prefers; undefined when it accepts none. */
export function preferredType<Type extends string>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  available: readonly Type[],
): Type | undefined {
  const accept = headers.accept?.replaceAll(CHARSET, '');
  return new Negotiator({ headers: { ...(accept && { accept }) } }).mediaType([...available]) as
    | Type
    | undefined;
}

export function notAcceptable(available: readonly string[]): ProblemException {
  return new ProblemException(406, 'Not acceptable', `This is available as ${available.join(' and ')}.`);
}
