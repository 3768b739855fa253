import { escapeLine } from '@ssb/net';

/** Why a parameter is invalid: part of the closed list of reasons behind a 404 (docs/interfaces.md). */
export const PARAMETER_REASONS = [
  'unknown-market-service',
  'market-service-not-allowed',
  'impossible-date',
  'designation-not-allowed',
  'parameter-missing',
  'parameter-repeated',
  'window-upside-down',
] as const;
export type ParameterReason = (typeof PARAMETER_REASONS)[number];

export interface InvalidParameter {
  ok: false;
  reason: ParameterReason;
  parameter: string;
  /** What was wrong and what is allowed. */
  detail: string;
}

/** The verdict on one or more parameters of a request. */
export type Parsed<Value> = { ok: true; value: Value } | InvalidParameter;

export function invalidParameter(
  reason: ParameterReason,
  parameter: string,
  detail: string,
): InvalidParameter {
  return { ok: false, reason, parameter, detail };
}

/** Makes a client's text short and printable. */
export function quote(text: string): string {
  return escapeLine(JSON.stringify(text.slice(0, 60)));
}
