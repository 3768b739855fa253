import { DESIGNATIONS, MARKET_SERVICES } from '@ssb/market';

/** A parameter as document 000, Endpoints, lists it. */
export interface ParameterDescription {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description: string;
  /** A day in one of its two forms, a participant code, or one of the listed codes. */
  format: 'day' | 'participant' | readonly string[];
  example: string;
}

export function dayInPath(name: string, description: string): ParameterDescription {
  return { name, in: 'path', required: true, description, format: 'day', example: '2026-03-01' };
}

export function dayInQuery(name: string, description: string, example: string): ParameterDescription {
  return { name, in: 'query', required: true, description, format: 'day', example };
}

function marketServiceIn(description: string, codes: readonly string[]): ParameterDescription {
  const example = codes[0] ?? '';
  return { name: 'marketService', in: 'path', required: true, description, format: codes, example };
}

export const marketService = marketServiceIn('Market service', MARKET_SERVICES);
export const nstem = marketServiceIn('Market service; only NSTEM', ['NSTEM']);

export const designation: ParameterDescription = {
  name: 'designation',
  in: 'path',
  required: true,
  description: 'Settlement run designation; STEM has INITIAL alone',
  format: DESIGNATIONS,
  example: 'INITIAL',
};

export const periodFrom = dayInPath('periodFrom', 'First trading day of the period');
export const tradingDay = dayInPath('tradingDay', 'Trading day');

/** Document 000, Rules 1. */
export const participantCode: ParameterDescription = {
  name: 'participantCode',
  in: 'query',
  required: false,
  description:
    "The caller's own participant code. It is taken from the certificate, so leave it out or empty. Another code is answered with 403.",
  format: 'participant',
  example: 'WPGENCO',
};
