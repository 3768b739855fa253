import { DESIGNATIONS, MARKET_SERVICES } from '@ssb/market';
import type { Parameter } from './operation.js';

/** Parameters that several operations share; the words are document 000's. */

export function dayInPath(name: string, description: string, example = '2026-03-01'): Parameter {
  return { name, in: 'path', required: true, description, takes: 'day', example };
}

export function dayInQuery(name: string, description: string, example: string): Parameter {
  return { name, in: 'query', required: true, description, takes: 'day', example };
}

export function marketServices(codes: readonly string[] = MARKET_SERVICES): Parameter {
  const description = codes.length === 1 ? `Market service; only ${codes[0]}` : 'Market service';
  const example = codes[0] ?? '';
  return { name: 'marketService', in: 'path', required: true, description, takes: codes, example };
}

export const designation: Parameter = {
  name: 'designation',
  in: 'path',
  required: true,
  description: 'Settlement run designation; STEM has INITIAL alone',
  takes: DESIGNATIONS,
  example: 'INITIAL',
};

export const periodFrom = dayInPath('periodFrom', 'First trading day of the period');
export const tradingDay = dayInPath('tradingDay', 'Trading day');

/** Rule 1: filled from the authenticated certificate. Naming oneself is allowed, naming anybody else is 403. */
export const participantCode: Parameter = {
  name: 'participantCode',
  in: 'query',
  required: false,
  description:
    "The caller's own participant code. It is filled from the certificate: leave it out. That of anybody else is 403.",
  takes: 'participant',
  example: 'WPGENCO',
};
