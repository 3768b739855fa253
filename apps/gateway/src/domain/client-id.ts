import { z } from 'zod';

/** Characters of a client id; the broker takes no more. */
export const LONGEST_CLIENT_ID = 200;

/** Whose position is read by those that give none. */
export const USUAL_CLIENT = 'default';

/** The broker's client id of those that give none at `/events`, and, before a colon, of those that listen to certain channels alone. */
export const UNNAMED_CLIENT = 'websocket';

/** A client of that name would take the place of the unnamed ones, or read in their stead. */
export const NOT_RESERVED = `^(?!${UNNAMED_CLIENT}(:|$))`;

export const CLIENT_ID_RULE = `takes a name of at most ${LONGEST_CLIENT_ID} characters other than ${UNNAMED_CLIENT}, which is reserved`;

/** The name that a client gives itself: whose position in a channel is meant. */
export const clientId = z
  .string()
  .min(1)
  .max(LONGEST_CLIENT_ID)
  .regex(new RegExp(NOT_RESERVED), CLIENT_ID_RULE);

export function isClientId(text: string): boolean {
  return clientId.safeParse(text).success;
}
