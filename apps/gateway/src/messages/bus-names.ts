import { GatewayException } from '../http/gateway-exception.js';

/** Maximum length of a channel or topic name at the broker, UTF-16 code units. */
export const MAX_NAME_LENGTH = 255;

/**
 * No channel or topic has a longer name (document 002, "Errors"). The error contains only the length, because the name may be megabytes.
 * @throws GatewayException 404 BUS::CHANNEL_NOT_FOUND
 */
export function checkNameLengths({ fqcn, topic = '' }: { fqcn: string; topic?: string }): void {
  for (const [what, { length }] of Object.entries({ channel: fqcn, topic })) {
    if (length <= MAX_NAME_LENGTH) continue;
    const reason = `There is no such ${what}: its name has ${length} characters, and none has more than ${MAX_NAME_LENGTH}.`;
    throw new GatewayException(404, 'BUS::CHANNEL_NOT_FOUND', reason, { length, maxLength: MAX_NAME_LENGTH });
  }
}

/** Client id of a `GET message` without `clientId`. */
export const DEFAULT_CLIENT_ID = 'default';

/** Client id at the broker of WebSocket clients without an id. Those that select channels have a colon and a suffix. */
export const UNNAMED_CLIENT_ID = 'websocket';

/** The broker refuses a longer client id. */
const MAX_CLIENT_ID_LENGTH = 200;

export const CLIENT_ID_RULE = `takes a name of at most ${MAX_CLIENT_ID_LENGTH} characters other than ${UNNAMED_CLIENT_ID}, which is reserved`;

/** Whether a client may use this id. With the reserved id it would read the messages of unnamed clients. */
export function isClientId(text: string): boolean {
  const isReserved = text === UNNAMED_CLIENT_ID || text.startsWith(`${UNNAMED_CLIENT_ID}:`);
  return text.length >= 1 && text.length <= MAX_CLIENT_ID_LENGTH && !isReserved;
}
