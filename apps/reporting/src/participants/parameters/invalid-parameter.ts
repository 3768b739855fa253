/** Why a question can have no answer, whatever was published: the closed list behind a 404 (docs/interfaces.md). */
export const QUESTION_FAULTS = [
  'unknown-market-service',
  'market-service-not-allowed',
  'impossible-date',
  'designation-not-allowed',
  'parameter-missing',
  'parameter-repeated',
  'window-upside-down',
] as const;
export type QuestionFault = (typeof QUESTION_FAULTS)[number];

/** The verdict on a question that cannot be asked: which parameter is wrong, and what is allowed. */
export interface NotAskable {
  ok: false;
  reason: QuestionFault;
  parameter: string;
  detail: string;
}

export function notAskable(reason: QuestionFault, parameter: string, detail: string): NotAskable {
  return { ok: false, reason, parameter, detail };
}

/** What a caller sent is shown back short and printable. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
