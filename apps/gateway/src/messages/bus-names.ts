import { GatewayException } from '../http/gateway-exception.js';

/** UTF-16 code units of a channel or topic name. The broker creates no longer ones. */
export const MAX_NAME_LENGTH = 255;

/**
 * A longer name is one of a channel or topic that does not exist (document 002, "Errors"). The error has its length alone, because the
 * name may be megabytes.
 * @throws GatewayException 404 BUS::CHANNEL_NOT_FOUND
 */
export function checkNameLengths({ fqcn, topic = '' }: { fqcn: string; topic?: string }): void {
  for (const [what, { length }] of Object.entries({ channel: fqcn, topic })) {
    if (length <= MAX_NAME_LENGTH) continue;
    const reason = `There is no such ${what}: its name has ${length} characters, and none has more than ${MAX_NAME_LENGTH}.`;
    throw new GatewayException(404, 'BUS::CHANNEL_NOT_FOUND', reason, { length, maxLength: MAX_NAME_LENGTH });
  }
}

/** The client id of a `GET message` that names none. */
export const DEFAULT_CLIENT_ID = 'default';

/** The broker's client id of WebSocket clients that name none. With a colon and a suffix: of those that select channels. */
export const UNNAMED_CLIENT_ID = 'websocket';

/** The broker accepts no longer client ids. */
const MAX_CLIENT_ID_LENGTH = 200;

export const CLIENT_ID_RULE = `takes a name of at most ${MAX_CLIENT_ID_LENGTH} characters other than ${UNNAMED_CLIENT_ID}, which is reserved`;

/** Whether a client may use this id. With a reserved one it would read the messages of unnamed clients. */
export function isClientId(text: string): boolean {
  const isReserved = text === UNNAMED_CLIENT_ID || text.startsWith(`${UNNAMED_CLIENT_ID}:`);
  return text.length >= 1 && text.length <= MAX_CLIENT_ID_LENGTH && !isReserved;
}
