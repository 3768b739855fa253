import type { jsonSchemaOf } from '@ssb/market';
import type { Entity } from '../domain/access.js';
import type { Records } from '../records/records.js';

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
