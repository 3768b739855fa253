import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';

/** The document that `npm run docs` writes from the controllers. */
export const OPENAPI_FILE = new URL('../../../openapi.json', import.meta.url);

/** What the document has of one operation. */
export interface DocumentedOperation {
  /** Names of its query parameters. */
  readonly parameters: readonly string[];
  /** Media types of its successful responses. */
  readonly mediaTypes: readonly string[];
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The OpenAPI document of this release, read at the start. */
@Injectable()
export class ApiDocument {
  readonly text = readFileSync(OPENAPI_FILE);
  private readonly operations = readOperations(this.text);

  /** @param route the address as the router has it, such as /v1/events/:id */
  find(method: string, route: string | undefined): DocumentedOperation | undefined {
    return this.operations.get(`${method === 'HEAD' ? 'GET' : method} ${route}`);
  }
}

function readOperations(text: Buffer): ReadonlyMap<string, DocumentedOperation> {
  const { paths } = JSON.parse(text.toString()) as Document;
  return new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, operation]) =>
          [
            `${method.toUpperCase()} ${path.replaceAll(/\{([^}]+)\}/g, ':$1')}`,
            describeOperation(operation),
          ] as const,
      ),
    ),
  );
}

function describeOperation({ parameters = [], responses }: Operation): DocumentedOperation {
  const successful = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    parameters: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
    mediaTypes: [...new Set(successful.flatMap(([, { content = {} }]) => Object.keys(content)))],
  };
}
