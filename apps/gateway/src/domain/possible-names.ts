import { GatewayFailure } from './gateway-failure.js';

/** Characters (UTF-16 code units) of a channel's or a topic's name; a broker of this bus makes none that is longer. */
const LONGEST_NAME = 255;

/**
 * A name that is longer than any can be is one of a channel or topic that does not exist (document 002, "Errors"), and not a message
 * or a question of a wrong form, as the broker has it. It is not repeated to the caller: it may be megabytes.
 * @throws GatewayFailure 404 BUS::CHANNEL_NOT_FOUND
 */
export function requirePossibleNames({ fqcn, topic = '' }: { fqcn: string; topic?: string }): void {
  for (const [what, { length }] of [
    ['channel', fqcn],
    ['topic', topic],
  ] as const) {
    if (length <= LONGEST_NAME) continue;
    const reason = `There is no such ${what}: its name has ${length} characters, and none has more than ${LONGEST_NAME}.`;
    throw new GatewayFailure(404, 'BUS::CHANNEL_NOT_FOUND', reason, { length, longest: LONGEST_NAME });
  }
}
