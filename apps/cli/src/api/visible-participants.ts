import { CommandError, EXIT } from '../exit.js';
import type { ApiClient } from './api-client.js';

/** @throws CommandError for a participant that the credentials do not see */
export async function checkParticipants(
  api: ApiClient,
  wanted: readonly string[] | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const { participants } = await api.get('/v1/caller');
  if (participants === undefined || wanted.every((code) => participants.includes(code))) return;
  throw new CommandError(
    `The credentials see only ${participants.join(', ')}: --participant must be one of these.`,
    EXIT.usage,
  );
}

/** A sentence for a listing without rows; undefined for credentials that see everything. */
export async function describeLimit(api: ApiClient): Promise<string | undefined> {
  try {
    const { participants } = await api.get('/v1/caller');
    return participants && `The credentials see only ${participants.join(', ')}.`;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return `It is unknown which participants the credentials see: ${error.message}`;
  }
}
