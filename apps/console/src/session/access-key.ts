import type { CallerAccess } from '../api/operations.js';

/** A text that differs when another person is signed in, or the same one sees other participants. */
export function accessKey({ name, allParticipants, participants = [] }: CallerAccess): string {
  return JSON.stringify([name, allParticipants, participants.toSorted()]);
}
