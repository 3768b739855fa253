import { DESIGNATIONS, MARKET_SERVICES, type jsonSchemaOf } from '@ssb/market';
import type { Entity } from '../access/access-decision.js';
import type { Records } from '../records/record-store.js';

/** A parameter as document 000, Endpoints, lists it. */
export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description: string;
  /** A day in one of its two forms, one of a few codes, or a participant code. */
  takes: 'day' | 'participant' | readonly string[];
  example: string;
}

/** What a request asks, as it came: path parameters decoded, query values a text or a list of texts. */
export interface Asked {
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
}

/** A resource of document 000, as far as it is described and not read. */
export type DescribedResource = Parameters<typeof jsonSchemaOf>[0] & { readonly name: string };

/** The body of a 200: `{"data":…}` around a document, or the bytes of a PDF. */
export type Success =
  | { kind: 'document'; resource: DescribedResource; list: boolean }
  | { kind: 'pdf'; fileName: (asked: Asked) => string };

/**
 * One of the ten operations of document 000. The table of them is all that the routes, the metrics and the OpenAPI document are
 * made of.
 */
export interface Operation {
  /** Its number in document 000, Endpoints. */
  number: number;
  /** Its name in metrics, logs and the OpenAPI document. */
  id: string;
  summary: string;
  description?: string;
  /** `{name}` stands for a path parameter. */
  path: string;
  entity: Entity;
  parameters: readonly Parameter[];
  success: Success;
  /**
   * The body of the 200: `{"data":…}` around the document exactly as stored, in UTF-8, or a PDF.
   * @throws ProblemException 404 when the question has no answer
   */
  find: (records: Records, participant: string, asked: Asked) => Promise<Uint8Array>;
}

// Parameters that several operations share, in the words of document 000.

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
