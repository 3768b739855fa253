/** Printable characters only: SQL text cannot hold a zero character. Document 000 gives codes at most 60 characters. */
const PARTICIPANT_CODE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]{1,60}$/u;

export function isParticipantCode(text: string): boolean {
  return PARTICIPANT_CODE.test(text) && text.trim() === text;
}
